// E7: `atelier import`, and what the other commands make of an imported run.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include "engine/contract/run/annotations.h"
#include "launcher/state/run_state.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using tests::AtelierProgram;
using tests::Outcome;

namespace {

const QString kForeign = QStringLiteral(ATELIER_SOURCE_DIR "/tests/fixtures/foreign");

QJsonObject runCalled(const QString& name, const QJsonDocument& list)
{
    for (const QJsonValue& run : list.array().isEmpty() ? list[QLatin1String("runs")].toArray() : list.array()) {
        if (run.toObject()[QLatin1String("name")] == name)
            return run.toObject();
    }
    return {};
}

}  // namespace

class ImportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E7_runsAreImportedOnce()
    {
        AtelierProgram atelier;
        const Outcome first = atelier.runWell({"import", kForeign, "--json"});
        QCOMPARE(first.exitCode, 0);
        const QJsonArray runs = first.json()[QLatin1String("runs")].toArray();
        QCOMPARE(runs.size(), 6);
        QStringList programs;
        for (const QJsonValue& run : runs) {
            programs << run[QLatin1String("program")].toString();
            QCOMPARE(run[QLatin1String("what")].toString(), QStringLiteral("new"));
            QVERIFY(run[QLatin1String("new_values")].toInt() > 0);
        }
        programs.removeDuplicates();
        QCOMPARE(programs, QStringList({"TensorBoard", "trackio", "Weights & Biases"}));
        QVERIFY2(first.errors.contains("1 histogram was left out"), first.errors);
        const Outcome again = atelier.runWell({"import", kForeign});
        QCOMPARE(again.output.count(" known"), 6);
        QCOMPARE(atelier.runs().size(), 6);
    }

    void E7_anImportedRunIsReadLikeAnyOther()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.runWell({"import", kForeign + "/wandb", kForeign + "/trackio"}).exitCode, 0);
        const QJsonObject listed = runCalled("first try", atelier.runWell({"list", "--json"}).json());
        QCOMPARE(listed[QLatin1String("state")].toString(), QStringLiteral("imported"));
        QCOMPARE(listed[QLatin1String("step")].toInt(), 52);
        const Outcome steps = atelier.runWell({"steps", "first try"});
        QVERIFY2(steps.output.endsWith(" records no step times.\n"), steps.report());
        const QByteArray shown = atelier.runWell({"show", "first try"}).output;
        QVERIFY2(shown.contains("Imported from Weights & Biases (") && shown.contains("), where it finished."), shown);
        QVERIFY(atelier.runWell({"metrics", "first try", "val.fid"}).output.contains("0.1"));
        QCOMPARE(atelier.runWell({"export", "first try", "--csv"}).output.count("\nloss,0,1,"), 12);
        const QByteArray filtered = atelier.runWell({"list", "--filter", "state:imported and model.depth = 12 and tag:lora"}).output;
        QVERIFY2(filtered.contains("first-try") && !filtered.contains("second-try"), filtered);
        const QByteArray compared = atelier.runWell({"compare", "first try", "third try"}).output;
        QVERIFY2(compared.contains("lr") && compared.contains("0.0003") && compared.contains("0.0001"), compared);
        QCOMPARE(atelier.runWell({"reindex"}).exitCode, 0);
        QCOMPARE(runCalled("first try", atelier.runWell({"list", "--json"}).json()), listed);
        QCOMPARE(atelier.runWell({"tag", "first try", "--add", "kept"}).exitCode, 0);
    }

    void E7_anImportedRunIsNotContinued()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.runWell({"import", kForeign + "/tensorboard/tensors"}).exitCode, 0);
        for (const QStringList& command : {QStringList {"resume", "latest"}, QStringList {"run", "--like", "latest"}}) {
            const Outcome outcome = atelier.run(command);
            QCOMPARE(outcome.exitCode, 1);
            QVERIFY2(outcome.errors.contains("was imported: another program has recorded it"), outcome.errors);
        }
        const Outcome stop = atelier.run({"stop", "latest"});
        QVERIFY2(stop.exitCode == 1 && stop.errors.contains("imported"), stop.report());
        QCOMPARE(launcher::inspectRun(atelier.onlyRun()).state, launcher::RunState::Imported);
    }

    void E7_anExportComesBackInAnotherHome_data()
    {
        QTest::addColumn<QString>("format");
        QTest::newRow("E7 CSV") << "csv";
        QTest::newRow("E7 JSON") << "json";
    }
    void E7_anExportComesBackInAnotherHome()
    {
        QFETCH(QString, format);
        AtelierProgram from, to;
        from.addFinishedRun("digits-20261121-101500-aaaa", 30);
        const QByteArray values = from.runWell({"export", "latest", "--" + format}).output;
        const QString file = to.writeFile("values." + format, values);
        const QJsonObject run = to.runWell({"import", file, "--json"}).json()[QLatin1String("runs")].toArray().at(0).toObject();
        QCOMPARE(run[QLatin1String("what")].toString(), QStringLiteral("new"));
        QCOMPARE(run[QLatin1String("program")].toString(), format.toUpper());
        QCOMPARE(run[QLatin1String("new_values")].toInt(), 90);
        QCOMPARE(to.runWell({"export", "latest", "--" + format}).output, values);
        QCOMPARE(to.runWell({"import", file}).output.count(" known"), 1);
        QCOMPARE(to.runs().size(), 1);
    }

    void E7_severalTablesAtOnce()
    {
        AtelierProgram atelier;
        const QString tables = kForeign + "/tables/";
        const Outcome outcome = atelier.runWell({"import", tables + "wandb_export.csv", tables + "run-train-tag-loss.csv", tables + "trainer_state.json", tables + "rewards.jsonl", "--json"});
        QStringList ids;
        for (const QJsonValue& run : outcome.json()[QLatin1String("runs")].toArray())
            ids << run[QLatin1String("run")].toString().section(QLatin1Char('-'), 0, -4);
        QCOMPARE(ids, QStringList({"swift-bird-1", "calm-lake-2", "train", "tables", "rewards"}));
        QVERIFY2(outcome.errors.contains("12 texts were left out; Atelier has no place for them"), outcome.errors);
        QVERIFY(atelier.runWell({"metrics", "calm-lake-2", "val/fid"}).output.contains("0.9"));
        QVERIFY(atelier.runWell({"export", "swift-bird-1", "--csv"}).output.contains("\nloss,0,1,0,0,1,false\n"));
        QVERIFY(atelier.runWell({"export", "calm-lake-2", "--csv"}).output.contains("\nloss,0,1,0,0,2,false\n"));
        const QByteArray shown = atelier.runWell({"show", "swift-bird-1"}).output;
        QVERIFY2(shown.contains("Imported from CSV (") && shown.contains("  1 rank, to step "), shown);  // nobody knows on which host
    }

    /// What is wrong in one file does not keep the others out, and leaves no half of a run.
    void E7_aDamagedTableIsSaid()
    {
        AtelierProgram atelier;
        const QString bad = atelier.writeFile("bad.csv", "step,loss\n1,2\n2,3\nthree,4\n");
        const QString empty = atelier.writeFile("empty.csv", "");
        const Outcome outcome = atelier.run({"import", bad, empty, kForeign + "/tables/rewards.jsonl"});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.errors.contains("error: " + empty.toUtf8() + ": is empty"), outcome.errors);
        QVERIFY2(outcome.errors.contains("error: " + bad.toUtf8() + ": line 4, column 1: \"three\" is no step, which is a whole number"), outcome.errors);
        QCOMPARE(atelier.runs().size(), 1);
        QVERIFY(atelier.runs().at(0).startsWith(QLatin1String("rewards-")));
        QVERIFY(atelier.runWell({"import", "--help"}).output.contains("trainer_state.json"));
    }

    void E7_aDamagedDatabaseInAFolderIsWhatIsSaid()
    {
        AtelierProgram atelier;
        const QTemporaryDir folder;
        QFile file(folder.filePath("runs.db"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray("SQLite format 3\0", 16) + QByteArray(4096, 'x')) > 0);
        file.close();
        const Outcome outcome = atelier.run({"import", folder.path()});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.startsWith("error: ") && outcome.errors.contains("runs.db: cannot be read as a database"), outcome.report());
        QVERIFY2(!outcome.errors.contains("holds nothing"), outcome.report());
    }

    void E7_whatCannotBeImportedIsSaid()
    {
        AtelierProgram atelier;
        const Outcome missing = atelier.run({"import", "/nowhere"});
        QVERIFY2(missing.exitCode == 1 && missing.errors.startsWith("error: /nowhere cannot be read"), missing.report());
        const Outcome other = atelier.run({"import", atelier.writeFile("a.txt", "x")});
        QVERIFY2(other.exitCode == 1 && other.errors.contains("is neither an event file"), other.report());
        const Outcome empty = atelier.run({"import", QStringLiteral(ATELIER_SOURCE_DIR "/tests/fixtures/tokenizers")});
        QVERIFY2(empty.exitCode == 1 && empty.errors.contains("holds nothing to import"), empty.report());
    }
};

QTEST_GUILESS_MAIN(ImportTest)
#include "tst_import.moc"
