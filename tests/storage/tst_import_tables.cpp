// E7: tables in CSV and JSON files as runs of ours: downloads of other programs, any table with steps, and what is wrong with a file.
#include "engine/contract/formats/text.h"
#include "tests/storage/imported.h"

#include <QtTest>

#include <algorithm>

namespace fs = std::filesystem;
using tests::ImportHome;
using What = storage::ImportResult::What;

namespace {

/// Every run that was imported: "NAME metric 1=0.5 2=NaN; other 2:3=1", with the attempt before the colon from the second one on.
QString valuesIn(const ImportHome& home)
{
    QStringList runs;
    for (const auto& [result, run] : home.results) {
        const std::string id = result.folder.filename().string();
        QStringList series;
        for (const storage::SeriesRow& each : home.store.series(id)) {
            QString text = QString::fromStdString(each.metric);
            for (const storage::Point& point : home.store.points(each.id))
                text += QStringLiteral(" %1%2=%3").arg(each.attempt > 1 ? QStringLiteral("%1:").arg(each.attempt) : QString()).arg(point.step).arg(
                    QString::fromStdString(contract::shortestText(point.value)));
            series << text;
        }
        runs << QString::fromStdString(home.store.run(id)->name) + QLatin1Char(' ') + series.join(QStringLiteral("; "));
    }
    return runs.join(QStringLiteral(" | "));
}

fs::path writeSource(const ImportHome& home, const QString& name, const QByteArray& content)
{
    const fs::path file = home.root() / "source" / name.toStdString();
    fs::create_directories(file.parent_path());
    tests::write(file, content.toStdString());
    return file;
}

/// A table of the metrics m0, m1 … with values that are all different.
std::string wideTable(int columns, int rows)
{
    std::string text = "step";
    for (int i = 0; i < columns; ++i)
        text += ",m" + std::to_string(i);
    for (int row = 0; row < rows; ++row) {
        text += "\n" + std::to_string(row);
        for (int i = 0; i < columns; ++i)
            text += "," + contract::shortestText(row + i / 7.0);
    }
    return text + "\n";
}

}  // namespace

class ImportTablesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E7_dialects_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("values");
        const auto row = [](const char* what, const char* name, const QByteArray& content, const char* values) {
            QTest::newRow(what) << QString::fromUtf8(name) << content << QString::fromUtf8(values);
        };
        row("E7 commas", "a.csv", "step,loss,lr\n1,0.5,1e-4\n2,0.25,1e-4\n", "a loss 1=0.5 2=0.25; lr 1=1e-04 2=1e-04");
        row("E7 semicolons and decimal commas", "a.csv", "step;loss\n1;0,5\n2;.25\n", "a loss 1=0.5 2=0.25");
        row("E7 tabs", "a.tsv", "global_step\tloss\n1\t0.5\n", "a loss 1=0.5");
        row("E7 byte order mark, CRLF, empty lines, spaces", "a.csv", "\xef\xbb\xbfStep, loss \r\n\r\n1, 0.5\r\n2 ,0.25\r\n\r\n", "a loss 1=0.5 2=0.25");
        row("E7 quotation marks", "a.csv", "\"step\",\"a \"\"b\"\", c\"\n\"1\",\"0.5\"\n2,\"\n 7\"\n", "a a \"b\", c 1=0.5 2=7");
        row("E7 empty cells have no value", "a.csv", "step,a,b\n1,,2\n2,3,\n3,,\n", "a a 2=3; b 1=2");
        row("E7 not finite", "a.csv", "step,a\n1,nan\n2,NaN\n3,inf\n4,-Infinity\n5,+inf\n6,1e999\n7,-0\n8,1e-999\n",
            "a a 1=NaN 2=NaN 3=Infinity 4=-Infinity 5=Infinity 6=Infinity 7=-0 8=0");
        row("E7 yes and no", "a.csv", "step,a\n1,True\n2,false\n", "a a 1=1 2=0");
        row("E7 epochs where nothing better is", "a.csv", "epoch,loss\n0,2\n1,1\n", "a loss 0=2 1=1");
        row("E7 epochs beside steps", "a.csv", "epoch,step,loss\n0.5,1,2\n1,2,1\n", "a epoch 1=0.5 2=1; loss 1=2 2=1");
        row("E7 steps as pandas writes them", "metrics.csv", ",step,loss\n0,10.0,2\n1,20.0,1\n", "source loss 10=2 20=1");
        row("E7 no end of the last line", "a.csv", "step,a\n1,2\n2,3", "a a 1=2 2=3");
        row("E7 a log that goes on from a checkpoint", "a.csv", "step,a\n1,1\n2,2\n3,3\n2,20\n3,30\n", "a a 1=1 2=2 3=3; a 2:2=20 2:3=30");
        row("E7 another metric later than the first", "a.csv", "step,a,b\n10,1,\n20,2,\n10,,5\n20,,6\n", "a a 10=1 20=2; b 10=5 20=6");
        row("E7 TensorBoard", "run-train_1-tag-loss.csv", "Wall time,Step,Value\n1700000000.5,0,2\n1700000001.5,10,0.1\n", "train_1 loss 0=2 10=0.1");
        row("E7 TensorBoard, another name", "val_fid.csv", "Wall time,Step,Value\n1700000000.5,0,2\n", "val_fid val_fid 0=2");
        row("E7 Weights & Biases", "wandb_export.csv",
            "\"Step\",\"swift-1 - _step\",\"swift-1 - train/loss\",\"swift-1 - train/loss__MIN\",\"swift-1 - train/loss__MAX\",\"a - b - train/loss\","
            "\"a - b - train/loss__MIN\",\"a - b - train/loss__MAX\"\n\"0\",\"0\",\"2\",\"1\",\"3\",\"\",\"\",\"\"\n\"1\",\"1\",\"1.5\",\"1\",\"2\",\"7\",\"7\",\"7\"\n",
            "swift-1 train/loss 0=2 1=1.5 | a - b train/loss 1=7");
        row("E7 long form with runs, as MLflow has it", "a.csv",
            "run_id,key,value,step,timestamp\nr1,loss,2,0,1700000000000\nr1,loss,1,1,1700000001000\nr2,loss,7,0,1700000000000\nr1,acc,0.5,1,1700000001000\n",
            "r1 acc 1=0.5; loss 0=2 1=1 | r2 loss 0=7");
        row("E7 long form of one run", "a.csv", "Step,Metric,Value\n1,loss,0.5\n1,lr,3\n2,loss,0.25\n", "a loss 1=0.5 2=0.25; lr 1=3");
        row("E7 our export without its last column", "a.csv", "metric,rank,attempt,step,t_ms,value\nloss,0,1,1,0,1\nloss,1,1,1,0,3\n", "a loss 1=1; loss 1=3");
        row("E7 our export from a spreadsheet", "a.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,0,1,1,0,1,FALSE\nloss,0,1,2,5,2,False\n",
            "a loss 1=1 2=2");
        row("E7 a list", "a.json", "[{\"step\":1,\"loss\":0.5},\n{\"step\":2,\"loss\":NaN,\"x\":true,\"y\":null}]", "a loss 1=0.5 2=NaN; x 2=1");
        row("E7 JSON lines, nested", "a.jsonl", "{\"step\":1,\"val\":{\"fid\":3,\"deep\":{\"a\":-Infinity}}}\n{\"step\":2,\"val\":{\"fid\":2e0},\"l\":\"NaN\"}\n",
            "a l 2=NaN; val/deep/a 1=-Infinity; val/fid 1=3 2=2");
        row("E7 trainer_state.json", "out/trainer_state.json",
            "{\"best_metric\":null,\"epoch\":2.0,\"global_step\":20,\"args\":[{\"a\":1},[2]],\"log_history\":[{\"epoch\":1.0,\"loss\":0.5,\"step\":10},"
            "{\"epoch\":2.0,\"eval_loss\":0.25,\"step\":20}],\"max_steps\":20}",
            "out epoch 10=1 20=2; eval_loss 20=0.25; loss 10=0.5");
        row("E7 names with escapes", "a.json", "[{\"step\":1,\"\\u00e4\\ud83d\\ude00\\n\\\"\":1}]", "a \u00e4\U0001F600\n\" 1=1");
        row("E7 the history of Weights & Biases", "a.jsonl", "{\"_step\":3,\"_runtime\":9,\"_timestamp\":1700000000.5,\"loss\":1}", "a loss 3=1");
        row("E7 names of the journal's own", "a.csv", "step,type,t_ms\n1,2,3\n", "a t_ms_ 1=3; type_ 1=2");
    }
    void E7_dialects()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QString, values);
        ImportHome home;
        home.importAll(writeSource(home, name, content));
        QCOMPARE(home.failures, std::vector<std::string>());
        QCOMPARE(valuesIn(home), values);
        for (const auto& [result, run] : home.results)
            QCOMPARE(result.leftOut, std::vector<std::string>());
    }

    void E7_whatIsWrongIsSaid_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* what, const char* name, const QByteArray& content, const char* sentence) {
            QTest::newRow(what) << QString::fromUtf8(name) << content << QString::fromUtf8(sentence);
        };
        row("E7 empty", "a.csv", "", "a.csv: is empty");
        row("E7 nothing but line breaks", "a.csv", "\r\n\n", "a.csv: is empty");
        row("E7 no steps", "a.csv", "a,b\n1,2\n", "a.csv: holds no steps; name the column or value that has them step, global_step, iteration or epoch");
        row("E7 no rows", "a.csv", "step,a\n", "a.csv: holds no values");
        row("E7 texts alone", "a.csv", "step,a\n1,x\n", "a.csv: holds no values");
        row("E7 no whole step", "a.csv", "step,a\n1,2\n1.5,2\n", "a.csv: line 3, column 1: \"1.5\" is no step, which is a whole number");
        row("E7 a text for a step", "a.csv", "a,step\n1,2\n1,x\n", "a.csv: line 3, column 2: \"x\" is no step, which is a whole number");
        row("E7 absurd step", "a.csv", "step,a\n1e30,2\n", "a.csv: line 2, column 1: \"1e30\" is no step");
        row("E7 NUL", "a.csv", QByteArray("step,a\n1,2\n2,\0\n", 14), "a.csv: line 3, column 2: holds a NUL byte; the file is damaged");
        row("E7 UTF-16", "a.csv", QByteArray("\xff\xfes\0t\0e\0p\0,\0a\0\n\0", 16), "a.csv: line 1, column 1: is not UTF-8; save the file as UTF-8");
        row("E7 a name that is no UTF-8", "a.csv", "step,a,\xe4\n1,2,3\n", "a.csv: line 1, column 3: the name is not UTF-8; save the file as UTF-8");
        row("E7 a name twice", "a.csv", "step,a,b, a\n1,2,3,4\n", "a.csv: line 1, column 4: has the name of column 2, too; rename one of them");
        row("E7 too few cells", "a.csv", "step,a,b\n1,2,3\n\n2,3\n3,4,5\n", "a.csv: line 4: has 2 cells, where the first line has 3");
        row("E7 one cell alone", "a.csv", "step,a,b\n1,2,3\n2\n3,4,5\n", "a.csv: line 3: has 1 cell, where the first line has 3");
        row("E7 too many cells", "a.csv", "step,a,b\n1,2,3,4", "a.csv: line 2: has 4 cells, where the first line has 3");
        row("E7 an open quotation mark", "a.csv", "step,a\n1,2\n2,\"3\n4,5\n", "a.csv: line 3, column 2: a quotation mark is not closed");
        row("E7 an endless line", "a.csv", "step,a\n1," + QByteArray(20 << 20, '1') + "\n", "a.csv: line 2: is longer than 16 MiB");
        row("E7 too many columns", "a.csv", QByteArray::fromStdString(wideTable(10'001, 1)), "a.csv: line 1, column 10002: is one metric more than a run may have");
        row("E7 no order", "a.csv", QByteArray::fromStdString([] {
            std::string text = "step,a\n";
            for (int i = 0; i < 3000; ++i)
                text += std::to_string(3000 - i) + ",1\n";
            return text;
        }()), "a.csv: line 1002, column 1: the steps go back for the thousandth time; sort the rows by step");
        row("E7 no JSON", "a.json", "hello", "a.json: line 1, column 1: is not JSON");
        row("E7 a number alone", "a.json", "7", "a.json: line 1, column 1: is no object");
        row("E7 no steps in JSON", "a.json", "{\"a\":1}", "a.json: holds no steps");
        row("E7 a list that is cut off", "a.json", "[{\"step\":1,\"a\":2},\n{\"step\":2,\"a", "a.json: line 2, column 11: the file ends too early");
        row("E7 damaged within", "a.jsonl", "{\"step\":1,\"a\":2}\n{\"step\":2,\"a\":x}\n", "a.jsonl: line 2, column 15: is not JSON");
        row("E7 a missing comma", "a.json", "[{\"step\":1 \"a\":2}]", "a.json: line 1, column 12: a comma is missing");
        row("E7 a comma too many", "a.json", "[{\"step\":1,}]", "a.json: line 1, column 12: is not JSON: a name in quotation marks is missing");
        row("E7 brackets that do not match", "a.json", "[{\"step\":1]}", "a.json: line 1, column 11: is not JSON: the brackets do not match");
        row("E7 a value twice", "a.json", "[{\"step\":1,\"a\":1,\"a\":2}]", "a.json: line 1, column 22: \"a\" is there twice in an object");
        row("E7 half a step in JSON", "a.json", "[{\"step\":1.5,\"a\":1}]", "a.json: line 1, column 10: \"1.5\" is no step");
        row("E7 a deep nest", "a.json", "[{\"step\":1,\"a\":" + QByteArray(1'000'000, '['), "is nested more than 64 levels deep");
        row("E7 a NUL in JSON", "a.json", QByteArray("[{\"step\":1,\"a\0\":1}]", 19), "a.json: line 1, column 12: holds a NUL byte; the file is damaged");
        row("E7 a name in JSON that is no UTF-8", "a.json", "[{\"step\":1,\"\xff\":1}]", "the name is not UTF-8; save the file as UTF-8");
        row("E7 long form without a metric", "a.csv", "step,key,value\n1,,2\n", "a.csv: line 2, column 2: names no metric");
        row("E7 our export with another rank", "a.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,x,1,1,0,1,false\n", "a.csv: line 2, column 2: \"x\" is no number");
        row("E7 our export with an odd rank", "a.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,1e9,1,1,0,1,false\n", "line 2, column 2: 1e+09 cannot be a rank");
        row("E7 our export with an odd attempt", "a.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,0,0,1,0,1,false\n", "line 2, column 3: 0 cannot be an attempt");
        row("E7 our export with an odd flag", "a.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,0,1,1,0,1,no\n", "line 2, column 7: \"no\" is neither true nor false");
        row("E7 our export, superseded by nothing", "a.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,0,1,1,0,1,true\nloss,0,1,2,0,1,false\n",
            "a.csv: what is superseded there does not fit its attempts; the file was changed after the export");
        row("E7 our JSON, changed", "a.json", "{\"run\":\"a-20261121-101500-x3k9\",\"series\":[{\"metric\":\"loss\",\"rank\":0,\"attempt\":1,\"points\":[[1,0,true]]}]}",
            "a.json: line 1, column 96: is not as Atelier exports it");
        row("E7 another kind of file", "a.txt", "step,a\n1,2\n", "nor a table (.csv, .tsv, .json, .jsonl)");
    }
    void E7_whatIsWrongIsSaid()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QString, sentence);
        ImportHome home;
        const fs::path file = writeSource(home, name, content);
        QString said;
        try {
            home.importAll(file);
            QVERIFY(!home.failures.empty());
            said = QString::fromStdString(home.failures.at(0));
        } catch (const std::runtime_error& error) {
            said = QString::fromUtf8(error.what());
        }
        QVERIFY2(said.contains(sentence), qPrintable(said));
        QVERIFY(said.startsWith(QString::fromStdString(file.string())));
        QVERIFY2(!said.contains(QLatin1Char('\n')) && said.size() < 400, qPrintable(said.left(1000)));
        QVERIFY(fs::is_empty(home.runs()));
    }

    void E7_whatIsLeftOutIsSaid_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("values");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("E7 a torn line") << "a.csv" << QByteArray("step,a,b\n1,2,3\n2,3") << "a a 1=2; b 1=3"
                                        << "a.csv: ends within a record, as while it is being written; what comes before was read";
        QTest::newRow("E7 a torn object") << "a.jsonl" << QByteArray("{\"step\":1,\"a\":2}\n{\"step\":2,\"a\":3") << "a a 1=2"
                                          << "a.jsonl: ends within a record, as while it is being written; what comes before was read";
        QTest::newRow("E7 texts") << "a.csv" << QByteArray("step,a,phase\n1,2,train\n2,3,train\n") << "a a 1=2 2=3"
                                  << "2 texts were left out; Atelier has no place for them";
        QTest::newRow("E7 a list in JSON") << "a.json" << QByteArray("[{\"step\":1,\"a\":2,\"b\":[1,{\"c\":2}]}]") << "a a 1=2"
                                           << "1 text was left out; Atelier has no place for it";
        QTest::newRow("E7 rows without a step") << "a.csv" << QByteArray("step,a\n1,2\n,3\n2,4\n") << "a a 1=2 2=4" << "a.csv: 1 row without a step was left out";
        QTest::newRow("E7 objects without a step") << "a.jsonl" << QByteArray("{\"step\":1,\"a\":2}\n{\"a\":3}\n{\"a\":4}\n") << "a a 1=2"
                                                   << "a.jsonl: 2 rows without a step were left out";
    }
    void E7_whatIsLeftOutIsSaid()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QString, values);
        QFETCH(QString, sentence);
        ImportHome home;
        home.importAll(writeSource(home, name, content));
        QCOMPARE(home.failures, std::vector<std::string>());
        QCOMPARE(valuesIn(home), values);
        QVERIFY2(QString::fromStdString(home.leftOut("a")).endsWith(sentence), home.leftOut("a").c_str());
    }

    void E7_timesAreRead_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("E7 TensorBoard") << "a.csv" << QByteArray("Wall time,Step,Value\n1700000000.25,1,2\n1700000001.75,2,3\n");
        QTest::newRow("E7 milliseconds") << "a.csv" << QByteArray("timestamp,step,a\n1700000000250,1,2\n1700000001750,2,3\n");
        QTest::newRow("E7 date and time") << "a.jsonl"
                                          << QByteArray("{\"timestamp\":\"2023-11-14T22:13:20.25Z\",\"step\":1,\"a\":2}\n"
                                                        "{\"timestamp\":\"2023-11-14 23:13:21.75+01:00\",\"step\":2,\"a\":3}\n");
    }
    void E7_timesAreRead()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        ImportHome home;
        home.importAll(writeSource(home, name, content));
        const std::string id = home.runCalled("a");
        QCOMPARE(home.store.run(id)->createdUnixMs, 1'700'000'000'250);
        QCOMPARE(home.points(id, "a", 1).at(1).tMs, 1500.0);
    }

    void E7_tenThousandColumns()
    {
        ImportHome home;
        home.importAll(writeSource(home, QStringLiteral("a.csv"), QByteArray::fromStdString(wideTable(10'000, 30))));
        QCOMPARE(home.failures, std::vector<std::string>());
        const std::string id = home.runCalled("a");
        QCOMPARE(home.store.series(id).size(), std::size_t(10'000));
        QCOMPARE(home.points(id, "m9999", 1).at(29).value, 29 + 9999 / 7.0);
    }

    /// Blocks of the file end within lines, names and numbers.
    void E7_longFiles()
    {
        std::string csv = "step,loss,\"odd \"\"name\"\"\"\n", json;
        constexpr int kRows = 60'000;
        for (int i = 0; i < kRows; ++i) {
            const std::string value = contract::shortestText(1.0 / (i + 3));
            csv += std::to_string(i) + ",\"" + value + "\"," + value + "\r\n";
            json += "{\"step\": " + std::to_string(i) + ", \"loss\": " + value + ", \"odd \\\"name\\\"\": " + value + "}\n";
        }
        ImportHome home;
        home.importAll(writeSource(home, QStringLiteral("a.csv"), QByteArray::fromStdString(csv)));
        home.importAll(writeSource(home, QStringLiteral("b.jsonl"), QByteArray::fromStdString(json)));
        QCOMPARE(home.failures, std::vector<std::string>());
        for (const char* name : {"a", "b"}) {
            for (const char* metric : {"loss", "odd \"name\""}) {
                const auto points = home.points(home.runCalled(name), metric, 1);
                QCOMPARE(points.size(), std::size_t(kRows));
                for (int i = 0; i < kRows; ++i)
                    QCOMPARE(points[std::size_t(i)].value, 1.0 / (i + 3));
            }
        }
    }

    void E7_importingAgainFollowsTheFile()
    {
        ImportHome home;
        const fs::path file = writeSource(home, QStringLiteral("a.csv"), "step,a\n1,1\n2,2\n");
        home.importAll(file);
        const std::int64_t started = home.store.run(home.runCalled("a"))->createdUnixMs;
        QVERIFY(started > 1'700'000'000'000);  // when the file was written
        home.importAll(file);
        QCOMPARE(home.results.back().first.what, What::Known);
        QCOMPARE(home.store.runs().size(), std::size_t(1));
        tests::write(file, "step,a\n1,1\n2,2\n3,3\n");
        home.importAll(file);
        QCOMPARE(home.results.back().first.what, What::Extended);
        QCOMPARE(home.results.back().first.newValues, 1);
        home.results.resize(1);
        QCOMPARE(valuesIn(home), QStringLiteral("a a 1=1 2=2 3=3"));
        tests::write(file, "step,a\n1,7\n2,2\n3,3\n");  // as long as before
        home.importAll(file);
        QCOMPARE(home.results.back().first.what, What::Changed);
        home.results.resize(1);
        QCOMPARE(valuesIn(home), QStringLiteral("a a 1=7 2=2 3=3"));
        QCOMPARE(home.store.run(home.runCalled("a"))->createdUnixMs, started);
        QCOMPARE(home.store.runs().size(), std::size_t(1));
        // A file that has lost values, perhaps the copy of a part, changes nothing.
        tests::write(file, "step,a\n1,7\n");
        home.importAll(file);
        QCOMPARE(home.failures.size(), std::size_t(1));
        QVERIFY2(home.failures.back().find("(1 of 3), so nothing was changed") != std::string::npos, home.failures.back().c_str());
        QCOMPARE(valuesIn(home), QStringLiteral("a a 1=7 2=2 3=3"));
        // A file that has become unreadable changes nothing.
        tests::write(file, "step,a\n1,1\nx,1\n");
        home.importAll(file);
        QCOMPARE(home.failures.size(), std::size_t(2));
        home.results.resize(1);
        QCOMPARE(valuesIn(home), QStringLiteral("a a 1=7 2=2 3=3"));
    }

    void E7_foldersAreNotSearchedForTables()
    {
        ImportHome home;
        writeSource(home, QStringLiteral("a.csv"), "step,a\n1,1\n");
        home.importAll(home.root() / "source");
        QVERIFY(home.results.empty());
    }
};

QTEST_GUILESS_MAIN(ImportTablesTest)
#include "tst_import_tables.moc"
