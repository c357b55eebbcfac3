// Hosts whose clocks differ by minutes: the window shows logs and events in the order in which they were written, and one cursor for all.
#include "tests/support/skewed_run.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/inspector/events_model.h"
#include "ui/logs/logs_dock.h"
#include "ui/logs/log_view.h"

#include <QSignalSpy>
#include <QTest>

using ui_test::OpenWindow;

class WindowClocksTest : public QObject {
    Q_OBJECT

    static QString lines(ui::LogModel& model)
    {
        QStringList all;
        for (qsizetype row = 0; row < model.count(); ++row) {
            if (!QTest::qWaitFor([&] { return model.line(row) != nullptr; }, 20'000))
                return QStringLiteral("line %1 never came").arg(row);
            all << model.line(row)->text.section(QStringLiteral(" line "), 1);
        }
        return all.join(QLatin1Char(' '));
    }

private Q_SLOTS:
    void M13_logsAndEventsAreInTheTrueOrder_data()
    {
        QTest::addColumn<tests::Zones>("zones");
        QTest::newRow("M13 without zones") << tests::Zones::NotWritten;
        QTest::newRow("M13 with zones") << tests::Zones::Three;
    }
    void M13_logsAndEventsAreInTheTrueOrder()
    {
        QFETCH(tests::Zones, zones);
        const ui_test::TestHome home;
        const auto run = tests::writeSkewedRun(home.home().runs() / "skewed-20261121-100000-aaaa", 20, zones);
        home.ingest();
        OpenWindow window(home.home());
        const QString id = QString::fromStdString(run.id());
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(id), ui_test::kTimeoutMs);
        window.bench().selection.setInspected(id);
        auto* dock = window->findChild<ui::LogsDock*>();
        QVERIFY(dock);
        QTRY_COMPARE(dock->model().count(), 60);
        QTRY_VERIFY(!dock->model().isScanning());
        QCOMPARE(lines(dock->model()), tests::trueOrder(20));
        QCOMPARE(dock->model().clockOf(1).aheadMs() / 1000, 600);
        // In the time of whoever looks at it, and found by that.
        const QString first = tests::logTimeOf(0, tests::kSkewedStart + 1000, tests::Zones::NotWritten);
        QCOMPARE(dock->model().line(0)->text, first + " [info] [rank 0] line 1.0");
        dock->model().setFilter({.text = first});
        QTRY_COMPARE(dock->model().count(), 1);
        dock->model().setFilter({});
        QTRY_COMPARE(dock->model().count(), 60);
        QTRY_VERIFY(!dock->model().isScanning());

        // The cursor at rank 0's step 7 finds the line that was written then; a line of rank 2 leads to the moment in which it was written.
        dock->showTime(static_cast<double>(tests::kSkewedStart + 7050) / 1000);
        QTRY_COMPARE(dock->view().currentRow(), 20);  // the last of step 7
        QSignalSpy chosen(dock, &ui::LogsDock::timeChosen);
        Q_EMIT dock->view().rowChosen(20);
        QCOMPARE(chosen.size(), 1);
        QVERIFY(std::abs(chosen[0][0].toDouble() - static_cast<double>(tests::kSkewedStart + 7400) / 1000) < 0.5);

        auto* events = window->findChild<ui::EventsModel*>();
        QVERIFY(events);
        QTRY_COMPARE(events->rowCount(), 60);
        QStringList messages;
        for (int row = 0; row < events->rowCount(); ++row)
            messages << events->index(row, ui::EventsModel::Message).data().toString().section(' ', 1);
        QCOMPARE(messages.join(' '), tests::trueOrder(20));
    }
};

ATELIER_UI_TEST_MAIN(WindowClocksTest)
#include "tst_window_clocks.moc"
