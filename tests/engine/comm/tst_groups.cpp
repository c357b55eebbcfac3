// Collectives among real processes: each rank sees the others' data correctly in every round, and a rank that dies is named.
#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "engine/comm/errors.h"
#include "engine/comm/process_group.h"
#include "tests/engine/comm/forked_ranks.h"

#include <QtTest>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <vector>

using engine::Exchange;
using engine::Group;
using engine::Sharing;

namespace {

const c10::Device kCpu(c10::DeviceType::CPU);

using Action = std::function<void()>;

std::vector<int> run(int ranks, const std::function<bool(Group&)>& body, Exchange exchange = Exchange::SharedMemory)
{
    return tests::runRanks(
        {.world = ranks, .shard = ranks}, exchange, [&](engine::Mesh& mesh) { return body(mesh.world()); });
}

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

bool equals(const at::Tensor& tensor, double value) { return tensor.eq(value).all().item<bool>(); }

}  // namespace

Q_DECLARE_METATYPE(Action)
Q_DECLARE_METATYPE(c10d::ErrorType)

class GroupsTest : public QObject {
    Q_OBJECT

    static void addRanks()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {2, 3, 5})
            QTest::addRow("%d ranks", ranks) << ranks;
    }
    static std::vector<int> allZero(int ranks) { return std::vector<int>(static_cast<std::size_t>(ranks), 0); }

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
        for (const int ranks : {1, 2, 3, 5}) {
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

    void failuresKeepTheirCause_data()
    {
        QTest::addColumn<bool>("isShared");
        QTest::addColumn<bool>("isStuck");
        QTest::addColumn<int>("code");
        QTest::newRow("defect-37: Gloo, a rank that dies") << false << false << 3;
        QTest::newRow("defect-37: Gloo, a rank that does not take part") << false << true << 6;
        QTest::newRow("defect-37: shared memory, a rank that dies") << true << false << 3;
        QTest::newRow("defect-37: shared memory, a rank that does not take part") << true << true << 6;
    }
    void failuresKeepTheirCause()
    {
        QFETCH(bool, isShared);
        QFETCH(bool, isStuck);
        QFETCH(int, code);
        int done[2] = {};  // the stuck rank stays until the other one has given up
        QCOMPARE(::pipe(done), 0);
        const auto codes = tests::runRanks({.world = 2, .shard = 2}, isShared ? Exchange::SharedMemory : Exchange::Gloo,
            [&](engine::Mesh& mesh) {
                Group& group = mesh.world();
                group.barrier("first");
                char byte = 0;
                if (group.rank() == 1 && !isStuck)
                    ::kill(::getpid(), SIGKILL);
                if (group.rank() == 1)
                    return ::read(done[0], &byte, 1) == 1;
                const at::Tensor values = at::ones({4});
                int found = 0;
                try {
                    group.allReduceSum(values, "test");
                } catch (const engine::EngineError& error) {
                    found = std::string(error.what()).starts_with("all-reduce of test failed: ") ? error.exitCode() : -1;
                }
                return ::write(done[1], &byte, 1) == 1 && found == code;
            },
            std::chrono::seconds(2));
        ::close(done[0]);
        ::close(done[1]);
        QCOMPARE(codes, (std::vector<int> {0, isStuck ? 0 : -SIGKILL}));
    }

    void failuresOfNcclKeepTheirCause_data()
    {
        using c10d::ErrorType;
        QTest::addColumn<ErrorType>("noticed");
        QTest::addColumn<Action>("start");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("text");
        const Action nothing = [] {};
        QTest::newRow("defect-37: the watchdog saw a timeout")
            << ErrorType::TIMEOUT << nothing << 6 << "a collective of NCCL did not complete within 600 s: another rank is stuck or slow; launch.timeout sets the limit";
        QTest::newRow("defect-37: the watchdog saw a lost connection")
            << ErrorType::COMM_ERROR << nothing << 3 << "a collective of NCCL failed: the connection to another rank is lost";
        QTest::newRow("defect-37: another rank saw one")
            << ErrorType::REMOTE_ERROR << nothing << 3 << "a collective of NCCL failed: the connection to another rank is lost";
        const auto row = [](const char* name, const Action& start, int code, const char* text) { QTest::newRow(name) << ErrorType::SUCCESS << start << code << text; };
        row("defect-37: started after a timeout", [] {
            TORCH_CHECK_WITH(DistBackendError, false, "NCCL communicator was aborted on rank 0. Original reason for failure was: Watchdog caught collective operation timeout");
        }, 6, "barrier test failed: NCCL communicator was aborted on rank 0. Original reason for failure was: Watchdog caught collective operation timeout");
        row("defect-37: started after a peer has gone", [] {
            TORCH_CHECK_WITH(DistBackendError, false, "remote process exited or there was a network error\nncclRemoteError");
        }, 3, "barrier test failed: remote process exited or there was a network error");
        row("defect-37: memory of NCCL", [] {
            TORCH_CHECK_WITH(DistBackendError, false, "unhandled cuda error\nncclUnhandledCudaError: Call to CUDA function failed.\nCuda failure 2 'out of memory'");
        }, 4, "barrier test failed: out of memory");
        row("defect-37: memory of a tensor", [] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate 2.00 GiB."); }, 4,
            "barrier test failed: out of memory");
        row("defect-37: memory of the host", [] { throw std::bad_alloc(); }, 4, "barrier test failed: out of memory");
        row("defect-37: a wrong call of NCCL", [] { TORCH_CHECK_WITH(DistBackendError, false, "invalid argument\nncclInvalidArgument: Invalid value"); }, 1,
            "barrier test failed: invalid argument");
        row("defect-37: a wrong call of LibTorch", [] { TORCH_CHECK_VALUE(false, "tensors must be contiguous"); }, 1, "barrier test failed: tensors must be contiguous");
    }
    /// The backend returns at once, as NCCL does, and tells later what its watchdog has noticed.
    void failuresOfNcclKeepTheirCause()
    {
        QFETCH(c10d::ErrorType, noticed);
        QFETCH(Action, start);
        QFETCH(int, code);
        QFETCH(QString, text);
        struct Late final : c10d::Backend {
            Late(c10d::ErrorType error, Action action)
                : Backend(0, 2)
                , noticed(error)
                , start(std::move(action))
            {
            }
            c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions&) override
            {
                start();
                struct Done final : c10d::Work {
                    bool wait(std::chrono::milliseconds) override { return true; }
                };
                return c10::make_intrusive<Done>();
            }
            c10d::ErrorType getError() override { return noticed; }
            c10d::ErrorType noticed;
            Action start;
        };
        engine::NcclGroup group(c10::make_intrusive<Late>(noticed, start), std::chrono::seconds(600), c10::DeviceType::CPU);
        try {
            group.barrier("test");
            QFAIL("nothing was thrown");
        } catch (const engine::EngineError& error) {
            QCOMPARE(QString::fromUtf8(error.what()), text);
            QCOMPARE(error.exitCode(), code);
        }
        if (noticed != c10d::ErrorType::SUCCESS)
            QVERIFY_THROWS_EXCEPTION(engine::EngineError, group.onHost(at::ones({1})));
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

    /// What leaves a failed group, such as destructors, does not wait for the timeout again.
    void aFailedGroupStaysFailed()
    {
        int done[2] = {};  // the stuck rank stays until the other one has given up twice
        QCOMPARE(::pipe(done), 0);
        const auto codes = tests::runRanks({.world = 2, .shard = 2}, Exchange::SharedMemory, [&](engine::Mesh& mesh) {
            Group& group = mesh.world();
            char byte = 0;
            if (group.rank() == 1)
                return ::read(done[0], &byte, 1) == 1;
            std::vector<std::string> failures;
            for (const char* name : {"first", "second"}) {
                try {
                    group.barrier(name);
                } catch (const engine::EngineError& error) {
                    failures.emplace_back(error.what());
                }
            }
            return ::write(done[1], &byte, 1) == 1
                && failures == std::vector<std::string>(2, "barrier first failed: rank 1 did not take part within 1 s");
        }, std::chrono::seconds(1));
        ::close(done[0]);
        ::close(done[1]);
        QCOMPARE(codes, allZero(2));
    }

    void aRankThatDiesIsNamed()
    {
        const auto codes = run(3, [](Group& group) {
            group.barrier("first");
            if (group.rank() == 1)
                ::kill(::getpid(), SIGKILL);
            try {
                group.barrier("second");
            } catch (const engine::EngineError& error) {
                return error.kind() == engine::EngineError::Kind::LostPeer
                    && std::string(error.what()) == "barrier second failed: rank 1 has exited";
            }
            return false;
        });
        QCOMPARE(codes, (std::vector<int> {0, -SIGKILL, 0}));
    }
};

QTEST_GUILESS_MAIN(GroupsTest)
#include "tst_groups.moc"
