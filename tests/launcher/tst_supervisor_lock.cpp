#include "launcher/launch.h"
#include "launcher/supervisor_lock.h"
#include "tests/launcher/test_home.h"

#include <QtTest>

#include <atomic>
#include <future>
#include <vector>

class SupervisorLockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoLocksOfOneRunExcludeEachOther()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        launcher::SupervisorLock lock(folder);
        QCOMPARE(lock.take(), std::string());
        launcher::SupervisorLock other(folder);
        QVERIFY(!other.take().empty());
        QVERIFY(launcher::isLocked(folder));
        lock.release();
        QVERIFY(!launcher::isLocked(folder));
        QCOMPARE(other.take(), std::string());
    }

    void whoWaitsForTheSupervisorReturnsWithItsLockAndDisturbsNoNextOne()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        launcher::waitForSupervisor(folder);
        launcher::SupervisorLock lock(folder);
        QCOMPARE(lock.take(), std::string());
        std::atomic<int> releases = 0;
        std::vector<std::future<bool>> waiters;
        for (int i = 0; i < 4; ++i)
            waiters.push_back(std::async(std::launch::async, [&] {
                launcher::waitForSupervisor(folder);
                return releases > 0;
            }));
        for (int i = 0; i < 100; ++i) {
            ++releases;
            lock.release();
            QCOMPARE(lock.take(), std::string());
        }
        lock.release();
        for (auto& waiter : waiters)
            QVERIFY(waiter.get());
    }
};

QTEST_GUILESS_MAIN(SupervisorLockTest)
#include "tst_supervisor_lock.moc"
