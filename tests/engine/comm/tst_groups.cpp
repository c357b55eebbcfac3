// Collectives among real processes: each rank sees the others' data correctly in every round.
#include <ATen/ATen.h>

#include "engine/comm/group.h"
#include "tests/engine/comm/group_run.h"
#include "tests/engine/cpu.h"
#include "tests/engine/shard/late_device.h"
#include "tests/support/whole_test.h"

#include <QtTest>

#include <sys/stat.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

using engine::Exchange;
using engine::Group;
using engine::Sharing;
using tests::allZero;
using tests::kCpu;
using tests::run;

namespace {

at::Tensor slotOf(const at::Tensor& full, const Group& group)
{
    const auto length = full.numel() / group.size();
    return full.narrow(0, group.rank() * length, length);
}

struct SharedBytes {
    std::int64_t mapped = 0;    ///< by this process, of the memory files of all ranks
    std::int64_t reserved = 0;  ///< in those files
};

SharedBytes sharedBytes()
{
    SharedBytes bytes;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin = 0, end = 0;
        if (line.find("atelier-rank") != std::string::npos && std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2)
            bytes.mapped += static_cast<std::int64_t>(end - begin);
    }
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        struct stat facts {};
        std::error_code error;
        if (std::filesystem::read_symlink(entry.path(), error).string().find("atelier-rank") != std::string::npos
            && ::stat(entry.path().c_str(), &facts) == 0)
            bytes.reserved += facts.st_blocks * 512;
    }
    return bytes;
}

/// Stands for GPUs whose ranks do not use NCCL.
struct NoAccelerator final : engine::Accelerator {
    void setDevice(int) override { }
    c10::intrusive_ptr<c10d::Backend> makeNccl(const c10::intrusive_ptr<c10d::Store>&, int, int, std::chrono::milliseconds) override { return {}; }
    void synchronize() override { }
    void emptyCache() override { }
    Memory memory() override { return {}; }
    DriverMemory driverMemory() override { return {}; }
    engine::cuda::Launcher& kernels() override { throw std::logic_error("no kernels"); }
    std::string deviceName() const override { return {}; }
    std::string ncclVersion() const override { return {}; }
};

bool equals(const at::Tensor& tensor, double value) { return tensor.eq(value).all().item<bool>(); }

}  // namespace

class GroupsTest : public QObject {
    Q_OBJECT

    static void addRanks()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {2, 3, 5})
            QTest::addRow("%d ranks", ranks) << ranks;
    }

private Q_SLOTS:
    void aGatheredBufferHoldsEveryRanksSlot_data() { addRanks(); }
    void aGatheredBufferHoldsEveryRanksSlot()
    {
        QFETCH(int, ranks);
        const auto codes = run(ranks, [](Group& group) {
            const at::Tensor full = group.allocate(group.size() * 4000, Sharing::OneCopy, kCpu).view(at::kFloat);
            for (int round = 1; round <= 200; ++round) {
                slotOf(full, group).fill_(round * (group.rank() + 1));
                engine::Pending pending = group.startAllGather(full, "test");
                group.wait(pending);
                for (int rank = 0; rank < group.size(); ++rank) {
                    if (!equals(full.narrow(0, rank * 1000, 1000), round * (rank + 1)))
                        return false;
                }
                // Overwritten only when no rank reads it any more.
                group.awaitRelease(group.noteRelease());
            }
            return true;
        });
        QCOMPARE(codes, allZero(ranks));
    }

    void aSumReadsEveryRanksGradient_data() { addRanks(); }
    void aSumReadsEveryRanksGradient()
    {
        QFETCH(int, ranks);
        const auto codes = run(ranks, [](Group& group) {
            const double total = group.size() * (group.size() + 1) / 2.0;
            for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
                const at::Tensor full
                    = group.allocate(group.size() * 4004, Sharing::OnePerRank, kCpu).view(dtype);
                const at::Tensor shard = at::empty({full.numel() / group.size()});
                for (int round = 1; round <= 50; ++round) {
                    full.fill_(round * (group.rank() + 1));
                    slotOf(full, group).add_(1);
                    engine::Pending pending = group.startSum(shard, full, round > 1, "test");
                    group.wait(pending);
                    group.awaitRelease(group.noteRelease());
                }
                if (!equals(shard, 50 * 51 / 2.0 * total + 50))
                    return false;
            }
            return true;
        });
        QCOMPARE(codes, allZero(ranks));
    }

    void tensorsElsewhereAreExchangedInPieces()
    {
        const auto codes = run(3, [](Group& group) {
            const at::Tensor full = at::zeros({3 * 700'001});  // more than one piece, and not a whole number of them
            slotOf(full, group).fill_(group.rank() + 1);
            engine::Pending pending = group.startAllGather(full, "test");
            group.wait(pending);
            return equals(full.narrow(0, 0, 700'001), 1) && equals(full.narrow(0, 1'400'002, 700'001), 3);
        });
        QCOMPARE(codes, allZero(3));
    }

    void tensorsOfAnotherDeviceGoThroughTheHost_data() { addRanks(); }
    /// As of ranks that share a GPU.
    void tensorsOfAnotherDeviceGoThroughTheHost()
    {
        QFETCH(int, ranks);
        const auto codes = tests::runProcesses(ranks, [&](const engine::RankIdentity& identity) {
            NoAccelerator gpu;
            const auto mesh
                = engine::joinRanks(identity, {.world = ranks, .shard = ranks}, &gpu, {Exchange::Gloo, std::chrono::seconds(20)});
            Group& group = mesh->world();
            const auto there = [](const at::Tensor& tensor) { return tensor.to(tests::lateDevice()); };
            const auto slots = [&](double scale) { return at::arange(1, ranks + 1, at::kFloat).repeat_interleave(3) * scale; };
            const auto holds = [&](engine::Pending pending, const at::Tensor& result, const at::Tensor& expected) {
                group.wait(pending);
                return at::equal(result.cpu(), expected);
            };
            const double rank = group.rank(), total = ranks * (ranks + 1) / 2.0, previous = (group.rank() + ranks - 1) % ranks;
            const at::Tensor gathered = there(at::zeros({ranks * 3})), shard = there(at::zeros({3})), out = there(at::zeros({ranks * 3})),
                             sum = there(at::full({2}, rank + 1)), shifted = there(at::zeros({4}));
            slotOf(gathered, group).fill_(rank + 1);
            bool isRight = holds(group.startAllGather(gathered, "test"), gathered, slots(1));
            isRight &= holds(group.startReduceScatter(shard, there(slots(rank + 1)), "test"), shard, at::full({3}, total * (rank + 1)));
            isRight &= holds(group.startAllReduce(sum, "test"), sum, at::full({2}, total));
            isRight &= holds(group.startAllToAll(out, there(slots(rank + 1)), "test"), out, slots(rank + 1));
            isRight &= holds(group.startShift(shifted, there(at::full({4}, rank)), "test"), shifted, at::full({4}, previous));
            group.barrier("test");
            return isRight;
        });
        QCOMPARE(codes, allZero(ranks));
    }

    void gathersAndSumsOverGloo_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {2, 3, 5})
            QTest::addRow("E-044 %d ranks", ranks) << ranks;
    }
    /// Several collectives at a time, as units overlap them; the bfloat16 parts have sums that bfloat16 cannot represent.
    void gathersAndSumsOverGloo()
    {
        QFETCH(int, ranks);
        const auto codes = run(ranks, [](Group& group) {
            const int size = group.size();
            const double total = size * (size + 1) / 2.0;
            for (int round = 1; round <= 20; ++round) {
                const std::int64_t each = 1000 * (round % 3 + 1);
                const at::Tensor gathered = at::zeros({size * each}), sums = at::full({each}, 1000.F);
                const at::Tensor fine = at::empty({each}), parts = at::empty({size * each}, at::kBFloat16);
                const at::Tensor fineParts = at::empty({size * each});
                slotOf(gathered, group).fill_(group.rank() + round);
                for (int to = 0; to < size; ++to) {
                    parts.narrow(0, to * each, each).fill_((group.rank() + 1) * (to + 1));
                    fineParts.narrow(0, to * each, each).fill_((group.rank() + 1) * (to + 0.25));
                }
                engine::Pending first = group.startSum(sums, parts, true, "test");
                engine::Pending second = group.startSum(fine, fineParts, false, "test");
                engine::Pending third = group.startAllGather(gathered, "test");
                group.wait(first);
                group.wait(third);
                group.wait(second);
                if (!equals(sums, 1000 + total * (group.rank() + 1)) || !equals(fine, total * (group.rank() + 0.25)))
                    return false;
                for (int from = 0; from < size; ++from) {
                    if (!equals(gathered.narrow(0, from * each, each), from + round))
                        return false;
                }
            }
            return true;
        }, Exchange::Gloo);
        QCOMPARE(codes, allZero(ranks));
    }

    void exchanges_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("isShared");
        for (const int ranks : tests::isWhole() ? std::vector {1, 2, 3, 5} : std::vector {1, 3}) {
            QTest::addRow("E-022 %d ranks, shared memory", ranks) << ranks << true;
            QTest::addRow("E-022 %d ranks, Gloo", ranks) << ranks << false;
        }
    }
    /// Each value encodes its sender, its receiver and the round.
    void exchanges()
    {
        QFETCH(int, ranks);
        QFETCH(bool, isShared);
        const auto body = [](Group& group) {
            const auto value = [&](int from, int to, int round) { return from * 10 + to + round * 100; };
            const int size = group.size(), before = (group.rank() + size - 1) % size;
            for (int round = 1; round <= 20; ++round) {
                const std::int64_t each = 1000 * round;  // so that the shared staging memory grows
                const at::Tensor in = at::empty({size * each}), out = at::empty({size * each});
                for (int to = 0; to < size; ++to)
                    in.narrow(0, to * each, each).fill_(value(group.rank(), to, round));
                engine::Pending pending = group.startAllToAll(out, in, "test");
                group.wait(pending);
                for (int from = 0; from < size; ++from) {
                    if (!equals(out.narrow(0, from * each, each), value(from, group.rank(), round)))
                        return false;
                }
                in.fill_(value(group.rank(), 0, round));
                pending = group.startShift(out, in, "test");
                group.wait(pending);
                if (!equals(out, value(before, 0, round)))
                    return false;
                const at::Tensor values = at::full({each * 100}, static_cast<float>(group.rank() + round));
                group.allReduceSum(values, "test");
                if (!equals(values, size * round + size * (size - 1) / 2.0))
                    return false;
            }
            return true;
        };
        QCOMPARE(run(ranks, body, isShared ? Exchange::SharedMemory : Exchange::Gloo), allZero(ranks));
    }

    void smallSumsAreTheSameOnAllRanks_data() { addRanks(); }
    void smallSumsAreTheSameOnAllRanks()
    {
        QFETCH(int, ranks);
        const auto codes = run(ranks, [](Group& group) {
            for (int round = 0; round < 300; ++round) {
                const at::Tensor values = at::full({1 + round}, 0.5 + round + group.rank(), at::kDouble);
                group.allReduceSum(values, "test");
                if (!equals(values, group.size() * (0.5 + round) + group.size() * (group.size() - 1) / 2.0))
                    return false;
            }
            return true;
        });
        QCOMPARE(codes, allZero(ranks));
    }

    /// Staging memory that was too small is given back.
    void stagingGrowsToTheLargestExchangeOnly_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("defect-8: 2 ranks") << 2;
        QTest::newRow("defect-8: 3 ranks") << 3;
    }
    void stagingGrowsToTheLargestExchangeOnly()
    {
        QFETCH(int, ranks);
        const auto codes = run(ranks, [](Group& group) {
            constexpr std::int64_t kMegabyte = 1 << 20;
            std::int64_t largest = 0;
            for (const std::int64_t megabytes : {3, 6, 12, 24, 9, 25}) {
                const std::int64_t slot = megabytes * kMegabyte / 4;
                const at::Tensor in = at::full({group.size() * slot}, group.rank() + 1.0, at::kFloat), out = at::empty_like(in);
                engine::Pending pending = group.startAllToAll(out, in, "test");
                group.wait(pending);
                for (int peer = 0; peer < group.size(); ++peer) {
                    if (!equals(out.narrow(0, peer * slot, slot), peer + 1.0))
                        return false;
                }
                largest = std::max(largest, group.size() * megabytes * kMegabyte);
            }
            group.barrier("before memory is counted");
            const SharedBytes bytes = sharedBytes();
            const std::int64_t most = group.size() * (largest + kMegabyte);
            return bytes.mapped >= group.size() * largest && bytes.mapped <= most && bytes.reserved <= most;
        });
        QCOMPARE(codes, allZero(ranks));
    }
};

QTEST_GUILESS_MAIN(GroupsTest)
#include "tst_groups.moc"
