// E9: a web address is told how runs end. The server, the supervisors and their POSTs are real.
#include "launcher/runs/launch.h"
#include "launcher/supervisor/webhook.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"
#include "tests/support/notice_server.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <sys/stat.h>

#include <signal.h>

using launcher::RunState;

namespace {

QString sent(const std::string& url)
{
    launcher::WebhookSender sender;
    QString problem = QStringLiteral("no answer");
    bool isAnswered = false;
    sender.send(url, {.run = "digits-1", .name = "digits", .state = "failed", .cause = "Rank 1 was killed", .step = 41}, [&](const std::string& said) {
        problem = QString::fromStdString(said);
        isAnswered = true;
    });
    return QTest::qWaitFor([&] { return isAnswered; }, 20'000) ? problem : QStringLiteral("no answer");
}

}  // namespace

class WebhookTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E9_aDocumentForChatsAndPrograms()
    {
        tests::NoticeServer server;
        QCOMPARE(sent(server.url()), QString());
        QCOMPARE(server.documents.size(), 1);
        const QJsonObject document = server.documents.front();
        QVERIFY(document["text"].toString().startsWith("digits has failed at step 41: Rank 1 was killed"));
        QCOMPARE(document["content"], document["text"]);
        QCOMPARE(document["run"].toString(), QStringLiteral("digits-1"));
        QCOMPARE(document["step"].toInt(), 41);
    }

    void E9_whatIsRefusedIsSaidWithoutTheAddress_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QString>("said");
        QTest::newRow("status 403") << QByteArray("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") << "127.0.0.1 answered the notice with status 403";
        QTest::newRow("elsewhere") << QByteArray("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n") << "127.0.0.1 answered the notice with status 302";
        QTest::newRow("nothing") << QByteArray() << "127.0.0.1 did not answer the notice within ten seconds";
        QTest::newRow("no HTTP") << QByteArray("hello\r\n\r\n") << "the notice could not be sent to 127.0.0.1";
    }
    void E9_whatIsRefusedIsSaidWithoutTheAddress()
    {
        QFETCH(QByteArray, answer);
        QFETCH(QString, said);
        tests::NoticeServer server(answer);
        const QString problem = sent(server.url());
        QVERIFY2(problem.startsWith(said) && !problem.contains("secret"), qPrintable(problem));
    }

    void E9_aClosedPortIsSaidInWords()
    {
        QCOMPARE(sent("http://127.0.0.1:1/secret"), QStringLiteral("the notice could not be sent to 127.0.0.1: the connection was refused"));
    }

    void E9_theAddressIsKeptForTheUserAlone()
    {
        TestHome test;
        QCOMPARE(launcher::webhook(test.home()), std::string());
        launcher::setWebhook(test.home(), "https://example.org/x?y=1");
        QCOMPARE(launcher::webhook(test.home()), std::string("https://example.org/x?y=1"));
        struct stat facts {};
        QCOMPARE(::stat((test.home().config / "webhook").c_str(), &facts), 0);
        QCOMPARE(int(facts.st_mode & 0777), 0600);
        for (const char* wrong : {"example.org", "ftp://example.org", "https://", "https://a\nb", "file:///etc/passwd"})
            QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::setWebhook(test.home(), wrong));
        QCOMPARE(launcher::webhook(test.home()), std::string("https://example.org/x?y=1"));
        launcher::setWebhook(test.home(), {});
        QCOMPARE(launcher::webhook(test.home()), std::string());
    }

    void E9_supervisorsTellHowRunsEnd()
    {
        TestHome test;
        tests::NoticeServer server;
        launcher::setWebhook(test.home(), server.url());
        auto experiment = test.experiment();
        experiment.set("run.total_steps", std::int64_t {8});
        experiment.set("run.name", std::string("short"));
        const auto finished = launcher::createRun(test.home(), experiment).folder;
        launcher::startSupervisor(finished);
        QTRY_COMPARE(server.documents.size(), 1);
        QCOMPARE(server.documents[0]["state"].toString(), QStringLiteral("finished"));
        QCOMPARE(server.documents[0]["name"].toString(), QStringLiteral("short"));
        QCOMPARE(server.documents[0]["step"].toInt(), 8);
        QTRY_VERIFY(TestHome::supervisors(finished).empty());

        const auto failed = test.startedRun();
        QTRY_COMPARE(stateOf(failed), RunState::Running);
        ::kill(TestHome::rank(failed, 1), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(server.documents.size(), 2, 10'000);
        QCOMPARE(server.documents[1]["run"].toString().toStdString(), failed.id());
        QVERIFY(server.documents[1]["cause"].toString().startsWith("Rank 1 was killed (signal 9) after step "));
    }

    /// The run is over for everybody else while the supervisor waits for an answer.
    void E9_anAddressThatDoesNotAnswerKeepsNobodyWaiting()
    {
        TestHome test;
        tests::NoticeServer server {QByteArray()};
        launcher::setWebhook(test.home(), server.url());
        auto experiment = test.experiment();
        experiment.set("run.total_steps", std::int64_t {8});
        const auto folder = launcher::createRun(test.home(), experiment).folder;
        launcher::startSupervisor(folder);
        QTRY_COMPARE(server.documents.size(), 1);
        QVERIFY(!TestHome::supervisors(folder).empty());
        QCOMPARE(stateOf(folder), RunState::Finished);
        QTRY_VERIFY_WITH_TIMEOUT(TestHome::supervisors(folder).empty(), 20'000);
    }
};

QTEST_GUILESS_MAIN(WebhookTest)
#include "tst_webhook.moc"
