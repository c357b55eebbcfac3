// The tools of `atelier mcp` (M16) beside those of tst_mcp.cpp: a real process gives what the real commands print, in parts that an assistant can read.
#include "tests/app/mcp_client.h"
#include "tests/paths.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/data_manifest.h"
#include "launcher/state/run_state.h"

#include <QFile>
#include <QSet>
#include <QtTest>

#include <fstream>

using tests::AtelierProgram;
using tests::McpClient;
using tests::kDigits;
using tests::kFaces;

namespace {

/// The text of a result, and the notes after it.
QStringList textsOf(const QJsonObject& result)
{
    QStringList texts;
    for (const QJsonValue& content : result["content"].toArray())
        texts << content["text"].toString();
    return texts;
}

QJsonDocument parsed(const QString& text) { return QJsonDocument::fromJson(text.toUtf8()); }

QSet<QString> namesIn(const QJsonObject& answer)
{
    QSet<QString> names;
    for (const QJsonValue& tool : answer["result"]["tools"].toArray())
        names << tool["name"].toString();
    return names;
}

}  // namespace

class McpToolsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    void writeData(int entries, int captionBytes)
    {
        contract::DataManifest data {.attempt = 1, .folder = "/data/hearts", .resolution = 512, .entries = {}};
        for (int i = 0; i < entries; ++i)
            data.entries.push_back({.file = std::to_string(i) + ".png", .caption = "heart " + std::to_string(i) + std::string(std::size_t(captionBytes), 'x'), .reason = {},
                .width = 512, .height = 512, .bucketWidth = 512, .bucketHeight = 512, .mask = {}, .poster = {}});
        data.entries[1] = {.file = "1.png", .caption = {}, .use = contract::DataEntry::Use::LeftOut, .reason = "1.png: is damaged", .mask = {}, .poster = {}};
        contract::writeDataManifest(m_atelier->home().runs() / kDigits / contract::kDataManifestFile, data);
    }

private Q_SLOTS:
    void init()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        const contract::RunFolder digits = m_atelier->addFinishedRun(kDigits, 300);
        m_atelier->addFinishedRun(kFaces, 9);
        std::filesystem::create_directories(digits.logs());
        std::ofstream log(digits.log(0));
        for (int line = 0; line < 90; ++line)
            log << "line " << line << " of a heron\n";
        log.close();
        m_atelier->runWell({"note", kFaces, "--text", "a heron"});
    }

    void M16_commandsAreReadAsTheyPrint_data()
    {
        QTest::addColumn<QString>("tool");
        QTest::addColumn<QJsonObject>("arguments");
        QTest::addColumn<QStringList>("command");
        const auto row = [](const char* name, const char* tool, const QJsonObject& arguments, const QStringList& command) {
            QTest::newRow(name) << QString(tool) << arguments << command;
        };
        row("E16 search", "search", {{"text", "a heron"}, {"without_logs", true}}, {"search", "a heron", "--no-logs"});
        row("E16 search, an expression", "search", {{"text", "line [34]. of"}, {"regex", true}}, {"search", "line [34]. of", "--regex"});
        row("N12 plan of the queue", "plan_queue", {}, {"queue", "--plan"});
        row("N7 rules", "try_rules", {{"run", kDigits}, {"rules", "step_ms > 400: notify | time/step_ms > 440: notify"}},
            {"rules", kDigits, "--rules", "step_ms > 400: notify | time/step_ms > 440: notify"});
        row("E2 presets", "list_presets", {}, {"presets"});
        row("E2 a preset", "show_preset", {{"name", "mine"}}, {"presets", "show", "mine"});
        row("E12 disk", "disk_usage", {}, {"disk"});
        row("E12 trash", "list_trash", {}, {"trash"});
        row("data", "look_at_data", {{"run", kDigits}}, {"data", "list", kDigits});
        row("data that was left out", "look_at_data", {{"run", kDigits}, {"kind", "left-out"}}, {"data", "list", kDigits, "--kind", "left-out"});
        row("data with a text", "look_at_data", {{"run", kDigits}, {"text", "HEART 4"}}, {"data", "list", kDigits, "--text", "HEART 4"});
        row("M11 checkpoints", "list_checkpoints", {{"run", kDigits}}, {"checkpoints", kDigits});
        row("M11 tensors", "list_tensors", {{"run", kDigits}, {"step", 20}}, {"checkpoints", "tensors", kDigits, "--step", "20"});
        row("runs", "list_runs", {}, {"list"});
        row("queue", "list_queue", {}, {"queue"});
    }
    void M16_commandsAreReadAsTheyPrint()
    {
        QFETCH(QString, tool);
        QFETCH(QJsonObject, arguments);
        QFETCH(QStringList, command);
        writeData(5, 0);
        m_atelier->runWell({"presets", "save", "mine", "digits", "--set", "optim.lr=0.5"});
        m_atelier->runWell({"rm", "--yes", kFaces});
        for (const std::int64_t step : {10, 20}) {
            const contract::RunFolder run(m_atelier->home().runs() / kDigits);
            std::filesystem::create_directories(run.checkpoint(step));
            contract::CheckpointManifest manifest;
            manifest.step = step;
            manifest.metrics["loss"] = step == 10 ? 0.5 : 0.75;
            manifest.fileBytes["rank-0.safetensors"] = 4;
            manifest.tensors.push_back({.name = "w", .dtype = "F32", .shape = {}, .pieces = {{.file = "rank-0.safetensors", .offset = 0, .begin = 0, .count = 1}}});
            std::ofstream(run.checkpoint(step) / "rank-0.safetensors") << "data";
            contract::writeManifest(run.checkpoint(step), manifest);
        }
        McpClient client(*m_atelier);
        const QJsonObject result = client.call(tool, arguments);
        const QStringList texts = textsOf(result);
        QVERIFY2(!result["isError"].toBool(true), qPrintable(texts.join('\n')));
        QJsonDocument printed = m_atelier->run(command + QStringList {"--json"}).json();
        QVERIFY(!printed.isNull());
        QJsonDocument answered = parsed(texts[0]);
        if (tool == "disk_usage") {  // the command's own answer takes place
            QCOMPARE(answered["runs"], printed["runs"]);
            return;
        }
        QCOMPARE(answered, printed);
        QCOMPARE(texts.size(), 1);  // nothing was left out
    }

    /// The same by the command itself.
    void M16_dataAreChosenByKindAndText()
    {
        writeData(5, 0);
        const auto files = [&](const QStringList& options) {
            QStringList names;
            for (const QJsonValue& entry : m_atelier->runWell(QStringList {"data", "list", kDigits, "--json"} + options).json()["entries"].toArray())
                names << QFileInfo(entry["file"].toString()).fileName();
            return names;
        };
        QCOMPARE(files({}), (QStringList {"0.png", "1.png", "2.png", "3.png", "4.png"}));
        QCOMPARE(files({"--kind", "left-out"}), QStringList {"1.png"});
        QCOMPARE(files({"--kind", "training", "--text", "HEART 4"}), QStringList {"4.png"});
        QCOMPARE(files({"--text", "damaged"}), QStringList {"1.png"});
        const QByteArray table = m_atelier->runWell({"data", "list", kDigits, "--kind", "left-out"}).output;
        QVERIFY2(table.count('\n') == 2 && table.contains("1.png: is damaged"), table);
        QCOMPARE(m_atelier->run({"data", "list", kDigits, "--kind", "lost"}).exitCode, 2);
    }

    /// What is left out of a long list is said, with how to get it; the parts make the whole.
    void M16_longListsAreGivenInParts_data()
    {
        QTest::addColumn<int>("limit");
        QTest::addColumn<int>("captionBytes");
        QTest::newRow("by number") << 30 << 0;
        QTest::newRow("by bytes") << 10'000 << 1500;
        QTest::newRow("texts that are long themselves") << 10'000 << 5000;
    }
    void M16_longListsAreGivenInParts()
    {
        QFETCH(int, limit);
        QFETCH(int, captionBytes);
        constexpr int kEntries = 100;
        writeData(kEntries, captionBytes);
        McpClient client(*m_atelier);
        QStringList files;
        int offset = 0;
        for (int parts = 1; offset >= 0; ++parts) {
            QVERIFY(parts < 20);
            const QJsonObject result = client.call("look_at_data", {{"run", kDigits}, {"limit", limit}, {"offset", offset}});
            const QStringList texts = textsOf(result);
            QVERIFY2(texts[0].size() < 150'000, qPrintable(QString::number(texts[0].size())));
            QCOMPARE(parsed(texts[0])["counts"]["all"].toInt(), kEntries);
            for (const QJsonValue& entry : parsed(texts[0])["entries"].toArray()) {
                files << entry["file"].toString();
                QVERIFY(entry["caption"].toString().toUtf8().size() <= 2010);
            }
            const QString note = texts.size() > 1 ? texts[1] : QString();
            QCOMPARE(note.contains("were shortened"), captionBytes > 2000);
            if (files.size() == kEntries)
                break;
            const auto next = QRegularExpression("\"entries\" has 100 elements, .*\"offset\": (\\d+) ").match(note);
            QVERIFY2(next.hasMatch(), qPrintable(note));
            offset = next.captured(1).toInt();
            QCOMPARE(offset, int(files.size()));
        }
        QVERIFY(offset > 0);
        QCOMPARE(files.size(), kEntries);
        QCOMPARE(files[42], QString("/data/hearts/42.png"));
        const QStringList past = textsOf(client.call("look_at_data", {{"run", kDigits}, {"offset", 1000}}));
        QVERIFY2(parsed(past[0])["entries"].toArray().isEmpty() && past[1].contains("no more than 100"), qPrintable(past[1]));
    }

    void N7_theFiringsOfEachRuleAreGivenInParts()
    {
        McpClient client(*m_atelier);
        const QString rules = "loss is not finite: notify | time/step_ms > 448: notify";
        const QJsonArray whole = m_atelier->runWell({"rules", kDigits, "--rules", rules, "--json"}).json().array();
        const QJsonArray firings = whole[0]["firings"].toArray();
        QVERIFY2(firings.size() > 4, qPrintable(QString::number(firings.size())));
        const QStringList texts = textsOf(client.call("try_rules", {{"run", kDigits}, {"rules", rules}, {"limit", 2}, {"offset", 1}}));
        const QJsonArray parts = parsed(texts[0]).array();
        QCOMPARE(parts.size(), 2);
        QCOMPARE(parts[0]["firings"].toArray(), (QJsonArray {firings[1], firings[2]}));
        QVERIFY(parts[1]["recorded"].toBool() && parts[1]["firings"].toArray().isEmpty());
        QVERIFY2(texts[1].contains("\"firings\" has " + QString::number(firings.size())) && texts[1].contains("\"offset\": 3 "), qPrintable(texts[1]));
    }

    void M12_theNewestOfAListThatGrowsComeFirst()
    {
        const contract::RunFolder run(m_atelier->home().runs() / kDigits);
        for (const std::int64_t step : {10, 20, 30, 40, 50}) {
            std::filesystem::create_directories(run.checkpoint(step));
            contract::CheckpointManifest manifest;
            manifest.step = step;
            manifest.metrics["loss"] = step == 20 ? 0.25 : 0.5;
            contract::writeManifest(run.checkpoint(step), manifest);
        }
        McpClient client(*m_atelier);
        QStringList texts = textsOf(client.call("list_checkpoints", {{"run", kDigits}, {"limit", 2}}));
        QCOMPARE(parsed(texts[0]).array().size(), 2);
        QCOMPARE(parsed(texts[0])[0]["step"].toInt(), 40);
        QVERIFY(parsed(texts[0])[1]["latest"].toBool() && !parsed(texts[0])[0]["latest"].toBool());
        QVERIFY2(texts[1].contains("has 5 elements") && texts[1].contains("\"offset\": 2 gives those before"), qPrintable(texts[1]));
        texts = textsOf(client.call("list_checkpoints", {{"run", kDigits}, {"limit", 2}, {"offset", 3}}));
        QCOMPARE(texts.size(), 1);
        QCOMPARE(parsed(texts[0])[0]["step"].toInt(), 10);
        QVERIFY(parsed(texts[0])[1]["best"].toBool() && !parsed(texts[0])[0]["best"].toBool());
    }

    void E16_nothingFoundIsAnAnswer()
    {
        McpClient client(*m_atelier);
        const QJsonObject result = client.call("search", {{"text", "albatross"}});
        QVERIFY(!result["isError"].toBool(true));
        QCOMPARE(parsed(textsOf(result)[0]), QJsonDocument(QJsonObject {{"found", QJsonArray()}}));
        const QJsonObject wrong = client.call("search", {{"text", "a("}, {"regex", true}});
        QVERIFY(wrong["isError"].toBool() && textsOf(wrong)[0].contains("parenthesis"));
    }

    void M16_whatWritesNeedsAllowControl()
    {
        const QStringList acting = {"export_metrics", "export_tensorboard", "export_weights", "pack_run", "unpack_run", "import_runs", "save_preset", "rename_preset",
            "pin_checkpoint", "remove_checkpoint", "start_queued", "plan_experiment"};
        McpClient reader(*m_atelier), writer(*m_atelier, {"--allow-control"});
        const QSet<QString> reading = namesIn(reader.ask("tools/list")), all = namesIn(writer.ask("tools/list"));
        for (const QString& name : acting)
            QVERIFY2(!reading.contains(name) && all.contains(name), qPrintable(name));
        const QString file = m_atelier->writeFile("kept.csv", "mine");
        const QJsonObject arguments {{"run", kDigits}, {"format", "csv"}, {"file", file + ".2"}};
        QCOMPARE(reader.ask("tools/call", {{"name", "export_metrics"}, {"arguments", arguments}})["error"]["code"].toInt(), -32602);
        QVERIFY(!QFile::exists(file + ".2"));
        // No file is replaced.
        const QJsonObject refused = writer.call("export_metrics", {{"run", kDigits}, {"format", "csv"}, {"file", file}});
        QVERIFY2(refused["isError"].toBool() && textsOf(refused)[0].contains("exists"), qPrintable(textsOf(refused)[0]));
        QFile kept(file);
        QVERIFY(kept.open(QIODevice::ReadOnly) && kept.readAll() == "mine");
    }

    void E7_runsAreExportedPackedUnpackedAndImported()
    {
        McpClient client(*m_atelier, {"--allow-control"});
        const QString folder = QFileInfo(m_atelier->writeFile("here", "")).path();
        const auto isDone = [&](const char* tool, const QJsonObject& arguments) {
            const QJsonObject result = client.call(tool, arguments);
            if (result["isError"].toBool(true))
                qWarning() << tool << textsOf(result);
            return !result["isError"].toBool(true) && !textsOf(result)[0].isEmpty();
        };
        QVERIFY(isDone("export_metrics", {{"run", kDigits}, {"format", "csv"}, {"file", folder + "/values.csv"}}));
        QFile values(folder + "/values.csv");
        QVERIFY(values.open(QIODevice::ReadOnly));
        QCOMPARE(values.readAll(), m_atelier->runWell({"export", kDigits, "--csv"}).output);
        QVERIFY(isDone("export_tensorboard", {{"run", kDigits}, {"folder", folder + "/board"}}));
        QVERIFY(QFile::exists(folder + "/board/" + kDigits));
        QVERIFY(isDone("pack_run", {{"run", kFaces}, {"file", folder + "/faces.tar"}, {"checkpoints", "none"}}));
        QVERIFY(isDone("remove_runs", {{"runs", QJsonArray {kFaces}}}));
        QCOMPARE(m_atelier->runs(), QStringList {kDigits});
        QVERIFY(isDone("unpack_run", {{"file", folder + "/faces.tar"}}));
        QCOMPARE(m_atelier->runs().size(), 2);
        const QJsonObject imported = client.call("import_runs", {{"paths", QJsonArray {ATELIER_SOURCE_DIR "/tests/fixtures/foreign"}}});
        QCOMPARE(parsed(textsOf(imported)[0])["runs"].toArray().size(), 6);
        QVERIFY2(textsOf(imported).value(1).contains("histogram was left out"), qPrintable(textsOf(imported).join('\n')));
        QCOMPARE(m_atelier->runs().size(), 8);
        const QJsonObject none = client.call("import_runs", {{"paths", QJsonArray {folder + "/board"}}, {"limit", 1}});
        QVERIFY(!none["isError"].toBool(true));
        const QJsonObject nothing = client.call("import_runs", {{"paths", QJsonArray {folder + "/nowhere"}}});
        QVERIFY2(nothing["isError"].toBool(), qPrintable(textsOf(nothing).join('\n')));
    }

    void E2_E15_aSweepIsPlannedFromAPreset()
    {
        McpClient client(*m_atelier, {"--allow-control"});
        QVERIFY(!client.call("save_preset", {{"name", "slow"}, {"experiment", "digits"}, {"settings", QJsonObject {{"run.total_steps", 7}}}})["isError"].toBool(true));
        const QJsonObject planned = client.call("start_run",
            {{"experiment", "slow"}, {"queue", true}, {"dry_run", true}, {"settings", QJsonObject {{"optim.lr", "1e-4,3e-4"}, {"run.seed", "1,2"}}}, {"limit", 3}});
        const QStringList texts = textsOf(planned);
        QVERIFY2(!planned["isError"].toBool(true), qPrintable(texts[0]));
        const QJsonArray runs = parsed(texts[0]).array();
        QCOMPARE(runs.size(), 3);
        QCOMPARE(runs[0]["settings"].toObject(), (QJsonObject {{"optim.lr", "1e-4"}, {"run.seed", "1"}}));
        QVERIFY(texts[1].contains("has 4 elements"));
        QCOMPARE(m_atelier->runs().size(), 2);  // none was made
    }
};

QTEST_GUILESS_MAIN(McpToolsTest)
#include "tst_mcp_tools.moc"
