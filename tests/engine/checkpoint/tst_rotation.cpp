// Which checkpoints each policy keeps, and that nothing else is removed.
#include "engine/checkpoint/rotation.h"

#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"

#include <QTemporaryDir>
#include <QtTest>

#include <sys/mount.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace fs = std::filesystem;
using engine::RotationCandidate;
using engine::RotationPolicy;
using Steps = std::vector<std::int64_t>;
namespace {

/// Checkpoints of 10 bytes at steps 1, 2 … written one after another.
std::vector<RotationCandidate> row(int count)
{
    std::vector<RotationCandidate> all;
    for (int step = 1; step <= count; ++step)
        all.push_back({.step = step, .unixMs = 1000 + step, .bytes = 10, .isPinned = false, .metric = {}});
    return all;
}

std::vector<RotationCandidate> measured(const std::vector<double>& metrics)
{
    auto all = row(static_cast<int>(metrics.size()));
    for (std::size_t i = 0; i < metrics.size(); ++i)
        if (std::isfinite(metrics[i]))
            all[i].metric = metrics[i];
    return all;
}

std::vector<RotationCandidate> pinned(std::vector<RotationCandidate> all, const std::set<std::int64_t>& steps)
{
    for (RotationCandidate& each : all)
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
        manifest.metrics = {{"validation/loss", loss}, {"loss", 10 - loss}};
        manifest.fileBytes = {{"rank-0.safetensors", 100}};
        contract::writeManifest(run.checkpoint(step), manifest);
    }

private Q_SLOTS:
    void thePolicyNamesWhatGoes_data()
    {
        QTest::addColumn<std::vector<RotationCandidate>>("checkpoints");
        QTest::addColumn<RotationPolicy>("policy");
        QTest::addColumn<qint64>("written");
        QTest::addColumn<Steps>("gone");
        const auto add = [](const char* name, const std::vector<RotationCandidate>& checkpoints, const RotationPolicy& policy,
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
        add("E-127 total size", row(6), {.keep = 6, .maxBytes = 35}, 6, {1, 2, 3});
        add("E-127 total size exactly", row(3), {.keep = 6, .maxBytes = 30}, 3, {});
        add("E-127 count and size", row(6), {.keep = 4, .maxBytes = 25}, 6, {1, 2, 3, 4});
        add("E-127 size takes keep-every last", row(6), {.keep = 6, .keepEvery = 2, .maxBytes = 25}, 6, {1, 3, 5, 2});
        add("E-127 size never takes the best", measured({1, 2, 3}), {.keep = 3, .keepBest = 1, .maxBytes = 5}, 3, {2});
        add("E-127 size never takes the one just written", row(2), {.keep = 2, .maxBytes = 1}, 2, {1});
        add("pinned ones stay and do not count", pinned(row(5), {1, 4}), {.keep = 2}, 5, {2});
        add("pinned ones stay, and their bytes count", pinned(row(4), {1}), {.keep = 9, .maxBytes = 20}, 4, {2, 3});
        auto resumed = row(5);
        resumed[1].unixMs = 9000;  // step 2 was written anew, after a resume from step 1
        add("the one just written counts as the newest, whatever its step", resumed, {.keep = 2}, 2, {1, 3, 4});
    }
    void thePolicyNamesWhatGoes()
    {
        QFETCH(std::vector<RotationCandidate>, checkpoints);
        QFETCH(RotationPolicy, policy);
        QFETCH(qint64, written);
        QFETCH(Steps, gone);
        QCOMPARE(engine::checkpointsToRemove(checkpoints, policy, written), gone);
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

    void whatCannotBeReadIsPassedOver_data()
    {
        QTest::addColumn<QString>("what");
        QTest::newRow("defect-10: a checkpoint behind a loop of links") << "folder";
        QTest::newRow("defect-10: a manifest behind a loop of links") << "manifest";
        QTest::newRow("defect-10: a pin behind a loop of links") << "pin";
        QTest::newRow("defect-10: a file") << "file";
    }
    void whatCannotBeReadIsPassedOver()
    {
        QFETCH(QString, what);
        const auto run = newRun();
        for (const std::int64_t step : {1, 2, 3})
            write(run, step);
        if (what == "folder")
            fs::create_symlink("step-9", run.checkpoint(9));
        else if (what == "file")
            std::ofstream(run.checkpoint(9)) << "no folder";
        else if (what == "pin")
            fs::create_symlink(contract::kPinFile, run.checkpoint(2) / contract::kPinFile);
        else if (fs::create_directory(run.checkpoint(9)))
            fs::create_symlink(contract::kManifestFile, run.checkpoint(9) / contract::kManifestFile);
        engine::rotateCheckpoints(run, {.keep = 1}, 3);
        // A pin that cannot be read may be one; a manifest that cannot be read is one.
        QCOMPARE(run.checkpointSteps(), what == "pin" ? Steps({2, 3}) : what == "manifest" ? Steps({3, 9}) : Steps({3}));
        QCOMPARE(run.checkpointFolders(), what == "pin" ? Steps({2, 3}) : Steps({3, 9}));
    }

    void whatMayBePinnedIsNoLeftover_data()
    {
        QTest::addColumn<bool>("isReadable");
        QTest::newRow("defect-10: a pin") << true;
        QTest::newRow("defect-10: a pin behind a loop of links") << false;
    }
    /// As after an attempt that was killed while it replaced a pinned checkpoint.
    void whatMayBePinnedIsNoLeftover()
    {
        QFETCH(bool, isReadable);
        const auto run = newRun();
        const fs::path former = run.checkpoints() / (std::string(engine::kUnfinishedPrefix) + "2-1");
        fs::create_directories(former);
        if (isReadable)
            std::ofstream(former / contract::kPinFile) << "\n";
        else
            fs::create_symlink(contract::kPinFile, former / contract::kPinFile);
        engine::removeUnfinishedCheckpoints(run);
        QVERIFY(fs::exists(former));
        fs::remove(former / contract::kPinFile);
        engine::removeUnfinishedCheckpoints(run);
        QVERIFY(!fs::exists(former));
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
        write(run, 6, 0);
        engine::rotateCheckpoints(run, {.keep = 1, .keepBest = 2, .bestMetric = "unknown", .isLowerBest = false}, 6);
        QCOMPARE(run.checkpointSteps(), Steps({4, 5, 6}));  // of the lowest loss
        std::filesystem::remove_all(run.checkpoint(6));
        engine::rotateCheckpoints(run, {.keep = 5, .maxBytes = 250}, 5);
        QCOMPARE(run.checkpointSteps(), Steps({4, 5}));
    }

    void whatCannotBeRemovedIsSaid_defect_16()
    {
        const auto run = newRun();
        for (const std::int64_t step : {1, 2, 3})
            write(run, step);
        const fs::path inside = run.checkpoint(1) / "disk";
        fs::create_directories(inside);
        if (::mount("tmpfs", inside.c_str(), "tmpfs", 0, "size=64k") != 0)
            QSKIP("only root can mount the disk that cannot be removed");
        const fs::path moved = run.checkpoints() / (std::string(engine::kUnfinishedPrefix) + "step-1") / "disk";
        const auto unmount = qScopeGuard([&] {
            ::umount2(moved.c_str(), MNT_DETACH);
            ::umount2(inside.c_str(), MNT_DETACH);
        });
        QVERIFY_THROWS_EXCEPTION(std::system_error, engine::rotateCheckpoints(run, {.keep = 1}, 3));
        QCOMPARE(run.checkpointSteps().back(), std::int64_t {3});
        QVERIFY(!fs::exists(run.checkpoint(2)));  // the others are removed all the same
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

    /// On a file system that cannot exchange names, a kill may come between the two renamings.
    void whatWasAboutToBeReplacedIsKept_data()
    {
        QTest::addColumn<bool>("isReplaced");
        QTest::newRow("defect-3: its successor has no name yet") << false;
        QTest::newRow("defect-3: its successor has the name") << true;
    }
    void whatWasAboutToBeReplacedIsKept()
    {
        QFETCH(bool, isReplaced);
        const auto run = newRun();
        write(run, 20, 3);
        const fs::path former = run.checkpoints() / (std::string(engine::kUnfinishedPrefix) + "20-1" + engine::kFormerEnding);
        fs::rename(run.checkpoint(20), former);
        if (isReplaced)
            write(run, 20, 4);
        engine::removeUnfinishedCheckpoints(run);
        QVERIFY(!fs::exists(former));
        QCOMPARE(run.checkpointSteps(), Steps({20}));
        QCOMPARE(contract::readManifest(run.checkpoint(20)).metrics.at("validation/loss"), isReplaced ? 4 : 3);
    }
};

QTEST_APPLESS_MAIN(RotationTest)
#include "tst_rotation.moc"
