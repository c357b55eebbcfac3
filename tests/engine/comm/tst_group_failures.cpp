// Collectives that fail: each rank says which one and why, and a rank that dies is named.
#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "engine/comm/errors.h"
#include "engine/comm/process_group.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/comm/group_run.h"

#include <QtTest>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <new>
#include <string>
#include <vector>

using engine::Exchange;
using engine::Group;
using tests::allZero;
using tests::run;

namespace {

using Action = std::function<void()>;

}  // namespace

class GroupFailuresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

QTEST_GUILESS_MAIN(GroupFailuresTest)
#include "tst_group_failures.moc"
