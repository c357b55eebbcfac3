// E2: presets in the launch window, and what differs before a start.
#include "launcher/home/presets.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"

#include <QFile>
#include <QFileDialog>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTreeWidget>

#include <memory>

class PresetsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::RunControl> m_control;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::LaunchWindow> m_window;

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

    ui::Draft& draft() { return m_window->draft(); }
    QString message() { return m_window->findChild<QLabel*>(QStringLiteral("launchMessage"))->text(); }
    QInputDialog* nameDialog() { return m_window->findChild<QInputDialog*>(QStringLiteral("presetName")); }
    QMessageBox* question() { return m_window->findChild<QMessageBox*>(QStringLiteral("presetQuestion")); }
    void pressSave()
    {
        m_window->activateWindow();  // a dialog was active
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTest::keyClick(m_window.get(), Qt::Key_S, Qt::ControlModifier);
    }

    QMenu* menu()
    {
        auto* const presets = m_window->findChild<QMenu*>(QStringLiteral("presets"));
        Q_EMIT presets->aboutToShow();
        return presets;
    }

    /// The names in the menu; the one that the draft came from in brackets.
    QStringList names()
    {
        QStringList all;
        for (const QAction* action : menu()->actions()) {
            if (action->isSeparator())
                break;
            if (action->isEnabled())
                all << (action->isChecked() ? '[' + action->text() + ']' : action->text());
        }
        return all;
    }

    void choose(const QString& name)
    {
        for (QAction* action : menu()->actions()) {
            if (action->text() == name)
                return action->trigger();
        }
        QFAIL(qPrintable(name + " is not in the menu"));
    }

    void enterName(const QString& name)
    {
        QTRY_VERIFY(nameDialog());
        nameDialog()->setTextValue(name);
        nameDialog()->accept();
        QTRY_VERIFY(!nameDialog());
    }

    void save(const QString& name)
    {
        pressSave();
        enterName(name);
        QTRY_COMPARE(message(), QStringLiteral("Saved as the preset “%1”.").arg(name));
    }

    contract::Experiment kept(const QString& name)
    {
        const auto parsed = contract::loadExperiment(launcher::presetFile(m_home->home(), name.toStdString()));
        return parsed.problems.empty() ? parsed.experiment : contract::Experiment();
    }

    /// "Option: here | origin | default" of each row; an asterisk for those that differ from the origin.
    QStringList rows()
    {
        auto* const list = m_window->findChild<QTreeWidget*>(QStringLiteral("differences"));
        QStringList all;
        for (int i = 0; i < list->topLevelItemCount(); ++i) {
            const QTreeWidgetItem* row = list->topLevelItem(i);
            all << row->text(0) + (row->font(0).bold() ? "*: " : ": ") + row->text(1) + " | " + row->text(2) + " | " + row->text(3);
        }
        return all;
    }
    QString summary() { return m_window->findChild<QLabel*>(QStringLiteral("differenceSummary"))->text(); }
    QString tab() { return m_window->findChild<QTabWidget*>(QStringLiteral("launchTabs"))->tabText(1); }

private Q_SLOTS:
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

    void E2_ctrlSSavesAPresetAndTheMenuBringsItBack()
    {
        QVERIFY(names().isEmpty());
        draft().setField("optim.lr", "0.5");
        save("heart");
        QCOMPARE(kept("heart").real("optim.lr"), 0.5);
        QVERIFY(!draft().isEdited());
        QTRY_COMPARE(names(), QStringList {"[heart]"});

        draft().setField("optim.lr", "0.25");
        pressSave();  // asks for nothing: it has a name
        QVERIFY(!nameDialog());
        QTRY_COMPARE(message(), QStringLiteral("Saved as the preset “heart”."));
        QCOMPARE(kept("heart").real("optim.lr"), 0.25);
        QTRY_VERIFY(!draft().isEdited());

        m_window->setExperiment(ui::DraftOrigin());
        QTRY_COMPARE(names(), QStringList {"heart"});
        choose("heart");
        QTRY_COMPARE(draft().fieldText("optim.lr"), QStringLiteral("0.25"));
        QTRY_COMPARE(names(), QStringList {"[heart]"});
        open();
        QTRY_COMPARE(names(), QStringList {"[heart]"});
    }

    /// What the fields show and the text has not is never lost without a word.
    void anInvalidFieldAndTheOtherValuesOfAListAreNotSaved()
    {
        draft().setField("optim.lr", "0.5");
        save("heart");
        draft().setField("optim.lr", "0.25x");
        pressSave();
        QTRY_VERIFY2(message().startsWith("Not saved: “Learning rate”"), qPrintable(message()));
        for (QPushButton* const button : m_window->findChildren<QPushButton*>()) {
            if (button->text() == QLatin1String("Save as a file…"))
                button->click();
        }
        QVERIFY(!m_window->findChild<QFileDialog*>());
        QCOMPARE(kept("heart").real("optim.lr"), 0.5);
        QVERIFY(draft().isEdited());

        draft().setField("optim.lr", "0.25, 0.125");
        pressSave();
        QTRY_COMPARE(message(), QStringLiteral("Saved as the preset “heart”. Of “Learning rate” only the first value is kept."));
        QCOMPARE(kept("heart").real("optim.lr"), 0.25);
        QVERIFY(draft().isEdited());
    }

    void E2_presetsAreRenamedAndDeleted()
    {
        draft().setField("optim.lr", "0.5");
        save("heart");
        menu()->findChild<QAction*>(QStringLiteral("renamePreset"))->trigger();
        enterName("cube");
        QTRY_COMPARE(names(), QStringList {"[cube]"});
        QCOMPARE(kept("cube").real("optim.lr"), 0.5);
        menu()->findChild<QAction*>(QStringLiteral("saveNewPreset"))->trigger();
        enterName("heart");
        QTRY_COMPARE(names(), QStringList({"cube", "[heart]"}));
        menu()->findChild<QAction*>(QStringLiteral("renamePreset"))->trigger();
        enterName("cube");
        QTRY_VERIFY2(message().contains("there is a preset \"cube\" already"), qPrintable(message()));
        QTRY_COMPARE(names(), QStringList({"cube", "[heart]"}));

        menu()->findChild<QAction*>(QStringLiteral("deletePreset"))->trigger();
        QVERIFY(question());
        QCOMPARE(question()->defaultButton()->text(), QStringLiteral("Cancel"));
        question()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(!question());
        QTRY_COMPARE(names(), QStringList({"cube", "[heart]"}));
        menu()->findChild<QAction*>(QStringLiteral("deletePreset"))->trigger();
        for (QAbstractButton* button : question()->buttons()) {
            if (button->text() == QLatin1String("Delete"))
                button->click();
        }
        QTRY_COMPARE(names(), QStringList {"cube"});
        QCOMPARE(draft().fieldText("optim.lr"), QStringLiteral("0.5"));
    }

    void E2_aPresetOfThatNameIsReplacedOnlyAfterAQuestion()
    {
        save("heart");
        m_window->setExperiment(ui::DraftOrigin());
        draft().setField("optim.lr", "0.5");
        pressSave();
        enterName("heart");
        QTRY_VERIFY(question());
        question()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(!question());
        QVERIFY(kept("heart").real("optim.lr") != 0.5);
    }

    void E2_namesThatCannotBePresets_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("reason");
        QTest::newRow("E2 a ready experiment") << "digits" << "is the name of a ready experiment";
        QTest::newRow("E2 a path") << "../heart" << "neither start with a dot nor contain a slash";
        QTest::newRow("E2 a slash") << "a/b" << "neither start with a dot nor contain a slash";
        QTest::newRow("E2 nothing") << " " << "must not be empty";
        QTest::newRow("E2 a file") << "heart.toml" << "must not end in .toml";
        QTest::newRow("E2 too long") << QString(300, 'x') << "longer than 200 bytes";
    }
    void E2_namesThatCannotBePresets()
    {
        QFETCH(QString, name);
        QFETCH(QString, reason);
        pressSave();
        enterName(name);
        QTRY_VERIFY2(message().contains(reason), qPrintable(message()));
        QVERIFY(names().isEmpty());
    }

    void E2_pathsInAPresetStayWhatTheyWere()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath("cube.toml"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("# mine\n[data]\npath = \"digits.csv.gz\"\n") > 0);
        file.close();
        m_window->load(file.fileName());
        QTRY_VERIFY(draft().toml().startsWith("# mine\n"));
        const contract::Experiment before = draft().experiment();
        save("cube");
        QVERIFY(kept("cube") == before);
        m_window->setExperiment(ui::DraftOrigin());
        choose("cube");
        QTRY_VERIFY(draft().experiment() == before);
        QVERIFY(draft().toml().startsWith("# mine\n"));
    }

    void E2_theDifferenceFromWhatTheDraftCameFrom()
    {
        ui::DraftOrigin run {ui::DraftOrigin::Kind::Run, "digits-20261121-101500-aaaa", {}};
        run.experiment.set("optim.lr", 0.5);
        m_window->setExperiment(run);
        QCOMPARE(summary(), QStringLiteral("0 changes from the run “digits-20261121-101500-aaaa”, 1 from the defaults."));
        QCOMPARE(tab(), QStringLiteral("Changes (0)"));
        draft().setField("schedule.type", "cosine");
        draft().setField("run.deterministic", "true");
        QCOMPARE(rows(), QStringList({"Bitwise reproducible*: on | off | off", "Schedule*: Cosine | Constant | Constant", "Learning rate: 0.5 | 0.5 | 0.001"}));
        QCOMPARE(tab(), QStringLiteral("Changes (2)"));
        draft().revert("optim.lr");
        QVERIFY2(rows().contains("Learning rate*: 0.001 | 0.5 | 0.001"), qPrintable(rows().join(" / ")));
        QVERIFY2(summary().startsWith("3 changes from the run"), qPrintable(summary()));
        open();  // the next session knows it, too
        QCOMPARE(tab(), QStringLiteral("Changes (3)"));
        QVERIFY2(rows().contains("Learning rate*: 0.001 | 0.5 | 0.001"), qPrintable(rows().join(" / ")));

        auto* const list = m_window->findChild<QTreeWidget*>(QStringLiteral("differences"));
        for (int i = 0; i < list->topLevelItemCount(); ++i) {
            if (list->topLevelItem(i)->text(0) == QLatin1String("Learning rate"))
                Q_EMIT list->itemActivated(list->topLevelItem(i), 0);
        }
        QVERIFY(m_window->form().findChild<QLineEdit*>("optim.lr")->hasFocus());
    }

    void E2_readyExperimentsAndFilesAreOriginsToo()
    {
        m_window->loadReady("emoji");
        QVERIFY2(summary().startsWith("0 changes from the ready experiment “emoji”"), qPrintable(summary()));
        QTemporaryDir folder;
        m_window->saveAs(folder.filePath("mine.toml"));
        QTRY_VERIFY2(summary().startsWith("0 changes from the file “mine.toml”"), qPrintable(summary()));
        m_window->setExperiment(ui::DraftOrigin());
        QCOMPARE(summary(), QStringLiteral("0 changes from the defaults."));
        QVERIFY(m_window->findChild<QTreeWidget*>(QStringLiteral("differences"))->isColumnHidden(2));
    }
};

ATELIER_UI_TEST_MAIN(PresetsTest)
#include "tst_presets.moc"
