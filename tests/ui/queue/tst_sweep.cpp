// E15: lists of values in the launch form make a table of runs to queue: the real window, scheduler and supervisors over fake ranks.
#include "engine/contract/attempt/attempt.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"
#include "ui/launch/sweep_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTreeWidget>

#include <memory>

using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

class SweepTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    ui::LaunchWindow& launch() { return (*m_window)->openLaunchWindow(); }
    ui::Draft& draft() { return launch().draft(); }

    void type(const char* key, const char* text)
    {
        launch().form().goTo(QLatin1String(key));
        auto* const edit = launch().form().findChild<QLineEdit*>(QLatin1String(key));
        QVERIFY(edit);
        edit->selectAll();
        QTest::keyClicks(edit, QLatin1String(text));
        QTest::keyClick(edit, Qt::Key_Tab);
    }

    ui::SweepDialog* dialog() { return launch().findChild<ui::SweepDialog*>(); }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", FAKE_WORKER);
        qputenv("FAKE_DO", "hang");
    }

    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_window = std::make_unique<OpenWindow>(m_home->home());
    }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void E15_aListIsWhatIsTyped_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("runs");  // 0: the text is wrong
        QTest::addColumn<QString>("command");
        QTest::newRow("E15 two numbers") << "optim.lr" << "1e-4, 3e-4" << 2 << "--set optim.lr=1e-4,3e-4 --queue";
        QTest::newRow("E15 three steps, spaces") << "run.total_steps" << "5,  6,   7" << 3 << "--set run.total_steps=5,6,7 --queue";
        QTest::newRow("E15 one") << "optim.lr" << "1e-4" << 1 << "optim.lr=1e-04";
        QTest::newRow("E15 a decimal comma") << "optim.lr" << "0,001" << 0 << "";
        QTest::newRow("E15 a wrong one among them") << "optim.lr" << "1e-4, fast" << 0 << "";
        QTest::newRow("E15 one is missing") << "optim.lr" << "1e-4, " << 0 << "";
        QTest::newRow("E15 a text with a comma") << "run.name" << "left, right" << 1 << "'run.name=left, right'";
    }
    void E15_aListIsWhatIsTyped()
    {
        QFETCH(QString, key);
        QFETCH(QString, text);
        QFETCH(int, runs);
        QFETCH(QString, command);
        draft().setField(key, text);
        draft().finishField();
        QCOMPARE(draft().problemOf(key).isEmpty(), runs > 0);
        QCOMPARE(int(draft().runCount()), std::max(runs, 1));
        QVERIFY2(draft().commandLine().contains(command), qPrintable(draft().commandLine()));
        QCOMPARE(draft().isChanged(key), true);
    }

    void E15_aListStaysUntilTheTextSaysOtherwise()
    {
        draft().setField("optim.lr", "1e-4, 3e-4");
        draft().finishField();
        QVERIFY2(draft().toml().contains("lr = 1e-4") || draft().toml().contains("lr = 1e-04"), qPrintable(draft().toml()));
        draft().setToml(draft().toml() + "\n# a note\n");
        QCOMPARE(draft().fieldText("optim.lr"), QStringLiteral("1e-4, 3e-4"));
        m_window.reset();
        m_window = std::make_unique<OpenWindow>(m_home->home());  // the next window has it, too
        QCOMPARE(draft().fieldText("optim.lr"), QStringLiteral("1e-4, 3e-4"));
        draft().setToml(QString(draft().toml()).replace("1e-04", "2e-4").replace("1e-4", "2e-4"));
        QCOMPARE(int(draft().runCount()), 1);
        draft().setField("run.seed", "1, 2, 3");
        draft().load(QStringLiteral(ATELIER_SOURCE_DIR "/resources/experiments/digits.toml"));
        QCOMPARE(int(draft().runCount()), 1);
    }

    /// By the keyboard alone: the field, Tab to the button, and ticks in its menu.
    void E15_choicesAndSwitchesTakeSeveralValuesToo()
    {
        const auto openMenu = [&](const char* key) {
            launch().form().goTo(QLatin1String(key));
            QTRY_VERIFY(launch().isActiveWindow() && launch().form().findChild<QWidget*>(QLatin1String(key))->hasFocus());
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            QCOMPARE(QApplication::focusWidget()->accessibleName(), "Several values: " + launch().form().findChild<QWidget*>(QLatin1String(key))->accessibleName());
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
            QTRY_VERIFY(QApplication::activePopupWidget());
        };
        const auto tick = [](const QStringList& labels) {
            auto* const menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            for (const QString& label : labels) {
                for (QAction* const action : menu->actions()) {
                    if (action->text() == label) {
                        menu->setActiveAction(action);  // where the pointer happens to be does not matter then
                        QTest::keyClick(menu, Qt::Key_Space);
                    }
                }
            }
            QTest::keyClick(menu, Qt::Key_Escape);
        };
        launch().activateWindow();
        auto* const schedule = launch().form().findChild<QComboBox*>(QStringLiteral("schedule.type"));
        openMenu("schedule.type");
        QCOMPARE(schedule->currentText(), QStringLiteral("Cosine"));
        tick({"Linear", "Constant"});
        QCOMPARE(draft().fieldText("schedule.type"), QStringLiteral("cosine, linear, constant"));
        QCOMPARE(schedule->currentText(), QStringLiteral("Cosine, Linear, Constant"));
        QCOMPARE(int(draft().runCount()), 3);
        QVERIFY2(draft().toml().contains("type = \"cosine\""), qPrintable(draft().toml()));  // the text has the first, which stays what it was
        QVERIFY2(draft().commandLine().contains("--set schedule.type=cosine,linear,constant --queue"), qPrintable(draft().commandLine()));

        auto* const prefetch = launch().form().findChild<QCheckBox*>(QStringLiteral("engine.prefetch"));
        QVERIFY(prefetch->isChecked());
        openMenu("engine.prefetch");
        tick({"off"});
        QCOMPARE(prefetch->checkState(), Qt::PartiallyChecked);
        QCOMPARE(draft().fieldText("engine.prefetch"), QStringLiteral("true, false"));
        QCOMPARE(int(draft().runCount()), 6);

        // One value again: by the field itself, and by taking ticks away, of which one stays.
        prefetch->click();
        QCOMPARE(prefetch->checkState(), Qt::Checked);
        QCOMPARE(draft().fieldText("engine.prefetch"), QStringLiteral("true"));
        prefetch->click();
        QCOMPARE(draft().fieldText("engine.prefetch"), QStringLiteral("false"));
        openMenu("schedule.type");
        tick({"Cosine", "Constant", "Linear"});  // the last one stays
        QCOMPARE(draft().fieldText("schedule.type"), QStringLiteral("linear"));
        QCOMPARE(schedule->currentText(), QStringLiteral("Linear"));
        QCOMPARE(schedule->count(), 4);
        QVERIFY2(draft().toml().contains("type = \"linear\""), qPrintable(draft().toml()));
        QCOMPARE(int(draft().runCount()), 1);
    }

    void E15_moreRunsThanAQueueIsForAreRefused()
    {
        QStringList seeds;
        for (int seed = 0; seed < 501; ++seed)
            seeds << QString::number(seed);
        draft().setField("run.seed", seeds.join(", "));
        QVERIFY(!draft().problems().empty());
    }

    void E15_theTableQueuesWhatIsTicked()
    {
        type("optim.lr", "1e-4, 3e-4");
        type("model.heads", "4, 5");  // the width is no multiple of 5
        type("run.seed", "7, 8");
        QCOMPARE(int(draft().runCount()), 8);
        auto* const start = launch().findChild<QPushButton*>(QStringLiteral("startButton"));
        QCOMPARE(start->text(), QStringLiteral("Queue 8 runs…"));
        QStringList queued;
        connect(&m_window->bench().control, &ui::RunControl::queued, this, [&queued](const QString& id) { queued << id; });
        start->click();
        QTRY_VERIFY_WITH_TIMEOUT(dialog(), kTimeoutMs);
        auto* const table = dialog()->findChild<QTreeWidget*>();
        QCOMPARE(table->topLevelItemCount(), 8);
        auto* const queue = dialog()->findChild<QPushButton*>(QStringLiteral("sweepButton"));
        QTRY_VERIFY_WITH_TIMEOUT(queue->isEnabled(), kTimeoutMs);
        int wrong = 0;
        for (int row = 0; row < 8; ++row) {
            QTreeWidgetItem& item = *table->topLevelItem(row);
            const bool isWrong = item.text(0).contains("heads=5");
            wrong += isWrong ? 1 : 0;
            QCOMPARE(item.checkState(0), isWrong ? Qt::Unchecked : Qt::Checked);
            QCOMPARE(item.text(table->columnCount() - 1).isEmpty(), !isWrong);
        }
        QCOMPARE(wrong, 4);
        const auto right = table->findItems("heads=4", Qt::MatchContains);
        QCOMPARE(right.size(), 4);
        right.first()->setCheckState(0, Qt::Unchecked);
        queue->click();
        QTRY_COMPARE_WITH_TIMEOUT(queued.size(), 3, kTimeoutMs);
        QTRY_VERIFY(!start->isVisible());
        QStringList made;
        for (const QString& id : queued) {
            const auto experiment = contract::experimentOf(contract::RunFolder(m_home->home().runs() / id.toStdString()), 1);
            QCOMPARE(experiment.integer("model.heads"), std::int64_t(4));
            made << QStringLiteral("%1 %2").arg(experiment.real("optim.lr")).arg(experiment.integer("run.seed"));
        }
        QCOMPARE(made.size(), 3);
        QCOMPARE(QSet<QString>(made.begin(), made.end()).size(), 3);
    }
};

ATELIER_UI_TEST_MAIN(SweepTest)
#include "tst_sweep.moc"
