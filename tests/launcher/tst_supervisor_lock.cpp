#include "engine/contract/run/journal.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/runs/launch.h"
#include "tests/launcher/test_home.h"

#include <QtTest>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

class SupervisorLockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoLocksOfOneRunExcludeEachOther()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        contract::SupervisorLock lock(folder);
        QCOMPARE(lock.take(), std::string());
        contract::SupervisorLock other(folder);
        QVERIFY(!other.take().empty());
        QVERIFY(contract::isLocked(folder));
        lock.release();
        QVERIFY(!contract::isLocked(folder));
        QCOMPARE(other.take(), std::string());
    }

    void aLinkInPlaceOfTheLockIsRefused_defect_22()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        const std::filesystem::path other = test.path() / "other";
        std::ofstream(other) << "mine";
        std::filesystem::remove(folder.supervisorLock());
        std::filesystem::create_symlink(other, folder.supervisorLock());
        contract::SupervisorLock lock(folder);
        const QString problem = QString::fromStdString(lock.take());
        QVERIFY2(problem.contains(QLatin1String("cannot be locked: is a symbolic link")), qPrintable(problem));
        QVERIFY(!contract::lockOwner(folder));
        QCOMPARE(std::filesystem::file_size(other), std::uintmax_t {4});
    }

    void aCopyWithoutItsLockKnowsFromTheJournalsWhatHasStarted()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        std::filesystem::remove(folder.supervisorLock());
        QVERIFY(!contract::hasStarted(folder, 1));
        std::filesystem::create_directories(folder.journals());
        std::ofstream(folder.journal(0)) << "{\"v\":1,\"run\":\"r\",\"attempt\":1,\"rank\":0,\"host\":\"h\",\"t_unix_ms\":1}\n"
                                         << "{\"type\":\"event\",\"step\":1,\"t_ms\":1,\"message\":\"" << std::string(10'000, 'x') << "\"}\n";
        QVERIFY(contract::hasStarted(folder, 1));
        QVERIFY(!contract::hasStarted(folder, 2));
        std::ofstream(folder.journal(contract::kSupervisorRank)) << "{\"v\":1,\"run\":\"r\",\"attempt\":2,\"rank\":-1,\"host\":\"h\",\"t_unix_ms\":1}";
        QVERIFY(contract::hasStarted(folder, 2));  // also while the line has no end
        QVERIFY(!contract::hasStarted(folder, 3));
    }

    void whoWaitsForTheSupervisorReturnsWithItsLock()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        contract::waitForSupervisor(folder);
        contract::SupervisorLock lock(folder);
        QCOMPARE(lock.take(), std::string());
        std::atomic<bool> isReleased = false;
        std::vector<std::future<bool>> waiters;
        for (int i = 0; i < 4; ++i)
            waiters.push_back(std::async(std::launch::async, [&] {
                contract::waitForSupervisor(folder);
                return isReleased.load();
            }));
        isReleased = true;
        lock.release();
        for (auto& waiter : waiters)
            QVERIFY(waiter.get());
    }

    void whoHasJustWaitedDisturbsNoNextSupervisor()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        const std::string file = folder.supervisorLock().string();
        for (int i = 0; i < 50; ++i) {
            // The shared lock that a finished waitForByte() holds for a moment.
            const int waiter = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
            struct flock range {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1, .l_pid = 0};
            QCOMPARE(::fcntl(waiter, F_OFD_SETLK, &range), 0);
            QVERIFY(!contract::isLocked(folder));
            std::atomic<bool> isTaking = false;
            std::future<std::string> next = std::async(std::launch::async, [&] {
                contract::SupervisorLock lock(folder);
                isTaking = true;
                isTaking.notify_one();
                return lock.take();
            });
            isTaking.wait(false);
            std::this_thread::yield();
            ::close(waiter);
            QCOMPARE(next.get(), std::string());
        }
    }
};

QTEST_GUILESS_MAIN(SupervisorLockTest)
#include "tst_supervisor_lock.moc"
