// Sleep is inhibited while ranks run: a real supervisor on a real bus, with a service in place of systemd-logind.
#include "engine/contract/run/journal.h"
#include "launcher/runs/launch.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QDBusConnection>
#include <QDBusContext>
#include <QDBusUnixFileDescriptor>
#include <QProcess>
#include <QStandardPaths>
#include <QtTest>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <memory>

using launcher::RunState;

/// Gives out locks as systemd-logind does: the write ends of pipes, whose other ends it watches.
class Login : public QObject, protected QDBusContext {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.login1.Manager")
public:
    std::vector<QStringList> asked;
    bool refuses = false;
    ~Login() override
    {
        for (const int each : m_watched)
            ::close(each);
    }

    /// How many locks are held by somebody.
    int held() const
    {
        int count = 0;
        for (const int each : m_watched) {
            pollfd state {each, POLLIN, 0};
            ::poll(&state, 1, 0);
            count += (state.revents & POLLHUP) == 0;
        }
        return count;
    }

public Q_SLOTS:
    QDBusUnixFileDescriptor Inhibit(const QString& what, const QString& who, const QString& why, const QString& mode)
    {
        asked.push_back({what, who, why, mode});
        if (refuses) {
            sendErrorReply(QDBusError::AccessDenied, QStringLiteral("Permission denied"));
            return {};
        }
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            qFatal("no pipe");
        m_watched.push_back(ends[0]);
        QDBusUnixFileDescriptor lock(ends[1]);
        ::close(ends[1]);
        return lock;
    }

private:
    std::vector<int> m_watched;
};

class SleepLockTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QProcess m_bus;
    std::unique_ptr<Login> m_login;
    std::unique_ptr<TestHome> m_home;

private Q_SLOTS:
    void initTestCase()
    {
        const QString daemon = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
        if (daemon.isEmpty())
            QSKIP("dbus-daemon is not installed");
        const QString file = m_folder.filePath("bus.conf"), address = "unix:path=" + m_folder.filePath("bus");
        std::ofstream(file.toStdString()) << "<busconfig><type>system</type><listen>" << address.toStdString()
                                          << "</listen><auth>EXTERNAL</auth><policy context=\"default\"><allow user=\"*\"/><allow own=\"*\"/>"
                                             "<allow send_type=\"method_call\"/><allow send_destination=\"*\"/><allow receive_sender=\"*\"/></policy></busconfig>";
        m_bus.start(daemon, {"--nofork", "--print-address", "--config-file=" + file});
        QVERIFY(m_bus.waitForStarted());
        QVERIFY2(m_bus.waitForReadyRead(), m_bus.readAllStandardError());
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", address.toUtf8());
        QVERIFY(QDBusConnection::systemBus().isConnected());
        QVERIFY(QDBusConnection::systemBus().registerService("org.freedesktop.login1"));
    }
    void cleanupTestCase()
    {
        m_bus.kill();
        m_bus.waitForFinished();
    }
    void init()
    {
        m_home = std::make_unique<TestHome>();
        m_login = std::make_unique<Login>();
        QVERIFY(QDBusConnection::systemBus().registerObject("/org/freedesktop/login1", m_login.get(), QDBusConnection::ExportAllSlots));
    }
    void cleanup()
    {
        QDBusConnection::systemBus().unregisterObject("/org/freedesktop/login1");
        m_home.reset();
        m_login.reset();
    }

    void theMachineStaysAwakeWhileRanksRun()
    {
        auto experiment = m_home->experiment();
        QVERIFY(!experiment.set("run.total_steps", std::int64_t {40}));
        const contract::RunFolder run = launcher::createRun(m_home->home(), experiment).folder;
        launcher::startSupervisor(run);
        QTRY_COMPARE(m_login->held(), 1);
        QCOMPARE(m_login->asked, std::vector<QStringList>({{"sleep", "Atelier", "Run test is training", "block"}}));
        // The ranks do not hold it.
        QVERIFY(stateOf(run) == RunState::Starting || stateOf(run) == RunState::Running);
        QTRY_COMPARE(m_login->held(), 0);
        QTRY_COMPARE(stateOf(run), RunState::Finished);
    }

    void aKilledSupervisorHoldsNothing()
    {
        const contract::RunFolder run = m_home->startedRun();
        QTRY_COMPARE(m_login->held(), 1);
        QCOMPARE(TestHome::supervisors(run).size(), std::size_t(1));
        ::kill(TestHome::supervisors(run).front(), SIGKILL);
        QTRY_COMPARE(m_login->held(), 0);
    }

    /// In the pause before a restart, too.
    void theMachineStaysAwakeBetweenRestarts()
    {
        auto experiment = m_home->experiment();
        QVERIFY(!experiment.set("launch.restarts", std::int64_t {3}));
        const contract::RunFolder run = launcher::createRun(m_home->home(), experiment).folder;
        launcher::startSupervisor(run);
        QTRY_COMPARE(m_login->held(), 1);
        QTRY_COMPARE(stateOf(run), RunState::Running);
        ::kill(TestHome::rank(run, 1), SIGKILL);
        QTRY_COMPARE(run.attempts().size(), std::size_t(2));
        QTRY_COMPARE(stateOf(run), RunState::Running);
        QCOMPARE(m_login->held(), 1);
        QCOMPARE(m_login->asked.size(), std::size_t(1));
    }

    void aRefusalIsNoFailure()
    {
        m_login->refuses = true;
        const contract::RunFolder run = m_home->startedRun();
        QTRY_COMPARE(m_login->asked.size(), std::size_t(1));
        QTRY_COMPARE(stateOf(run), RunState::Running);
        QTRY_VERIFY([&] {
            std::ifstream log(run.log(contract::kSupervisorRank));
            const std::string text((std::istreambuf_iterator<char>(log)), {});
            return text.find("the machine may go to sleep meanwhile: Permission denied") != std::string::npos;
        }());
    }
};

QTEST_GUILESS_MAIN(SleepLockTest)
#include "tst_sleep_lock.moc"
