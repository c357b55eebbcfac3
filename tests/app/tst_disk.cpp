// E12: what occupies the disk, and how room is made, by the real command.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "launcher/home/keep_rules.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <cmath>

using tests::AtelierProgram;
using tests::Outcome;
using tests::kDigits;

namespace {

void writeBytes(const std::filesystem::path& path, qsizetype bytes)
{
    std::filesystem::create_directories(path.parent_path());
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(bytes, 'x')) == bytes);
}

void addCheckpoint(const contract::RunFolder& run, std::int64_t step, double loss)
{
    writeBytes(run.checkpoint(step) / "rank-0.safetensors", 10'000);
    contract::CheckpointManifest manifest;
    manifest.run = run.id();
    manifest.step = step;
    manifest.metrics = {{"validation/loss", loss}};
    manifest.fileBytes = {{"rank-0.safetensors", 10'000}};
    contract::writeManifest(run.checkpoint(step), manifest);
}

std::vector<launcher::CheckpointFacts> facts()
{
    std::vector<launcher::CheckpointFacts> all;
    for (const auto& [step, loss] : std::vector<std::pair<int, double>> {{100, 3}, {150, std::nan("")}, {200, 1}, {300, 2}, {400, 1}, {450, 5}, {500, 4}})
        all.push_back({.step = step, .isPinned = step == 150, .metrics = {{"loss", loss}}});
    return all;
}

}  // namespace

class DiskTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    QList<int> stepsOf(const contract::RunFolder& run) const
    {
        QList<int> steps;
        for (const std::int64_t step : run.checkpointSteps())
            steps << int(step);
        return steps;
    }

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }

    void E12_rulesKeepWhatTheySay_data()
    {
        QTest::addColumn<QString>("rules");
        QTest::addColumn<QList<int>>("surplus");
        // 150 is pinned and 500 the latest: no rule gives them away.
        QTest::newRow("the last") << "last 1" << QList<int> {100, 200, 300, 400, 450};
        QTest::newRow("the last three") << "last 3" << QList<int> {100, 200, 300};
        QTest::newRow("more than there are") << "last 99" << QList<int>();
        QTest::newRow("every 200") << "every 200" << QList<int> {100, 300, 450};
        QTest::newRow("the best; of equal ones the later") << "best" << QList<int> {100, 200, 300, 450};
        QTest::newRow("the best three") << "best 3" << QList<int> {100, 450};
        QTest::newRow("the highest") << "highest" << QList<int> {100, 200, 300, 400};
        QTest::newRow("several") << "every 100 last 2" << QList<int>();
        QTest::newRow("by a metric that none has") << "best of none" << QList<int>();
    }
    void E12_rulesKeepWhatTheySay()
    {
        QFETCH(QString, rules);
        QFETCH(QList<int>, surplus);
        launcher::KeepRules keep;
        const QStringList words = rules.split(' ');
        if (words.contains("last"))
            keep.last = words[words.indexOf("last") + 1].toUInt();
        if (words.contains("every"))
            keep.every = words[words.indexOf("every") + 1].toInt();
        if (words.contains("best") || words.contains("highest"))
            keep.best = words.contains("none") ? "none" : "loss";
        keep.bestCount = rules == "best 3" ? 3 : 1;
        keep.isHighestBest = words.contains("highest");
        QList<int> found;
        for (const std::int64_t step : launcher::surplusCheckpoints(facts(), keep))
            found << int(step);
        QCOMPARE(found, surplus);
    }

    void E12_bytesAreToldByRunAndKind()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 10);
        m_atelier->addFinishedRun("faces-20261120-101500-bbbb", 1);
        writeBytes(run.checkpoint(10) / "rank-0.safetensors", 5000);
        writeBytes(run.samples() / "a.png", 300);
        writeBytes(run.samples() / "b.png", 30);
        writeBytes(run.log(0), 70);
        writeBytes(m_atelier->home().data / "cache" / "features" / "x", 900);
        writeBytes(m_atelier->home().trash() / "old-20261120-101500-cccc" / "file", 40);
        std::filesystem::create_symlink("/usr", run.samples() / "link");
        const QJsonObject usage = m_atelier->runWell({"disk", "--json"}).json().object();
        const QJsonObject first = usage["runs"][0].toObject();
        QCOMPARE(first["run"].toString(), QString(kDigits));
        QCOMPARE(first["checkpoints"].toInt(), 5000);
        QCOMPARE(first["samples"].toInt(), 330);
        QCOMPARE(first["logs"].toInt(), 70);
        QCOMPARE(first["journals"].toInteger(), QFileInfo(QString::fromStdString(run.journal(0).string())).size()
                + QFileInfo(QString::fromStdString(run.journal(1).string())).size() + QFileInfo(QString::fromStdString(run.journal(-1).string())).size());
        QCOMPARE(first["total"].toInteger(), first["checkpoints"].toInteger() + 330 + 70 + first["journals"].toInteger() + first["other"].toInteger());
        QCOMPARE(usage["caches"].toInt(), 900);
        QCOMPARE(usage["trash"].toInt(), 40);
        QCOMPARE(usage["total"].toInteger(), first["total"].toInteger() + usage["runs"][1]["total"].toInteger() + usage["database"].toInteger() + 940);
        QVERIFY(usage["free"].toInteger() > 0);
        const Outcome text = m_atelier->runWell({"disk", "-n", "1"});
        QVERIFY2(text.output.contains("5.0 kB") && text.output.contains("1 more runs") && text.output.contains("free"), text.report());
    }

    void E12_cleaningIsPreviewedDoneAndUndone()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 10);
        const contract::RunFolder other = m_atelier->addFinishedRun("faces-20261120-101500-bbbb", 10);
        for (const int step : {10, 20, 30, 40})
            addCheckpoint(run, step, step == 20 ? 0.1 : 0.5);
        addCheckpoint(other, 5, 1);
        writeBytes(run.checkpoint(10) / contract::kPinFile, 0);
        const Outcome without = m_atelier->run({"disk", "clean"});
        QVERIFY2(without.exitCode == 2 && without.errors.contains("--keep-last"), without.report());
        const Outcome preview = m_atelier->runWell({"disk", "clean", "--keep-last", "1", "--preview"});
        QVERIFY2(preview.output.contains("step-20") && preview.output.contains("2 checkpoints") && !preview.output.contains("step-10"), preview.report());
        QCOMPARE(stepsOf(run), QList<int>({10, 20, 30, 40}));
        const QJsonObject moved = m_atelier->runWell({"disk", "clean", "--keep-best", "validation/loss", "--json"}).json().object();
        QCOMPARE(moved["moved"].toArray().size(), 1);
        QCOMPARE(moved["moved"][0]["step"].toInt(), 30);
        QVERIFY(moved["bytes"].toInteger() > 10'000);
        QCOMPARE(stepsOf(run), QList<int>({10, 20, 40}));
        const Outcome text = m_atelier->runWell({"disk", "clean", "digits", "--keep-last", "1"});
        QCOMPARE(stepsOf(run), QList<int>({10, 40}));
        // The line that it prints undoes it.
        const QString undo = QString::fromUtf8(text.output).section('\n', 1, 1).trimmed();
        QVERIFY2(undo.startsWith("atelier trash restore "), text.report());
        m_atelier->runWell(undo.split(' ').mid(1));
        QCOMPARE(stepsOf(run), QList<int>({10, 20, 40}));
        QCOMPARE(stepsOf(other), QList<int>({5}));
    }

    void E12_activeRunsAreLeftAlone()
    {
        const QString file = m_atelier->writeFile("live.toml",
            "[run]\nname = \"live\"\ntotal_steps = 100000\n[launch]\nranks = 2\n[data]\npath = \"" ATELIER_SOURCE_DIR "/resources/digits.csv.gz\"\n");
        m_atelier->runWell({"run", file, "--detach"});
        const contract::RunFolder run = m_atelier->onlyRun();
        addCheckpoint(run, 1, 1);
        addCheckpoint(run, 2, 1);
        QVERIFY(m_atelier->runWell({"disk", "clean", "--keep-last", "1", "--yes"}).output.contains("keep every"));
        const Outcome named = m_atelier->run({"disk", "clean", "live", "--keep-last", "1", "--yes"});
        QVERIFY2(named.exitCode == 1 && named.errors.contains("active"), named.report());
        QCOMPARE(stepsOf(run).mid(0, 2), QList<int>({1, 2}));
    }
};

QTEST_GUILESS_MAIN(DiskTest)
#include "tst_disk.moc"
