#include "tests/ui/support/ui_test_main.h"

#include <QSignalSpy>
#include <QTimer>

#include <ctime>
#include <thread>

using namespace std::chrono_literals;

class WatchdogTest : public QObject {
    Q_OBJECT

private:
    static ui::WatchedApplication& application()
    {
        return *static_cast<ui::WatchedApplication*>(QCoreApplication::instance());
    }
    static std::chrono::nanoseconds processorTime()
    {
        timespec now {};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    }

private Q_SLOTS:
    void init()
    {
        application().takeLongest();
        application().setLimit(16ms);
    }
    void cleanup() { application().setLimit(0ms); }

    void m17_aBusyTurnIsReported()
    {
        QSignalSpy spy(&application(), &ui::WatchedApplication::turnTookLong);
        bool isDone = false;
        QTimer::singleShot(0, this, [&] {
            const auto start = processorTime();
            while (processorTime() - start < 30ms) { }
            isDone = true;
        });
        QTRY_VERIFY(isDone);
        QCOMPARE(spy.count(), 1);
        QVERIFY(application().takeLongest().busy >= 30ms);
    }

    /// A turn that waits for a disk or another thread is reported too, since the window does not respond meanwhile.
    void m17_aBlockedTurnIsReported()
    {
        QSignalSpy spy(&application(), &ui::WatchedApplication::turnTookLong);
        bool isDone = false;
        QTimer::singleShot(0, this, [&] {
            std::thread([] { std::this_thread::sleep_for(30ms); }).join();
            isDone = true;
        });
        QTRY_VERIFY(isDone);
        QCOMPARE(spy.count(), 1);
    }

    void m17_shortTurnsAreNot()
    {
        QSignalSpy spy(&application(), &ui::WatchedApplication::turnTookLong);
        int turns = 0;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, [&] { ++turns; });
        timer.start(0);
        QTRY_VERIFY(turns > 100);
        QCOMPARE(spy.count(), 0);
    }
};

ATELIER_UI_TEST_MAIN(WatchdogTest)
#include "tst_watchdog.moc"
