// What `atelier mcp` (issue section 7) does with messages that are wrong or meant to harm.
#include "tests/app/mcp_client.h"

#include <QFile>
#include <QtTest>

using tests::AtelierProgram;
using tests::McpClient;
using tests::kDigits;

class McpInputTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

private Q_SLOTS:
    void initTestCase()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        m_atelier->addFinishedRun(kDigits, 3);
    }

    void wrongMessagesAreAnsweredWithAnError_data()
    {
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<int>("code");
        QTest::addColumn<QJsonValue>("id");
        const QJsonValue none(QJsonValue::Null);
        QTest::newRow("not JSON") << QByteArray("{\"jsonrpc\"") << -32700 << none;
        QTest::newRow("bytes") << QByteArray("\xff\xfe\x01") << -32700 << none;
        QTest::newRow("not UTF-8 in a text") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}") << -32700 << none;
        QTest::newRow("a number") << QByteArray("3") << -32600 << none;
        QTest::newRow("a batch outside the revision that has them") << QByteArray("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]") << -32600 << none;
        QTest::newRow("deep") << QByteArray(1'000'000, '[') << -32700 << none;
        QTest::newRow("deep and whole") << QByteArray(1'000'000, '[') + QByteArray(1'000'000, ']') << -32600 << none;
        QTest::newRow("too long") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + QByteArray(5'000'000, 'x') + "\"}") << -32600 << none;
        QTest::newRow("no version") << QByteArray("{\"id\":1,\"method\":\"ping\"}") << -32600 << QJsonValue(1);
        QTest::newRow("an older version") << QByteArray("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}") << -32600 << QJsonValue(1);
        QTest::newRow("id null") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}") << -32600 << none;
        QTest::newRow("id an object") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}") << -32600 << none;
        QTest::newRow("method a number") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}") << -32600 << QJsonValue(1);
        QTest::newRow("params a list") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}") << -32602 << QJsonValue(1);
        QTest::newRow("initialize without a revision") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}") << -32602 << QJsonValue(1);
    }
    void wrongMessagesAreAnsweredWithAnError()
    {
        QFETCH(QByteArray, message);
        QFETCH(int, code);
        QFETCH(QJsonValue, id);
        McpClient client(*m_atelier);
        client.write(message);
        const QJsonObject answer = client.read();
        QCOMPARE(answer["error"]["code"].toInt(), code);
        QCOMPARE(answer["id"], id);
        QVERIFY(!answer["error"]["message"].toString().isEmpty());
        QCOMPARE(client.ask("ping")["result"]["resultType"].toString(), QStringLiteral("complete"));  // it goes on
    }

    void whatNeedsNoAnswerGetsNone()
    {
        McpClient client(*m_atelier);
        client.write("");
        client.write("  \r");
        client.write(R"({"jsonrpc":"2.0","id":5,"result":{}})");
        client.notify("notifications/unheard-of", {});
        client.notify("notifications/cancelled", {{"requestId", QJsonArray {1}}});
        client.notify("notifications/cancelled", {{"requestId", "no such request"}});
        QCOMPARE(client.ask("ping")["id"].toInt(), 1);
        QCOMPARE(client.ask("resources/list")["error"]["code"].toInt(), -32601);
    }

    void wrongArgumentsAreNamed_data()
    {
        QTest::addColumn<QString>("tool");
        QTest::addColumn<QJsonValue>("arguments");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* tool, const QJsonValue& arguments, const char* named) {
            QTest::newRow(name) << QString(tool) << arguments << QString(named);
        };
        row("no object", "list_runs", QJsonArray {1}, "must be an object");
        row("unknown", "list_runs", QJsonObject {{"fitler", "x"}}, "fitler");
        row("missing", "show_run", QJsonObject(), "run");
        row("a number for a text", "show_run", QJsonObject {{"run", 3}}, "run");
        row("NUL in a text", "show_run", QJsonObject {{"run", QString::fromLatin1("a\0b", 3)}}, "run");
        row("a long text", "show_run", QJsonObject {{"run", QString(30'000, 'x')}}, "run");
        row("a text for a number", "list_runs", QJsonObject {{"limit", "5"}}, "limit");
        row("out of range", "list_runs", QJsonObject {{"limit", 0}}, "limit");
        row("a fraction", "list_runs", QJsonObject {{"limit", 1.5}}, "limit");
        row("huge", "list_runs", QJsonObject {{"limit", 1e300}}, "limit");
        row("another choice", "read_logs", QJsonObject {{"run", "digits"}, {"level", "loud"}}, "level");
        row("an empty list", "compare_runs", QJsonObject {{"runs", QJsonArray()}}, "runs");
        row("a list of numbers", "compare_runs", QJsonObject {{"runs", QJsonArray {1, 2}}}, "runs");
        row("a filter with a mistake", "list_runs", QJsonObject {{"filter", "loss <"}}, "--filter");
        row("an expression with a mistake", "read_logs", QJsonObject {{"run", "digits"}, {"search", "("}, {"regex", true}}, "regular expression");
        row("a run that is none", "show_run", QJsonObject {{"run", "--help"}}, "no run is called");
        row("an option in the place of a run", "show_run", QJsonObject {{"run", "-h"}}, "no run is called");
        row("a path in the place of a run", "show_run", QJsonObject {{"run", "../../etc"}}, "no run is called");
        row("a metric that is none", "get_metrics", QJsonObject {{"run", "digits"}, {"metrics", QJsonArray {"--exact"}}}, "--exact");
    }
    void wrongArgumentsAreNamed()
    {
        QFETCH(QString, tool);
        QFETCH(QJsonValue, arguments);
        QFETCH(QString, named);
        const contract::RunFolder run(m_atelier->home().runs() / kDigits);
        std::filesystem::create_directories(run.logs());
        QFile log(QString::fromStdString(run.log(0).string()));
        QVERIFY(log.open(QIODevice::WriteOnly));
        McpClient client(*m_atelier);
        const QJsonObject answer = client.ask("tools/call", {{"name", tool}, {"arguments", arguments}});
        QVERIFY2(answer["result"]["isError"].toBool(), QJsonDocument(answer).toJson());
        const QString sentence = answer["result"]["content"][0]["text"].toString();
        QVERIFY2(sentence.contains(named), qPrintable(sentence));
    }

    void aToolThatIsNoneIsAnError()
    {
        McpClient client(*m_atelier);
        QCOMPARE(client.ask("tools/call", {{"name", "rm -rf"}})["error"]["code"].toInt(), -32602);
        QCOMPARE(client.ask("tools/call", {{"name", 3}})["error"]["code"].toInt(), -32602);
    }

    void noFileOutsideTheSamplesIsGiven_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("absolute") << "/etc/passwd";
        QTest::newRow("above") << "samples/../../../atelier.db";
        QTest::newRow("of the run, but no sample") << "journal/rank-0.jsonl";
        QTest::newRow("a link to a file") << "samples/link.png";
        QTest::newRow("through a link to a folder") << "samples/folder/secret.png";
        QTest::newRow("no image") << "samples/text.png";
        QTest::newRow("a folder") << "samples";
        QTest::newRow("nothing") << "samples/none.png";
    }
    void noFileOutsideTheSamplesIsGiven()
    {
        QFETCH(QString, file);
        const contract::RunFolder run(m_atelier->home().runs() / kDigits);
        std::filesystem::create_directories(run.samples());
        std::error_code ignored;
        const QString secret = m_atelier->writeFile("secret.png", "\x89PNG\r\n\x1a\nsecret");
        std::filesystem::create_symlink(secret.toStdString(), run.samples() / "link.png", ignored);
        std::filesystem::create_symlink(std::filesystem::path(secret.toStdString()).parent_path(), run.samples() / "folder", ignored);
        QFile text(QString::fromStdString((run.samples() / "text.png").string()));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write("secret") == 6);
        text.close();
        McpClient client(*m_atelier);
        const QJsonObject result = client.call("get_sample", {{"run", "digits"}, {"file", file}});
        QVERIFY2(result["isError"].toBool(), QJsonDocument(result).toJson());
        QVERIFY(!QJsonDocument(result).toJson().contains("c2VjcmV0"));
    }

    void requestsAreCancelledAndIdsNotUsedTwice()
    {
        McpClient client(*m_atelier);
        // More than run at a time: the last ones wait.
        for (int i = 0; i < 6; ++i)
            client.send("tools/call", {{"name", "list_runs"}});
        client.write(R"({"jsonrpc":"2.0","id":6,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})");
        client.notify("notifications/cancelled", {{"requestId", 6}});
        client.notify("notifications/cancelled", {{"requestId", 1}});
        QMap<int, int> answers;
        while (answers.value(2) + answers.value(3) + answers.value(4) + answers.value(5) < 4)
            ++answers[client.read()["id"].toInt(-1)];
        QCOMPARE(answers.value(6), 1);  // the error
        QCOMPARE(client.close(), 0);
        QVERIFY(client.read().isEmpty());
    }
};

QTEST_GUILESS_MAIN(McpInputTest)
#include "tst_mcp_input.moc"
