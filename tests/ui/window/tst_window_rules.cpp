// N7: rules are tried in the window, and the desktop is told when one fires.
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/notify/run_alerts.h"
#include "ui/rules_dialog.h"

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

using launcher::RunState;
using ui_test::OpenWindow;

class WindowRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("ATELIER_WORKER", FAKE_WORKER); }

    void N7_rulesAreTriedOnARun()
    {
        const ui_test::TestHome home;
        const auto run = home.writeRun("digits-20261121-100000-aaaa", 60, "finished");  // its gradient norm is 1 / step
        home.ingest();
        OpenWindow window(home.home());
        const QString id = QString::fromStdString(run.id());
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(id), ui_test::kTimeoutMs);
        window.bench().selection.setInspected(id);
        QTRY_VERIFY(window.action("run.rules")->isEnabled());
        window.action("run.rules")->trigger();
        QTRY_VERIFY(window->findChild<ui::RulesDialog*>());
        auto* dialog = window->findChild<ui::RulesDialog*>();
        auto* rules = dialog->findChild<QLineEdit*>();
        auto* problem = dialog->findChild<QLabel*>("problem");
        const auto shown = [dialog](int rule) {
            const QTreeWidgetItem* const item = dialog->firings().topLevelItem(rule);
            return item ? item->text(0) : QString();  // they are found out in the background
        };
        rules->setText("grad_norm < 0.1: stop | loss > 99: stop");
        QTRY_COMPARE(shown(0), QString("grad_norm < 0.1: stop — once"));
        QCOMPARE(dialog->firings().topLevelItem(0)->child(0)->text(0), QString("step 11"));
        QCOMPARE(shown(1), QString("loss > 99: stop — never"));
        rules->setText("grad_norm < 0.1");
        QTRY_VERIFY(problem->isVisible());
        QVERIFY(problem->text().contains("names no action"));
        QCOMPARE(dialog->firings().topLevelItemCount(), 2);  // until the rules can be read again
        rules->setText("other > 1: stop");
        QTRY_COMPARE(shown(0), QString("other > 1: stop — other was not recorded"));
        QVERIFY(!problem->isVisible());
        dialog->close();
    }

    /// Without rules of one's own.
    void E9_aLossThatIsNotFiniteIsTold()
    {
        qputenv("FAKE_DO", "diverge");
        const auto unset = qScopeGuard([] { qunsetenv("FAKE_DO"); });
        const ui_test::TestHome home;
        OpenWindow window(home.home());
        ui::RunAlerts alerts(window.bench().runs);
        QStringList texts;
        connect(&alerts, &ui::RunAlerts::raised, this, [&](const ui::Alert& alert) { texts << alert.title + ": " + alert.text; });
        const QString id = window.start(ui_test::plainExperiment(100'000'000));
        QTRY_VERIFY_WITH_TIMEOUT(!texts.isEmpty(), ui_test::kTimeoutMs);
        QVERIFY2(texts.front().startsWith("A rule of ") && texts.front().contains("loss is not finite: notify"), qPrintable(texts.front()));
        QCOMPARE(window.stateOf(id), std::optional(RunState::Running));  // it goes on, as training may
        QVERIFY(ui_test::endRuns(home.home()));
    }

    void N7_aRuleThatFiresIsToldAndStopsTheRun()
    {
        const ui_test::TestHome home;
        OpenWindow window(home.home());
        ui::RunAlerts alerts(window.bench().runs);
        QStringList titles, texts;
        connect(&alerts, &ui::RunAlerts::raised, this, [&](const ui::Alert& alert) {
            titles << alert.title;
            texts << alert.text;
        });
        contract::Experiment experiment = ui_test::plainExperiment(2000);
        experiment.setText("run.rules", "loss < 0.02: stop");  // after a second; the fake's loss is 1 / step
        const QString id = window.start(experiment);
        QVERIFY(!id.isEmpty() && window.becomes(id, RunState::Stopped));
        QTRY_COMPARE(titles.filter("A rule of").size(), 1);
        QVERIFY2(texts.join('|').contains("loss < 0.02: stop (loss is 0.01"), qPrintable(texts.join('|')));
    }
};

ATELIER_UI_TEST_MAIN(WindowRulesTest)
#include "tst_window_rules.moc"
