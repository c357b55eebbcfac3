// Which checkpoints stay, by policy, and that nothing else is ever touched.
#include "engine/checkpoint/rotation.h"

#include "engine/contract/checkpoint_lock.h"
#include "engine/contract/checkpoint_manifest.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace fs = std::filesystem;
using engine::KeptCheckpoint;
using engine::RotationPolicy;
using Steps = std::vector<std::int64_t>;
Q_DECLARE_METATYPE(RotationPolicy)
Q_DECLARE_METATYPE(std::vector<KeptCheckpoint>)
Q_DECLARE_METATYPE(Steps)

namespace {

/// Checkpoints of 10 bytes at steps 1, 2 … written one after another.
std::vector<KeptCheckpoint> row(int count)
{
    std::vector<KeptCheckpoint> all;
    for (int step = 1; step <= count; ++step)
        all.push_back({.step = step, .unixMs = 1000 + step, .bytes = 10, .isPinned = false, .metric = {}});
    return all;
}

std::vector<KeptCheckpoint> measured(const std::vector<double>& metrics)
{
    auto all = row(static_cast<int>(metrics.size()));
    for (std::size_t i = 0; i < metrics.size(); ++i)
        if (std::isfinite(metrics[i]))
            all[i].metric = metrics[i];
    return all;
}

std::vector<KeptCheckpoint> pinned(std::vector<KeptCheckpoint> all, const std::set<std::int64_t>& steps)
{
    for (KeptCheckpoint& each : all)
        each.isPinned = steps.contains(each.step);
    return all;
}

}  // namespace

class RotationTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    int m_count = 0;

    contract::RunFolder newRun()
    {
        const contract::RunFolder run(fs::path(m_root.path().toStdString()) / std::to_string(++m_count));
        fs::create_directories(run.checkpoints());
        return run;
    }
    static void write(const contract::RunFolder& run, std::int64_t step, double loss = 0)
    {
        fs::create_directories(run.checkpoint(step));
        std::ofstream(run.checkpoint(step) / "rank-0.safetensors") << std::string(100, 'x');
        contract::CheckpointManifest manifest;
        manifest.step = step;
        manifest.unixMs = 1000 + step;
        manifest.metrics = {{"validation/loss", loss}};
        manifest.fileBytes = {{"rank-0.safetensors", 100}};
        contract::writeManifest(run.checkpoint(step), manifest);
    }

private Q_SLOTS:
    void thePolicyNamesWhatGoes_data()
    {
        QTest::addColumn<std::vector<KeptCheckpoint>>("checkpoints");
        QTest::addColumn<RotationPolicy>("policy");
        QTest::addColumn<qint64>("written");
        QTest::addColumn<Steps>("gone");
        const auto add = [](const char* name, const std::vector<KeptCheckpoint>& checkpoints, const RotationPolicy& policy,
                             qint64 written, const Steps& gone) {
            QTest::newRow(name) << checkpoints << policy << written << gone;
        };
        add("E-122 the oldest beyond the count", row(5), {.keep = 2}, 5, {1, 2, 3});
        add("E-122 fewer than the count", row(2), {.keep = 3}, 2, {});
        add("E-122 one", row(3), {.keep = 1}, 3, {1, 2});
        add("E-127 keep-every beyond the count", row(6), {.keep = 1, .keepEvery = 2}, 6, {1, 3, 5});
        add("E-127 the lowest", measured({5, 1, 4, 2, 3, 9}), {.keep = 1, .keepBest = 2}, 6, {1, 3, 5});
        add("E-127 the highest", measured({5, 1, 4, 2, 3, 9}), {.keep = 1, .keepBest = 2, .isLowerBest = false}, 6, {2, 3, 4, 5});
        add("E-127 an unknown or non-finite metric is never the best", measured({NAN, 7, INFINITY, 8}),
            {.keep = 1, .keepBest = 2}, 4, {1, 3});
        add("E-127 of equal ones the older", measured({3, 3, 3}), {.keep = 1, .keepBest = 1}, 3, {2});
        add("E-127 total size", row(6), {.keep = 6, .mostBytes = 35}, 6, {1, 2, 3});
        add("E-127 total size exactly", row(3), {.keep = 6, .mostBytes = 30}, 3, {});
        add("E-127 count and size", row(6), {.keep = 4, .mostBytes = 25}, 6, {1, 2, 3, 4});
        add("E-127 size takes keep-every last", row(6), {.keep = 6, .keepEvery = 2, .mostBytes = 25}, 6, {1, 3, 5, 2});
        add("E-127 size never takes the best", measured({1, 2, 3}), {.keep = 3, .keepBest = 1, .mostBytes = 5}, 3, {2});
        add("E-127 size never takes the one just written", row(2), {.keep = 2, .mostBytes = 1}, 2, {1});
        add("pinned ones stay and do not count", pinned(row(5), {1, 4}), {.keep = 2}, 5, {2});
        add("pinned ones stay, and their bytes count", pinned(row(4), {1}), {.keep = 9, .mostBytes = 20}, 4, {2, 3});
        auto resumed = row(5);
        resumed[1].unixMs = 9000;  // step 2 was written anew, after a resume from step 1
        add("the one just written counts as the newest, whatever its step", resumed, {.keep = 2}, 2, {1, 3, 4});
    }
    void thePolicyNamesWhatGoes()
    {
        QFETCH(std::vector<KeptCheckpoint>, checkpoints);
        QFETCH(RotationPolicy, policy);
        QFETCH(qint64, written);
        QFETCH(Steps, gone);
        QCOMPARE(engine::superfluousCheckpoints(checkpoints, policy, written), gone);
    }

    void onlyWholeCheckpointsOfOursGo_E127()
    {
        const auto run = newRun();
        for (const std::int64_t step : {1, 2, 3, 4, 5, 6})
            write(run, step);
        fs::create_directories(run.checkpoints() / "mine");
        fs::create_directories(run.checkpoint(7));  // no manifest
        fs::create_directories(run.checkpoint(8));
        std::ofstream(run.checkpoint(8) / contract::kManifestFile) << "{}";  // not one of ours
        std::ofstream(run.checkpoint(1) / contract::kPinFile) << "\n";
        const contract::CheckpointLock reader(run.checkpoint(2), contract::CheckpointLock::Use::Read);
        engine::rotateCheckpoints(run, {.keep = 2}, 6);
        QCOMPARE(run.checkpointSteps(), Steps({1, 2, 5, 6, 8}));
        QVERIFY(fs::exists(run.checkpoints() / "mine"));
        QVERIFY(fs::exists(run.checkpoint(7)));
    }

    void whatWasReadGoesTheNextTime()
    {
        const auto run = newRun();
        for (const std::int64_t step : {1, 2, 3})
            write(run, step);
        {
            const contract::CheckpointLock reader(run.checkpoint(1), contract::CheckpointLock::Use::Read);
            engine::rotateCheckpoints(run, {.keep = 1}, 3);
            QCOMPARE(run.checkpointSteps(), Steps({1, 3}));
        }
        engine::rotateCheckpoints(run, {.keep = 1}, 3);
        QCOMPARE(run.checkpointSteps(), Steps({3}));
    }

    void metricAndSizeComeFromTheManifests_E127()
    {
        const auto run = newRun();
        write(run, 1, 3);
        write(run, 2, 1);
        write(run, 3, 2);
        write(run, 4, 4);
        engine::rotateCheckpoints(run, {.keep = 1, .keepBest = 1, .bestMetric = "validation/loss"}, 4);
        QCOMPARE(run.checkpointSteps(), Steps({2, 4}));
        write(run, 5, 5);
        engine::rotateCheckpoints(run, {.keep = 5, .mostBytes = 250}, 5);
        QCOMPARE(run.checkpointSteps(), Steps({4, 5}));
    }

    void leftoversOfAKilledAttemptAreRemoved()
    {
        const auto run = newRun();
        write(run, 1);
        fs::create_directories(run.checkpoints() / (std::string(engine::kUnfinishedPrefix) + "2") / "deep");
        engine::removeUnfinishedCheckpoints(run);
        QCOMPARE(std::distance(fs::directory_iterator(run.checkpoints()), fs::directory_iterator()), std::ptrdiff_t(1));
        QCOMPARE(run.checkpointSteps(), Steps({1}));
    }
};

QTEST_APPLESS_MAIN(RotationTest)
#include "tst_rotation.moc"
