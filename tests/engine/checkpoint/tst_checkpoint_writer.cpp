// Saves by real ranks: the checkpoint on disk has the values at the time of save(), and is either complete or absent.
#include "tests/engine/checkpoint/mesh_shape_rows.h"
#include "tests/engine/checkpoint/small_ranks.h"

#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/checkpoint/streamed_copy.h"
#include "engine/contract/checkpoint/checkpoint_file.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "tests/support/file_size_limit.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

namespace fs = std::filesystem;
using contract::MeshShape;
using contract::RunFolder;
using engine::CheckpointWriter;
using engine::Contents;
using engine::Mesh;
using engine::SaveResult;
using tests::SmallModel;
using Strings = std::vector<std::string>;

namespace {

/// Empty, or the first difference to what fill(generation) gives.
std::string loadedDifference(const RunFolder& run, std::int64_t step, Mesh& mesh, int generation)
{
    SmallModel model(mesh);
    const auto loaded = engine::loadCheckpoint(run.checkpoint(step), model.units(), mesh, {}, {});
    if (loaded.manifest.state != tests::manifestOf(step).state)
        return "the caller's state is another";
    return model.difference(generation);
}

std::string problemsOf(const std::vector<SaveResult>& results)
{
    std::string all;
    for (const SaveResult& result : results)
        all += result.problem + "\n";
    return all;
}

/// @param save number of the save, from 1
fs::path unfinished(const RunFolder& run, std::int64_t step, int save)
{
    return run.checkpoints() / (engine::kUnfinishedPrefix + std::to_string(step) + "-" + std::to_string(save));
}

}  // namespace

class CheckpointWriterTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    int m_count = 0;

    static void requireWell(const std::string& complaints) { QVERIFY2(complaints.empty(), complaints.c_str()); }
    RunFolder newRun()
    {
        const RunFolder run(fs::path(m_root.path().toStdString()) / std::to_string(++m_count));
        fs::create_directories(run.checkpoints());
        return run;
    }
    static Strings namesIn(const fs::path& folder)
    {
        Strings names;
        for (const auto& entry : fs::directory_iterator(folder))
            names.push_back(entry.path().filename().string());
        std::ranges::sort(names);
        return names;
    }

private Q_SLOTS:
    /// Any alignment and length, up to some blocks of what is copied at once; nothing beside it is touched.
    void streamedCopiesAreCopies()
    {
        std::vector<unsigned char> from(2000), to(2000);
        for (std::size_t i = 0; i < from.size(); ++i)
            from[i] = static_cast<unsigned char>(i * 7 + i / 256 + 1);
        for (std::size_t offset = 0; offset < 70; offset += 3) {
            for (const std::size_t bytes : {0, 1, 63, 64, 65, 255, 256, 257, 319, 320, 1025}) {
                std::ranges::fill(to, 0);
                engine::streamedCopy(to.data() + offset, from.data() + 5, bytes);
                const bool isRight = std::equal(from.begin() + 5, from.begin() + 5 + static_cast<std::ptrdiff_t>(bytes), to.begin() + static_cast<std::ptrdiff_t>(offset))
                    && std::ranges::count(to, 0) == std::ranges::count(from.begin() + 5, from.begin() + 5 + static_cast<std::ptrdiff_t>(bytes), 0) + static_cast<std::ptrdiff_t>(to.size() - bytes);
                QVERIFY2(isRight, qPrintable(QStringLiteral("%1 bytes to %2").arg(bytes).arg(offset)));
            }
        }
    }

    void anyMeshLoadsWhatAnyOtherSaved_data()
    {
        QTest::addColumn<MeshShape>("from");
        QTest::addColumn<MeshShape>("to");
        QTest::newRow("E-131 1 to 1") << MeshShape {.world = 1, .shard = 1} << MeshShape {.world = 1, .shard = 1};
        QTest::newRow("E-131 1 to 3") << MeshShape {.world = 1, .shard = 1} << MeshShape {.world = 3, .shard = 3};
        QTest::newRow("E-131 3 to 2") << MeshShape {.world = 3, .shard = 3} << MeshShape {.world = 2, .shard = 2};
        QTest::newRow("E-131 2 replicas of 2 to 3") << MeshShape {.world = 4, .shard = 2} << MeshShape {.world = 3, .shard = 3};
        QTest::newRow("E-131 3 to 2 replicas of 2") << MeshShape {.world = 3, .shard = 3} << MeshShape {.world = 4, .shard = 2};
        QTest::newRow("E-131 2 to 3 replicas of 1") << MeshShape {.world = 2, .shard = 2} << MeshShape {.world = 3, .shard = 1};
    }
    void anyMeshLoadsWhatAnyOtherSaved()
    {
        QFETCH(MeshShape, from);
        QFETCH(MeshShape, to);
        const RunFolder run = newRun();
        requireWell(tests::runRanks(from, [&](Mesh& mesh) {
            SmallModel model(mesh);
            model.fill(1);
            CheckpointWriter writer(run, model.units(), mesh, Contents::All, {});
            writer.save(tests::manifestOf(5));
            return problemsOf(writer.finish()) == (mesh.world().rank() == 0 ? "\n" : "") ? "" : "a problem";
        }));
        QCOMPARE(namesIn(run.checkpoint(5)).size(), static_cast<std::size_t>(from.shard) + 1);  // replicas write nothing
        contract::verifyCheckpoint(run.checkpoint(5));  // throws when damaged
        requireWell(tests::runRanks(to, [&](Mesh& mesh) { return loadedDifference(run, 5, mesh, 1); }));
    }

    void theMomentOfTheSaveIsSaved_E120()
    {
        const RunFolder run = newRun();
        const MeshShape two {.world = 2, .shard = 2};
        requireWell(tests::runRanks(two, [&](Mesh& mesh) {
            SmallModel model(mesh);
            CheckpointWriter writer(run, model.units(), mesh, Contents::All, {});
            for (int generation = 1; generation <= 3; ++generation) {
                model.fill(generation);
                writer.save(tests::manifestOf(generation));
            }
            model.fill(4);
            const auto results = writer.finish();
            const std::size_t expected = mesh.world().rank() == 0 ? 3 : 0;
            return results.size() == expected ? problemsOf(results) == std::string(expected, '\n') ? "" : "a problem"
                                              : "results are missing";
        }));
        for (int generation = 1; generation <= 3; ++generation)
            requireWell(tests::runRanks(two, [&](Mesh& mesh) { return loadedDifference(run, generation, mesh, generation); }));
    }

    /// A pipe in place of the file: opening it blocks until there is a reader, like a disk that does not respond.
    void trainingGoesOnWhileTheDiskDoesNot_E120()
    {
        const RunFolder run = newRun();
        const fs::path pipe = unfinished(run, 5, 1) / "rank-0.safetensors";
        fs::create_directories(pipe.parent_path());
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        requireWell(tests::runRanks({.world = 2, .shard = 2}, [&](Mesh& mesh) -> std::string {
            SmallModel model(mesh);
            CheckpointWriter writer(run, model.units(), mesh, Contents::All, {});
            writer.save(tests::manifestOf(5));
            for (int step = 0; step < 20; ++step) {
                if (!writer.poll().empty() || !run.checkpointSteps().empty())
                    return "told before all files were there";
            }
            std::thread reader;
            if (mesh.world().rank() == 0)
                reader = std::thread([&] {
                    const int descriptor = ::open(pipe.c_str(), O_RDONLY | O_CLOEXEC);
                    char portion[4096];
                    while (::read(descriptor, portion, sizeof portion) > 0)
                        continue;
                    ::close(descriptor);
                });
            const std::string problems = problemsOf(writer.finish());
            if (reader.joinable())
                reader.join();
            // A pipe cannot be made durable: that is a failed save.
            const bool isTold = problems.find(pipe.string()) != std::string::npos;
            return isTold == (mesh.world().rank() == 0) ? "" : "told: " + problems;
        }));
        QVERIFY(run.checkpointSteps().empty());
        QVERIFY(!fs::exists(unfinished(run, 5, 1)));
    }

    void oneRanksFailureLeavesNothingBehind_data()
    {
        QTest::addColumn<int>("failing");
        QTest::newRow("E-127 first rank") << 0;
        QTest::newRow("E-127 another rank") << 1;
    }
    void oneRanksFailureLeavesNothingBehind()
    {
        QFETCH(int, failing);
        const RunFolder run = newRun();
        requireWell(tests::runRanks({.world = 2, .shard = 2}, [&](Mesh& mesh) -> std::string {
            SmallModel model(mesh);
            CheckpointWriter writer(run, model.units(), mesh, Contents::All, {});
            model.fill(1);
            writer.save(tests::manifestOf(1));
            writer.finish();
            const std::string ownFile = "rank-" + std::to_string(failing) + ".safetensors: File too large";
            {
                const bool fails = mesh.world().rank() == failing;
                const tests::FileSizeLimit limit(fails ? 4096 : RLIM_INFINITY);
                writer.save(tests::manifestOf(2));
                const std::string problems = problemsOf(writer.finish());
                if (fails && problems.find(ownFile) == std::string::npos)
                    return "the failing rank says: " + problems;
                if (!fails && mesh.world().rank() == 0 && problems.find("rank 1 could not write") == std::string::npos)
                    return "the first rank says: " + problems;
            }
            const bool isLeft = run.checkpointSteps() != std::vector<std::int64_t> {1} || fs::exists(unfinished(run, 2, 2));
            if (isLeft && mesh.world().rank() == 0)
                return "something was left or lost";
            model.fill(3);
            writer.save(tests::manifestOf(3));
            const std::string problems = problemsOf(writer.finish());
            return problems == (mesh.world().rank() == 0 ? "\n" : "") ? "" : "later: " + problems;
        }));
        QCOMPARE(run.checkpointSteps(), (std::vector<std::int64_t> {1, 3}));
        contract::verifyCheckpoint(run.checkpoint(1));
        contract::verifyCheckpoint(run.checkpoint(3));
    }

    void aStepIsReplacedByItsNewerSelf()
    {
        const RunFolder run = newRun();
        const MeshShape one {.world = 1, .shard = 1};
        requireWell(tests::runRanks(one, [&](Mesh& mesh) {
            SmallModel model(mesh);
            CheckpointWriter writer(run, model.units(), mesh, Contents::All, {});
            for (const int generation : {1, 2}) {
                model.fill(generation);
                writer.save(tests::manifestOf(7));
                writer.finish();
            }
            return std::string();
        }));
        QCOMPARE(namesIn(run.checkpoints()), Strings({"step-7"}));
        requireWell(tests::runRanks(one, [&](Mesh& mesh) { return loadedDifference(run, 7, mesh, 2); }));
    }

    /// While rank 0 publishes the first save, rank 1 writes its file of the second.
    void twoSavesOfAStepAreKeptApart_data()
    {
        QTest::addColumn<MeshShape>("shape");
        QTest::newRow("defect-2: 2 ranks") << MeshShape {.world = 2, .shard = 2};
        QTest::newRow("defect-2: 3 ranks") << MeshShape {.world = 3, .shard = 3};
    }
    void twoSavesOfAStepAreKeptApart()
    {
        QFETCH(MeshShape, shape);
        const RunFolder run = newRun();
        requireWell(tests::runRanks(shape, [&](Mesh& mesh) -> std::string {
            SmallModel model(mesh);
            CheckpointWriter writer(run, model.units(), mesh, Contents::All, {.keep = 1});
            for (int round = 0; round < 20; ++round) {
                for (const int generation : {1, 2}) {
                    model.fill(generation);
                    writer.save(tests::manifestOf(round));
                }
                const std::string problems = problemsOf(writer.finish());
                if (problems != (mesh.world().rank() == 0 ? "\n\n" : ""))
                    return "round " + std::to_string(round) + ": " + problems;
            }
            return {};
        }));
        contract::verifyCheckpoint(run.checkpoint(19));
        requireWell(tests::runRanks(shape, [&](Mesh& mesh) { return loadedDifference(run, 19, mesh, 2); }));
    }

    void whatAStepReplacesIsLookedAt_data()
    {
        QTest::addColumn<bool>("isPinned");
        QTest::addColumn<bool>("isRead");
        QTest::newRow("defect-3: pinned") << true << false;
        QTest::newRow("defect-3: pinned and being read") << true << true;
        QTest::newRow("defect-3: being read") << false << true;
        QTest::newRow("defect-3: neither") << false << false;
    }
    void whatAStepReplacesIsLookedAt()
    {
        QFETCH(bool, isPinned);
        QFETCH(bool, isRead);
        const RunFolder run = newRun();
        const MeshShape one {.world = 1, .shard = 1};
        const auto save = [&](int generation) {
            requireWell(tests::runRanks(one, [&](Mesh& mesh) -> std::string {
                SmallModel model(mesh);
                model.fill(generation);
                CheckpointWriter writer(run, model.units(), mesh, Contents::All, {});
                writer.save(tests::manifestOf(7));
                const auto result = writer.finish().front();
                const bool isTold = result.warning.find("step-7-former-1") != std::string::npos;
                return result.problem.empty() && isTold == (isPinned && generation == 2) ? "" : result.problem + result.warning;
            }));
        };
        save(1);
        if (isPinned)
            std::ofstream(run.checkpoint(7) / contract::kPinFile) << "\n";
        std::optional<contract::CheckpointLock> reader;
        if (isRead)
            reader.emplace(run.checkpoint(7), contract::CheckpointLock::Use::Read);
        const auto manifest = contract::readManifest(run.checkpoint(7));
        std::optional<contract::CheckpointFile> opened(std::in_place, run.checkpoint(7), manifest, "rank-0.safetensors");
        save(2);
        requireWell(tests::runRanks(one, [&](Mesh& mesh) { return loadedDifference(run, 7, mesh, 2); }));
        QVERIFY(!fs::exists(run.checkpoint(7) / contract::kPinFile));
        QCOMPARE(namesIn(run.checkpoints()).size(), isPinned || isRead ? 2U : 1U);
        if (isPinned) {
            const fs::path kept = run.checkpoints() / "step-7-former-1";
            QVERIFY(fs::exists(kept / contract::kPinFile));
            contract::verifyCheckpoint(kept);
        }
        // The start of the next attempt removes what was only kept for its reader.
        engine::removeUnfinishedCheckpoints(run);
        QCOMPARE(namesIn(run.checkpoints()).size(), isPinned || isRead ? 2U : 1U);
        reader.reset();
        engine::removeUnfinishedCheckpoints(run);
        QCOMPARE(namesIn(run.checkpoints()).size(), isPinned ? 2U : 1U);
        std::string bytes(manifest.fileBytes.at("rank-0.safetensors"), '\0');
        opened->read(bytes.data(), bytes.size(), 0);  // an open file stays as it was
    }

    void rotationFollowsTheNewOne_E122_E127()
    {
        const RunFolder run = newRun();
        requireWell(tests::runRanks({.world = 2, .shard = 2}, [&](Mesh& mesh) {
            SmallModel model(mesh);
            CheckpointWriter writer(run, model.units(), mesh, Contents::All, {.keep = 2});
            for (int step = 1; step <= 4; ++step) {
                writer.save(tests::manifestOf(step));
                writer.poll();
            }
            writer.finish();
            return std::string();
        }));
        QCOMPARE(namesIn(run.checkpoints()), Strings({"step-3", "step-4"}));
    }
};

QTEST_APPLESS_MAIN(CheckpointWriterTest)
#include "tst_checkpoint_writer.moc"
