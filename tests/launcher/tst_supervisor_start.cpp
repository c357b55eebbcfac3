// Starting a supervisor: the properties of its process, and the reasons why a start fails.
#include "engine/contract/run/start_lock.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/home/trash.h"
#include "launcher/runs/launch.h"
#include "launcher/supervisor/control_client.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"
#include "tests/launcher/worker_without.h"

#include <QtTest>

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

using launcher::ControlCommand;
using launcher::RunState;

/// A full file system in place of @p folder, in this thread's own view of the file systems.
class FullDisk {
public:
    explicit FullDisk(const std::filesystem::path& folder)
        : m_folder(folder)
    {
        m_isMounted = ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
            && ::mount("full", m_folder.c_str(), "tmpfs", 0, "size=4k") == 0;
        if (m_isMounted)
            std::ofstream(m_folder / "filler") << std::string(4096, 'x');
    }
    ~FullDisk()
    {
        if (m_isMounted)
            ::umount2(m_folder.c_str(), MNT_DETACH);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

    bool isMounted() const { return m_isMounted; }

private:
    std::filesystem::path m_folder;
    bool m_isMounted = false;
};

class SupervisorStartTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m06_theSupervisorHasItsOwnSession()
    {
        TestHome test;
        const auto folder = test.startedRun();
        const pid_t supervisor = TestHome::supervisors(folder).front();
        QVERIFY(::getsid(supervisor) != ::getsid(0));
        QVERIFY(::getpgid(TestHome::rank(folder, 1)) != ::getpgid(0));
        std::ifstream status("/proc/" + std::to_string(supervisor) + "/stat");
        std::string id, name, state, parent;
        status >> id >> name >> state >> parent;
        QVERIFY2(parent != std::to_string(::getpid()), "it would become our zombie");
    }

    void aSecondSupervisorOfTheSameRunIsRefused()
    {
        TestHome test;
        const auto folder = test.startedRun();
        try {
            launcher::startSupervisor(folder);
            QFAIL("started twice");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QLatin1String("already has a supervisor, process")),
                error.what());
        }
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        // The second supervisor has reported why it cannot start; its process may still be exiting.
        QTRY_COMPARE(TestHome::supervisors(folder).size(), std::size_t {1});
        QVERIFY_THROWS_EXCEPTION(
            std::runtime_error, launcher::prepareResume(folder, std::nullopt, std::nullopt));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::moveToTrash(test.home(), folder));
    }

    void aMissingWorkerIsNamedAndTheRunHasFailed()
    {
        TestHome test;
        qputenv("ATELIER_WORKER", "/nowhere/atelier-worker");
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        try {
            launcher::startSupervisor(folder);
            QFAIL("started without a worker");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QLatin1String("/nowhere/atelier-worker is missing")),
                error.what());
        }
        QTRY_COMPARE(stateOf(folder), RunState::Failed);
        QVERIFY(causeOf(folder).contains(QLatin1String("/nowhere/atelier-worker is missing")));
    }

    void aWorkerWithoutLibTorchIsNotStarted()
    {
        TestHome test;
        qputenv("ATELIER_WORKER", workerWithout(test.path(), "libtorch_x.so1").c_str());
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::startSupervisor(folder));
        QTRY_COMPARE(stateOf(folder), RunState::Failed);
        QVERIFY2(causeOf(folder).contains(QLatin1String("sudo atelier-setup")), qPrintable(causeOf(folder)));
        QVERIFY(!std::filesystem::exists(folder.log(0)));
    }

    /// What lies in a run folder under the name of the supervisor's reserve may lead anywhere.
    void defect22_theReserveIsNoLink_data()
    {
        QTest::addColumn<bool>("isPipe");
        QTest::newRow("defect-22: a link to another file") << false;
        QTest::newRow("defect-22: a pipe") << true;
    }
    void defect22_theReserveIsNoLink()
    {
        QFETCH(bool, isPipe);
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        const auto target = test.path() / "precious";
        const auto reserve = folder.root() / "supervisor.reserve";
        std::ofstream(target) << "precious";
        if (isPipe)
            QCOMPARE(::mkfifo(reserve.c_str(), 0600), 0);
        else
            std::filesystem::create_symlink(target, reserve);
        launcher::startSupervisor(folder);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QCOMPARE(std::filesystem::file_size(target), std::uintmax_t {8});
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Stop).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QCOMPARE(std::filesystem::file_size(target), std::uintmax_t {8});
    }

    void aSupervisorThatEndsAtOnceIsReportedWithItsLastLine()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        const auto script = test.path() / "broken";
        std::ofstream(script) << "#!/bin/sh\necho 'error: libQt6Core.so.6 is missing' >&2\nexit 1\n";
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
        qputenv("ATELIER_PROGRAM", script.c_str());
        try {
            launcher::startSupervisor(folder);
            QFAIL("started");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).endsWith(
                         QLatin1String("ended at once: error: libQt6Core.so.6 is missing")),
                error.what());
        }
    }

    void aResumedRunGoesOnFromItsCheckpointAndIgnoresOldCommands()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Stop).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        const auto step = folder.checkpointSteps().back();

        QCOMPARE(launcher::prepareResume(folder, std::nullopt, std::nullopt).attempt, 2);
        QCOMPARE(folder.readStart(2).parentStep, step);
        QCOMPARE(folder.readStart(2).parentCheckpoint, "checkpoints/step-" + std::to_string(step));
        QVERIFY(folder.readStart(2).controlOffset > 0);
        QCOMPARE(stateOf(folder), RunState::Prepared);
        launcher::startSupervisor(folder);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QCOMPARE(launcher::inspectRun(folder).attempt, 2);
        QTRY_VERIFY(launcher::inspectRun(folder).step > step + 3);
    }

    /// `atelier stop RUN && atelier resume RUN`, while the supervisor has written its last word and is not quite gone.
    void aResumeWaitsForASupervisorThatIsAboutToEnd()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        contract::SupervisorLock lock(folder);
        QCOMPARE(lock.take(), std::string());
        std::jthread supervisor([&] {
            while (!contract::isBeingStarted(folder))
                std::this_thread::yield();
            lock.release();
        });
        try {
            QCOMPARE(launcher::prepareResume(folder, std::nullopt, std::nullopt).attempt, 1);  // which had not begun
        } catch (const std::runtime_error& error) {
            QFAIL(error.what());
        }
    }

    void aFullDiskAtTheStartIsSaid()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        const FullDisk disk(folder.journals());
        if (!disk.isMounted())
            QSKIP("this user may not mount a file system");
        try {
            launcher::startSupervisor(folder);
            QFAIL("started on a full disk");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QLatin1String("No space left on device; free some")),
                error.what());
        }
        QVERIFY(TestHome::ranks(folder).empty());
    }
};

QTEST_GUILESS_MAIN(SupervisorStartTest)
#include "tst_supervisor_start.moc"
