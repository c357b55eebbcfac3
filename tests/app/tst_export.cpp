// atelier export
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include "engine/contract/formats/text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <cmath>

using tests::AtelierProgram;
using tests::kExampleSteps;
using tests::linesOf;
using tests::Outcome;

class ExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m08_exportIsTheJournalBitForBit()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        const Outcome outcome = atelier.run({"export", "latest", "--csv"});
        auto lines = linesOf(outcome.output);
        QCOMPARE(lines.front(), QByteArray("metric,rank,attempt,step,t_ms,value,superseded"));
        QCOMPARE(lines.size(), std::size_t(1 + 3 * kExampleSteps));
        int step = 0;
        for (const QByteArray& line : lines) {
            if (!line.startsWith("loss,0,1,"))
                continue;
            const auto cells = line.split(',');
            QCOMPARE(cells[3].toInt(), ++step);
            QCOMPARE(cells[5].toStdString(), contract::shortestText(tests::exampleLoss(step)));
            QCOMPARE(cells[6], QByteArray("false"));
        }
        QCOMPARE(step, kExampleSteps);
    }

    void E7_severalRunsAreWrittenToAFolder()
    {
        AtelierProgram atelier;
        const QStringList ids = {"digits-20261121-101500-aaaa", "emoji-20261121-101501-bbbb"};
        for (const QString& id : ids)
            atelier.addFinishedRun(id.toStdString(), kExampleSteps);
        QTemporaryDir base;
        const QString folder = base.filePath("new/values");
        const QStringList command = {"export", ids[0], ids[1], ids[0], "--csv"};
        const Outcome nowhere = atelier.run(command);
        QVERIFY2(nowhere.exitCode == 2 && nowhere.errors.contains("--output"), nowhere.report());
        const Outcome written = atelier.run(command + QStringList {"--output", folder});
        QVERIFY2(written.exitCode == 0 && linesOf(written.output).size() == 2, written.report());
        for (const QString& id : ids) {
            QFile file(folder + "/" + id + ".csv");
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), atelier.run({"export", id, "--csv"}).output);
        }
        // Nothing is written where one file is there already.
        QVERIFY(QFile::remove(folder + "/" + ids[0] + ".csv"));
        const Outcome taken = atelier.run(command + QStringList {"--output", folder});
        QVERIFY2(taken.exitCode == 1 && taken.errors.contains(ids[1].toUtf8() + ".csv exists"), taken.report());
        QVERIFY(!QFile::exists(folder + "/" + ids[0] + ".csv"));
        QCOMPARE(atelier.run(command + QStringList {"--output", folder, "--overwrite"}).exitCode, 0);
        QVERIFY(QFile::exists(folder + "/" + ids[0] + ".csv"));
    }

    void exportToAFileLeavesNothingHalf()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        const QString file = atelier.writeFile("metrics.csv", "old");
        const Outcome outcome = atelier.run({"export", "latest", "--csv", "--overwrite", "--output", file});
        QVERIFY2(outcome.exitCode == 0 && outcome.output.isEmpty(), outcome.report());
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(written.readAll(), atelier.run({"export", "latest", "--csv"}).output);
        const Outcome failed = atelier.run({"export", "latest", "--csv", "--output", "/nowhere/x.csv"});
        QVERIFY2(failed.exitCode == 1 && failed.errors.contains("/nowhere/x.csv cannot be written"), failed.report());
    }

    void whatIsThereIsNotOverwritten_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("expectedError");
        QTest::newRow("defect-44: a file") << "metrics.csv" << 1 << QByteArray("exists; choose another name, or use --overwrite");
        QTest::newRow("defect-44: a folder") << "." << 2 << QByteArray("is not a regular file");
        QTest::newRow("defect-44: a device") << "/dev/full" << 2 << QByteArray("is not a regular file");
    }
    void whatIsThereIsNotOverwritten()
    {
        QFETCH(QString, target);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, expectedError);
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        QFile old(atelier.writeFile("metrics.csv", "old"));
        const QDir folder(QFileInfo(old).path());
        const Outcome outcome = atelier.run({"export", "latest", "--csv", "--output", folder.filePath(target)});
        QVERIFY2(outcome.exitCode == exitCode && outcome.errors.contains(expectedError), outcome.report());
        QVERIFY(old.open(QIODevice::ReadOnly));
        QCOMPARE(old.readAll(), QByteArray("old"));
        QCOMPARE(folder.entryList({"*.tmp*"}).size(), 0);
    }

    void exportWithoutAFormatIsWrongUsage()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        QCOMPARE(atelier.run({"export", "latest"}).exitCode, 2);
        QCOMPARE(atelier.run({"export", "latest", "--csv", "--json"}).exitCode, 2);
    }

    void fullDiskAtTheOutputIsAFailure()
    {
        AtelierProgram atelier;
        QProcess process;
        process.start("/bin/sh", {"-c", ATELIER_BIN_DIR "/atelier options > /dev/full"});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 1);
        QVERIFY(process.readAllStandardError().contains("standard output cannot be written"));
    }
};

QTEST_GUILESS_MAIN(ExportTest)
#include "tst_export.moc"
