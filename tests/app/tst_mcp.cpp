// `atelier mcp` (issue section 7, M16): a real process speaks the Model Context Protocol with the real program.
#include "tests/app/mcp_client.h"
#include "tests/paths.h"

#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "launcher/state/run_state.h"

#include <QFile>
#include <QtTest>

using tests::AtelierProgram;
using tests::McpClient;
using tests::kDigits;
using tests::kFaces;

namespace {

QByteArray picture()
{
    return QByteArray::fromBase64(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");
}

void writeFile(const std::filesystem::path& path, const QByteArray& content)
{
    std::filesystem::create_directories(path.parent_path());
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

int errorOf(const QJsonObject& answer) { return answer["error"].toObject()["code"].toInt(); }

}  // namespace

class McpTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }

    void bothErasOfTheProtocolAreSpoken_data()
    {
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("answered");
        for (const char* revision : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
            QTest::newRow(revision) << QString(revision) << QString(revision);
        QTest::newRow("one that is not known") << "1999-01-01" << "2025-11-25";
    }
    void bothErasOfTheProtocolAreSpoken()
    {
        QFETCH(QString, asked);
        QFETCH(QString, answered);
        m_atelier->addFinishedRun(kDigits, 3);
        McpClient client(*m_atelier);
        client.write(R"({"jsonrpc":"2.0","id":"a","method":"tools/list"})");
        QCOMPARE(errorOf(client.read()), -32602);  // no revision yet
        client.write(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + asked.toUtf8()
            + R"(","capabilities":{},"clientInfo":{"name":"test","version":"1"}}})");
        const QJsonObject hello = client.read();
        QCOMPARE(hello["id"], QJsonValue(0));
        QCOMPARE(hello["result"]["protocolVersion"].toString(), answered);
        QCOMPARE(hello["result"]["serverInfo"]["name"].toString(), QStringLiteral("atelier"));
        QVERIFY(hello["result"]["capabilities"].toObject().contains("tools"));
        client.notify("notifications/initialized", {});
        client.write(R"({"jsonrpc":"2.0","id":"text id","method":"ping"})");
        QCOMPARE(client.read(), QJsonObject({{"jsonrpc", "2.0"}, {"id", "text id"}, {"result", QJsonObject()}}));
        client.write(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_runs"}})");
        const QJsonObject legacy = client.read()["result"].toObject();
        QVERIFY(!legacy.contains("resultType"));
        QVERIFY2(legacy["content"].toArray().at(0)["text"].toString().contains(kDigits), QJsonDocument(legacy).toJson());
        // The newer era beside it.
        const QJsonObject modern = client.ask("server/discover")["result"].toObject();
        QCOMPARE(modern["supportedVersions"].toArray(), QJsonArray({"2026-07-28"}));
        QCOMPARE(modern["resultType"].toString(), QStringLiteral("complete"));
        QVERIFY(modern["ttlMs"].toInt() > 0 && modern["cacheScope"] == "private");
        QCOMPARE(modern["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].toString(), QStringLiteral("atelier"));
        QCOMPARE(client.call("list_queue")["resultType"].toString(), QStringLiteral("complete"));
        QCOMPARE(client.close(), 0);
    }

    void aRevisionThatIsNotSpokenIsRefusedWithThoseThatAre()
    {
        McpClient client(*m_atelier);
        client.write(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01",)"
                     R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
        const QJsonObject answer = client.read();
        QCOMPARE(errorOf(answer), -32022);
        QVERIFY(answer["error"]["data"]["supported"].toArray().contains("2026-07-28"));
        client.write(R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
        QCOMPARE(errorOf(client.read()), -32602);  // without the client's capabilities
    }

    void runsAreReadAsTheCommandsPrintThem()
    {
        const contract::RunFolder digits = m_atelier->addFinishedRun(kDigits, 2000);
        m_atelier->addFinishedRun(kFaces, 9);
        contract::appendAnnotations(digits.annotations(), {}, {.name = {}, .project = {}, .tags = {"lora"}, .notes = {}, .isArchived = false});
        writeFile(digits.log(0), "2026-11-21 10:15:01.000 [info] begins\n2026-11-21 10:15:02.000 [warning] it is hot\n");
        writeFile(digits.samples() / "step-1.png", picture());
        {
            contract::JournalWriter journal(digits.journal(0), {.version = 1, .run = kDigits, .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
            journal.begin("sample", 1).add("file", "samples/step-1.png").add("prompt", "a seven").add("seed", std::int64_t {3}).commit();
        }
        McpClient client(*m_atelier);
        QCOMPARE(client.document("list_runs"), m_atelier->runWell({"list", "--json"}).json());
        const QJsonArray tagged = client.document("list_runs", {{"filter", "tag:lora and step > 10"}}).array();
        QCOMPARE(tagged.size(), 1);
        QCOMPARE(tagged[0]["id"].toString(), QString(kDigits));
        QJsonObject shown = m_atelier->runWell({"show", kDigits, "--json"}).json().object();
        shown.remove("samples");
        QCOMPARE(client.document("show_run", {{"run", "digits"}}).object(), shown);
        const QJsonObject thinned = client.document("get_metrics", {{"run", "digits"}, {"metrics", QJsonArray {"loss", "time/step_ms"}}, {"points", 100}}).object();
        QCOMPARE(thinned["series"].toArray().size(), 2);
        QVERIFY(!thinned["series"][0]["exact"].toBool(true) && thinned["series"][0]["values"] == 2000);
        QVERIFY(thinned["series"][0]["summaries"].toArray().size() <= 100);
        const QJsonObject exact = client.document("get_metrics", {{"run", "digits"}, {"metrics", QJsonArray {"loss"}}, {"exact", true}, {"first_step", 100}, {"last_step", 103}}).object();
        QCOMPARE(exact["series"][0]["points"].toArray(),
            QJsonArray({QJsonArray {100, "NaN"}, QJsonArray {101, "Infinity"}, QJsonArray {102, tests::exampleLoss(102)}, QJsonArray {103, -0.0}}));
        QCOMPARE(client.document("compare_runs", {{"runs", QJsonArray {"digits", "faces"}}}), m_atelier->runWell({"compare", "digits", "faces", "--json"}).json());
        const QJsonArray lines = client.document("read_logs", {{"run", "digits"}, {"level", "warning"}}).object()["lines"].toArray();
        QCOMPARE(lines.size(), 1);
        QVERIFY(lines[0]["text"].toString().endsWith("it is hot"));
        QCOMPARE(client.document("list_samples", {{"run", "digits"}}).object()["samples"][0]["prompt"].toString(), QStringLiteral("a seven"));
        const QJsonObject image = client.call("get_sample", {{"run", "digits"}, {"file", "samples/step-1.png"}})["content"][0].toObject();
        QCOMPARE(image["type"].toString(), QStringLiteral("image"));
        QCOMPARE(image["mimeType"].toString(), QStringLiteral("image/png"));
        QCOMPARE(QByteArray::fromBase64(image["data"].toString().toLatin1()), picture());
        QVERIFY(client.document("list_checkpoints", {{"run", "digits"}}).isArray());
        QCOMPARE(client.document("list_options", {{"search", "optim.LR"}})[0]["key"].toString(), QStringLiteral("optim.lr"));
    }

    void withoutAllowControlNothingCanBeChanged()
    {
        m_atelier->addFinishedRun(kDigits, 3);
        McpClient client(*m_atelier);
        for (const QJsonValue& tool : client.ask("tools/list")["result"]["tools"].toArray()) {
            QVERIFY2(tool["annotations"]["readOnlyHint"].toBool(), qPrintable(tool["name"].toString()));
            QCOMPARE(tool["inputSchema"]["type"].toString(), QStringLiteral("object"));
        }
        const QJsonObject answer = client.ask("tools/call", {{"name", "remove_runs"}, {"arguments", QJsonObject {{"runs", QJsonArray {"digits"}}}}});
        QCOMPARE(errorOf(answer), -32602);
        QVERIFY(answer["error"]["message"].toString().contains("--allow-control"));
        QCOMPARE(m_atelier->runs().size(), 1);
    }

    void withAllowControlRunsAreStartedChangedAndStopped()
    {
        const QString file = m_atelier->writeFile("live.toml",
            "[run]\nname = \"live\"\ntotal_steps = 100000\n[launch]\nranks = 2\n[data]\npath = \"" ATELIER_SOURCE_DIR "/resources/digits.csv.gz\"\n");
        McpClient client(*m_atelier, {"--allow-control"});
        const QJsonObject started = client.document("start_run", {{"experiment", file}, {"name", "-x --json"}, {"settings", QJsonObject {{"optim.lr", 0.5}}}}).object();
        const contract::RunFolder run(m_atelier->home().runs() / started["run"].toString().toStdString());
        QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(run).state, launcher::RunState::Running, 20000);
        const contract::Experiment used = contract::loadExperiment(run.config(1)).experiment;
        QCOMPARE(used.text("run.name"), std::string("-x --json"));
        QCOMPARE(used.real("optim.lr"), 0.5);
        QVERIFY(!client.call("tag_runs", {{"runs", QJsonArray {"-x --json"}}, {"add", QJsonArray {"--remove=a", "b"}}})["isError"].toBool(true));
        QVERIFY(!client.call("set_note", {{"runs", QJsonArray {"latest"}}, {"note", "-n"}})["isError"].toBool(true));
        QCOMPARE(contract::readAnnotations(run.annotations()).tags, std::vector<std::string>({"--remove=a", "b"}));
        QCOMPARE(contract::readAnnotations(run.annotations()).notes, std::string("-n"));
        QVERIFY(!client.call("set_note", {{"runs", QJsonArray {"latest"}}, {"note", ""}})["isError"].toBool(true));
        QCOMPARE(contract::readAnnotations(run.annotations()).notes, std::string());
        QVERIFY(!client.call("stop_run", {{"run", "latest"}, {"how", "now"}})["isError"].toBool(true));
        QTRY_VERIFY_WITH_TIMEOUT(!launcher::isActive(launcher::inspectRun(run).state), 20000);
        const QJsonObject again = client.call("stop_run", {{"run", "latest"}});
        QVERIFY(again["isError"].toBool() && again["content"][0]["text"].toString().contains("is not running"));
        QVERIFY(!client.call("remove_runs", {{"runs", QJsonArray {"latest"}}})["isError"].toBool(true));
        QVERIFY(m_atelier->runs().isEmpty());
        QVERIFY(!client.call("restore_from_trash", {{"names", QJsonArray {started["run"]}}})["isError"].toBool(true));
        QCOMPARE(m_atelier->runs().size(), 1);
    }

    void theServerOutlivesItsInputOnlyUntilItHasAnswered()
    {
        m_atelier->addFinishedRun(kDigits, 3);
        McpClient client(*m_atelier);
        for (int i = 0; i < 9; ++i)
            client.send("tools/call", {{"name", "list_runs"}});
        QCOMPARE(client.close(), 0);
        QSet<int> answered;
        for (int i = 0; i < 9; ++i)
            answered << client.read()["id"].toInt();
        QCOMPARE(answered, QSet<int>({1, 2, 3, 4, 5, 6, 7, 8, 9}));
    }
};

QTEST_GUILESS_MAIN(McpTest)
#include "tst_mcp.moc"
