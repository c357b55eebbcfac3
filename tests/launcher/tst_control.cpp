#include "launcher/supervisor/control_client.h"
#include "launcher/supervisor/control_message.h"
#include "launcher/supervisor/control_server.h"
#include "tests/launcher/test_home.h"

#include <QLocalSocket>
#include <QThread>
#include <QtTest>

#include <memory>
#include <thread>

namespace fs = std::filesystem;
using launcher::ControlCommand;
using launcher::ControlReply;

class ControlTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_test.emplace();
        m_asked.clear();
        m_server = std::make_unique<launcher::ControlServer>([this](ControlCommand command) {
            m_asked.push_back(command);
            return command == ControlCommand::Sample ? std::string("no sampler here") : std::string();
        });
        QCOMPARE(m_server->listen(socketPath()), std::string());
    }
    void cleanup()
    {
        m_server.reset();
        m_test.reset();
    }

    void everyCommandArrivesAsItself()
    {
        const std::vector<ControlCommand> all = {ControlCommand::Stop, ControlCommand::StopNow,
            ControlCommand::Kill, ControlCommand::Checkpoint, ControlCommand::Ping};
        for (const auto command : all) {
            const ControlReply reply = ask(command);
            QVERIFY2(reply.isAccepted, reply.error.c_str());
        }
        QCOMPARE(m_asked, all);
        const ControlReply refused = ask(ControlCommand::Sample);
        QVERIFY(!refused.isAccepted);
        QCOMPARE(refused.error, std::string("no sampler here"));
    }

    void theBlockingCallAsks()
    {
        ControlReply reply;
        std::unique_ptr<QThread> thread(QThread::create(
            [&] { reply = launcher::sendCommand(m_test->home(), run(), ControlCommand::Ping); }));
        thread->start();
        QTRY_VERIFY(thread->isFinished());
        QVERIFY2(reply.isAccepted, reply.error.c_str());
    }

    void anAnswerForAContextThatIsGoneIsDropped()
    {
        bool isCalled = false;
        auto context = std::make_unique<QObject>();
        launcher::sendCommandAsync(m_test->home(), run(), ControlCommand::Ping, context.get(),
            [&](const ControlReply&) { isCalled = true; });
        context.reset();
        QVERIFY(ask(ControlCommand::Ping).isAccepted);
        QVERIFY(!isCalled);
    }

    void nobodyThereIsSaidWithTheRunsName()
    {
        m_server.reset();
        for (const ControlReply& reply :
            {ask(ControlCommand::Stop), launcher::sendCommand(m_test->home(), run(), ControlCommand::Stop)}) {
            QVERIFY(!reply.isAccepted);
            QVERIFY(QString::fromStdString(reply.error).contains(QLatin1String("run one")));
        }
    }

    void hostileInputGetsAnErrorReply_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("no JSON") << QByteArray("stop");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("an array") << QByteArray("[1,2]");
        QTest::newRow("unknown command") << QByteArray(R"({"v":1,"id":3,"cmd":"format"})");
        QTest::newRow("command of another type") << QByteArray(R"({"v":1,"id":3,"cmd":7})");
        QTest::newRow("newer version") << QByteArray(R"({"v":2,"id":3,"cmd":"stop"})");
        QTest::newRow("no version") << QByteArray(R"({"cmd":"stop"})");
        QTest::newRow("id of another type") << QByteArray(R"({"v":1,"id":{},"cmd":"format"})");
        QTest::newRow("no UTF-8") << QByteArray("{\"v\":1,\"cmd\":\"\xff\xfe\"}");
        QTest::newRow("deeply nested") << QByteArray(3000, '[');
        QTest::newRow("zero bytes") << QByteArray(100, '\0');
    }
    void hostileInputGetsAnErrorReply()
    {
        QFETCH(QByteArray, line);
        QLocalSocket socket;
        socket.connectToServer(QString::fromStdString(socketPath().string()));
        socket.write(line + '\n');
        QTRY_VERIFY(socket.canReadLine());
        const ControlReply reply = launcher::parseReply(socket.readLine().toStdString());
        QVERIFY(!reply.isAccepted);
        QVERIFY(!reply.error.empty());
        QVERIFY(m_asked.empty());
        socket.write(QByteArray::fromStdString(launcher::requestLine(ControlCommand::Ping)));
        QTRY_VERIFY(socket.canReadLine());
        QVERIFY(launcher::parseReply(socket.readLine().toStdString()).isAccepted);
    }

    void aLineWithoutEndClosesTheConnection()
    {
        QLocalSocket socket;
        socket.connectToServer(QString::fromStdString(socketPath().string()));
        socket.write(QByteArray(1 << 20, 'x'));
        QTRY_COMPARE(socket.state(), QLocalSocket::UnconnectedState);
        QVERIFY(ask(ControlCommand::Ping).isAccepted);
    }

    void manyClientsThatSayNothingDoNotShutOthersOut()
    {
        std::vector<std::unique_ptr<QLocalSocket>> idle;
        for (int i = 0; i < 40; ++i) {
            idle.push_back(std::make_unique<QLocalSocket>());
            idle.back()->connectToServer(QString::fromStdString(socketPath().string()));
        }
        QVERIFY(ask(ControlCommand::Ping).isAccepted);
    }

    void aSocketThatADeadSupervisorLeftIsReplaced()
    {
        m_server->close();
        m_server = std::make_unique<launcher::ControlServer>([](ControlCommand) { return std::string(); });
        {
            QLocalServer dead;
            QVERIFY(dead.listen(QString::fromStdString(socketPath().string())));
            fs::create_hard_link(socketPath(), socketPath().string() + "x");
        }
        fs::rename(socketPath().string() + "x", socketPath());
        QCOMPARE(m_server->listen(socketPath()), std::string());
        QVERIFY(ask(ControlCommand::Ping).isAccepted);
    }

    void onlyItsUserMayUseTheSocket()
    {
        const auto others = fs::perms::group_all | fs::perms::others_all;
        QCOMPARE(fs::status(socketPath()).permissions() & others, fs::perms::none);
    }

private:
    contract::RunFolder run() const { return contract::RunFolder(m_test->home().runs() / "one"); }
    fs::path socketPath() const { return launcher::supervisorSocket(m_test->home(), run().root()); }

    /// The server runs on this thread, so only the asynchronous call, which returns to the event loop, can reach it.
    ControlReply ask(ControlCommand command) const
    {
        std::optional<ControlReply> answer;
        QObject context;
        launcher::sendCommandAsync(m_test->home(), run(), command, &context,
            [&](const ControlReply& reply) { answer = reply; });
        [&] { QTRY_VERIFY(answer.has_value()); }();
        return answer.value_or(ControlReply {false, "no answer"});
    }

    std::optional<TestHome> m_test;
    std::unique_ptr<launcher::ControlServer> m_server;
    std::vector<ControlCommand> m_asked;
};

QTEST_GUILESS_MAIN(ControlTest)
#include "tst_control.moc"
