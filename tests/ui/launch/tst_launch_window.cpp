// The launch window: what it asks, what it says, and what its form calls the options.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/launch/option_words.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <type_traits>

class LaunchWindowTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::RunControl> m_control;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::LaunchWindow> m_window;
    QTemporaryDir m_folder;

    void open()
    {
        m_window.reset();
        m_settings.reset();  // writes what has changed
        m_settings = std::make_unique<ui::Settings>(m_home->home());
        m_window = std::make_unique<ui::LaunchWindow>(m_home->home(), *m_control, *m_settings);
        m_window->show();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    QString writeExperiment(const char* name)
    {
        QFile file(m_folder.filePath(QStringLiteral("%1.toml").arg(QLatin1String(name))));
        if (!file.open(QIODevice::WriteOnly) || file.write("[run]\nname = \"" + QByteArray(name) + "\"\n") < 0)
            qFatal("the experiment cannot be written");
        return file.fileName();
    }

    QMessageBox* question() { return m_window->findChild<QMessageBox*>(QStringLiteral("replaceQuestion")); }
    QString message() { return m_window->findChild<QLabel*>(QStringLiteral("launchMessage"))->text(); }

    void answer(const QString& text)
    {
        for (QAbstractButton* button : question()->buttons()) {
            if (button->text() == text)
                button->click();
        }
        QTRY_VERIFY(!question());
    }

    /// The field of an option, visible and with the keyboard focus.
    ui::OptionField* goTo(const char* key)
    {
        m_window->form().goTo(QLatin1String(key));
        for (ui::OptionField* field : m_window->form().fields()) {
            if (field->key() == QLatin1String(key))
                return field;
        }
        return nullptr;
    }

    static QStringList texts(QWidget& widget)
    {
        QStringList all;
        for (const QLabel* label : widget.findChildren<QLabel*>())
            all << label->text();
        return all;
    }

private Q_SLOTS:
    void initTestCase() { qputenv("ATELIER_WORKER", "/bin/true"); }

    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_control = std::make_unique<ui::RunControl>(m_home->home());
        open();
    }

    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
        m_control.reset();
        m_home.reset();
    }

    void anEditedFormIsReplacedOnlyAfterAQuestion_data()
    {
        QTest::addColumn<bool>("isRestarted");
        QTest::newRow("defect-40: a file while the window is open") << false;
        QTest::newRow("defect-40: a file at the next start") << true;
    }
    void anEditedFormIsReplacedOnlyAfterAQuestion()
    {
        QFETCH(bool, isRestarted);
        const QString heart = writeExperiment("heart"), cube = writeExperiment("cube");
        m_window->load(heart);
        QTRY_COMPARE(m_window->draft().fieldText("run.name"), QStringLiteral("heart"));
        m_window->load(cube);  // nobody has edited anything
        QTRY_COMPARE(m_window->draft().fieldText("run.name"), QStringLiteral("cube"));
        QVERIFY(!question());
        m_window->draft().setField("optim.lr", "0.5");
        const QString edited = m_window->draft().toml();
        if (isRestarted)
            open();
        m_window->load(heart);
        QTRY_VERIFY(question());
        QCOMPARE(m_window->draft().toml(), edited);
        answer(QStringLiteral("Keep my changes"));
        QCOMPARE(m_window->draft().toml(), edited);
        m_window->load(heart);
        QTRY_VERIFY(question());
        answer(QStringLiteral("Replace"));
        QCOMPARE(m_window->draft().fieldText("run.name"), QStringLiteral("heart"));
        m_window->load(cube);
        QTRY_COMPARE(m_window->draft().fieldText("run.name"), QStringLiteral("cube"));
        QVERIFY(!question());
    }

    void anUneditedDraftOfTheLastSessionIsReplacedWithoutAQuestion_data()
    {
        QTest::addColumn<bool>("isLoaded");
        QTest::newRow("defect-40: the first experiment") << false;
        QTest::newRow("defect-40: a loaded file") << true;
    }
    void anUneditedDraftOfTheLastSessionIsReplacedWithoutAQuestion()
    {
        QFETCH(bool, isLoaded);
        if (isLoaded) {
            m_window->load(writeExperiment("cube"));
            QTRY_COMPARE(m_window->draft().fieldText("run.name"), QStringLiteral("cube"));
        }
        open();
        m_window->load(writeExperiment("heart"));
        QTRY_COMPARE(m_window->draft().fieldText("run.name"), QStringLiteral("heart"));
        QVERIFY(!question());
    }

    void numbersAreTypedKeyByKey_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("after");  ///< in the field when it has lost the focus
        QTest::addColumn<double>("value");
        QTest::newRow("defect-45: 0.05") << "0.05" << "0.05" << 0.05;
        QTest::newRow("defect-45: 0.0010") << "0.0010" << "0.001" << 0.001;
        QTest::newRow("defect-45: 1e-4") << "1e-4" << "1e-04" << 1e-4;
        QTest::newRow("defect-45: 0,001") << "0,001" << "0,001" << 0.25;
    }
    void numbersAreTypedKeyByKey()
    {
        QFETCH(QString, typed);
        QFETCH(double, value);
        m_window->draft().setToml("[optim]\nlr = 0.25  # mine\n");
        goTo("optim.lr");
        auto* edit = m_window->form().findChild<QLineEdit*>("optim.lr");
        for (const QChar key : typed)
            QTest::keyClick(edit, key.toLatin1());
        QCOMPARE(edit->text(), typed);
        QCOMPARE(m_window->draft().experiment().real("optim.lr"), value);
        m_window->form().focusSearch();
        QTEST(edit->text(), "after");
    }

    void M2_aChangedOptionIsMarkedAndReset()
    {
        m_window->draft().setToml("[run]\nname = \"mine\"\n");
        ui::OptionField* const field = goTo("optim.lr");
        QVERIFY(field);
        const auto child = [field](auto* wanted, const QString& name) {
            for (auto* each : field->findChildren<std::remove_pointer_t<decltype(wanted)>*>()) {
                if (each->accessibleName() == name || each->property("text") == name)
                    return each;
            }
            return decltype(wanted)();
        };
        auto* const label = child(static_cast<QLabel*>(nullptr), QStringLiteral("Learning rate"));
        auto* const reset = child(static_cast<QToolButton*>(nullptr), QStringLiteral("Reset Learning rate"));
        auto* const edit = field->findChild<QLineEdit*>();
        QVERIFY(label && reset && edit);
        QVERIFY(!label->font().bold() && !reset->isVisible());
        for (const char* part : {"<b>optim.lr</b>", "Peak learning rate", "from 0 to 100", "default 0.001"})
            QVERIFY2(field->toolTip().contains(QLatin1String(part)), qPrintable(field->toolTip()));
        QTest::keyClicks(edit, QStringLiteral("0.5"));
        QVERIFY(label->font().bold() && reset->isVisible());
        QCOMPARE(reset->toolTip(), QStringLiteral("Reset to the default, 0.001"));
        QTest::mouseClick(reset, Qt::LeftButton);
        QCOMPARE(edit->text(), QStringLiteral("0.001"));
        QVERIFY(!label->font().bold() && !reset->isVisible());
        QVERIFY2(!m_window->draft().toml().contains("lr ="), qPrintable(m_window->draft().toml()));
    }

    void M2_optionsAreFoundByTheirHelp()
    {
        m_window->form().focusSearch();
        QTest::keyClicks(m_window->form().focusWidget(), QStringLiteral("DENOMINATOR added"));
        QStringList found;
        for (const ui::OptionField* field : m_window->form().fields()) {
            if (field->isVisible())
                found << field->key();
        }
        QCOMPARE(found, QStringList("optim.eps"));  // "AdamW: added to the denominator", an advanced option
        QTest::keyClicks(m_window->form().focusWidget(), QStringLiteral("zzz"));
        const auto labels = m_window->form().findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) { return label->isVisible() && label->text() == QLatin1String("No option matches."); }));
    }

    void theMessageGoesWithTheProblem_data()
    {
        QTest::addColumn<QString>("wrong");
        QTest::addColumn<QString>("right");
        QTest::newRow("defect-45: a wrong number") << "0,001" << "0.001";
        QTest::newRow("defect-45: no number") << "" << "3";
    }
    void theMessageGoesWithTheProblem()
    {
        QFETCH(QString, wrong);
        QFETCH(QString, right);
        m_window->draft().setField("optim.lr", wrong);
        m_window->start();
        QTRY_VERIFY2(message().contains("must be a number"), qPrintable(message()));
        QVERIFY2(message().contains("Learning rate") && !message().contains("optim.lr"), qPrintable(message()));
        m_window->draft().setField("optim.lr", right);
        QTRY_COMPARE(message(), QString());
    }

    void theFormSpeaksOfOptionsByTheirLabels_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QString>("text");
        QTest::newRow("defect-51: a label") << QByteArray("optim.lr") << "Learning rate";
        QTest::newRow("defect-51: a condition") << QByteArray("lora.rank") << "Only has an effect if “Model” is “Pretrained (diffusers)”";
        QTest::newRow("defect-51: several values")
            << QByteArray("data.resolution") << "Only has an effect if “Model” is “Pretrained (diffusers)” or “Like Stable Diffusion 3”";
        QTest::newRow("defect-51: a switch")
            << QByteArray("engine.reshard_group") << "Only has an effect if “Free after forward” is on";
        QTest::newRow("defect-51: a help text") << QByteArray("model.width") << "Width of the transformer; a multiple of “Attention heads”";
    }
    void theFormSpeaksOfOptionsByTheirLabels()
    {
        QFETCH(QByteArray, key);
        QFETCH(QString, text);
        m_window->draft().setToml(key.startsWith("engine") ? "[engine]\nreshard_after_forward = false\n" : "");
        ui::OptionField* const field = goTo(key.constData());
        QVERIFY2(texts(*field).contains(text), qPrintable(texts(*field).join(" / ")));
        QVERIFY(field->toolTip().contains(QString::fromUtf8(key)));
        if (key == "engine.reshard_group")
            QVERIFY(!field->findChild<QLineEdit*>()->isEnabled());
    }

    void noTextOfTheFormIsAKey_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"dit", "sd3", "diffusers"})
            QTest::newRow(qPrintable(QStringLiteral("defect-51: %1").arg(QLatin1String(model)))) << QString::fromLatin1(model);
    }
    void noTextOfTheFormIsAKey()
    {
        QFETCH(QString, model);
        m_window->draft().setToml(QStringLiteral("[model]\nname = \"%1\"\n").arg(model));
        QTRY_VERIFY(!m_window->draft().isChecking());
        for (const QString& text : texts(m_window->form())) {
            for (const contract::Option& option : contract::options())
                QVERIFY2(!text.contains(QString::fromUtf8(option.key.data(), qsizetype(option.key.size()))), qPrintable(text));
        }
    }

    void keysInPathsAndWordsStay()
    {
        QCOMPARE(ui::withLabels("optim.lr: see /home/optim.lr, optim.lrs and not.optim.lr, or data.folder."),
            QStringLiteral("“Learning rate”: see /home/optim.lr, optim.lrs and not.optim.lr, or “Image folder”."));
    }

    /// The form has plain words; the text and the tooltips have those of the file.
    void defect51_choicesHavePlainWords()
    {
        goTo("schedule.type");
        auto* box = m_window->form().findChild<QComboBox*>("schedule.type");
        m_window->draft().setField("schedule.type", "wsd");
        QCOMPARE(box->currentText(), QStringLiteral("WSD: constant, then decay"));
        QCOMPARE(box->itemData(box->currentIndex(), Qt::ToolTipRole).toString(), QStringLiteral("wsd"));
        box->setCurrentIndex(box->findText("Cosine"));
        QVERIFY2(m_window->draft().toml().contains("type = \"cosine\""), qPrintable(m_window->draft().toml()));
        box->setCurrentIndex(box->findText("Constant"));
        QVERIFY(!m_window->draft().isChanged("schedule.type"));
    }

    /// Scrolling the form must not change the values over which the pointer passes.
    void theMouseWheelScrollsTheFormOnly()
    {
        goTo("schedule.type");
        auto* box = m_window->form().findChild<QComboBox*>("schedule.type");
        QVERIFY(box->hasFocus());
        const QString before = box->currentText();
        for (const int turn : {-120, 120}) {
            QWheelEvent event(QPointF(5, 5), box->mapToGlobal(QPointF(5, 5)), {}, {0, turn}, Qt::NoButton, Qt::NoModifier,
                Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(box, &event);
            QVERIFY(!event.isAccepted());  // so that the form gets it
            QCOMPARE(box->currentText(), before);
        }
    }
};

ATELIER_UI_TEST_MAIN(LaunchWindowTest)
#include "tst_launch_window.moc"
