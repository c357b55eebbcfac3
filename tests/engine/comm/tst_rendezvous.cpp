// Which rank a process is, and how ranks connect or fail to: with real environments, sockets and processes.
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include "engine/comm/errors.h"
#include "engine/comm/gpu_choice.h"
#include "engine/comm/listener.h"
#include "tests/engine/comm/bound_socket.h"
#include "tests/engine/comm/forked_ranks.h"

#include <QElapsedTimer>
#include <QtTest>

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>

using engine::EngineError;
using engine::Exchange;

using Variables = QList<std::pair<QByteArray, QByteArray>>;

namespace {

constexpr std::chrono::seconds kShort(1);
constexpr const char* kVariables[]
    = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "ATELIER_MASTER_FD"};

/// Uses Qt's functions: their lock keeps the environment from changing while Qt Test's own thread reads it.
void setEnvironment(const Variables& variables)
{
    for (const char* name : kVariables)
        qunsetenv(name);
    for (const auto& [name, value] : variables)
        qputenv(name.constData(), value);
}

/// What @p action threw, as "exit code: sentence".
template <typename Action>
QString failureOf(Action action)
{
    try {
        action();
    } catch (const EngineError& error) {
        return QStringLiteral("%1: %2").arg(error.exitCode()).arg(error.what());
    }
    return {};
}

}  // namespace

class RendezvousTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEnvironmentSaysWhoARankIs_data()
    {
        QTest::addColumn<Variables>("variables");
        QTest::addColumn<QList<int>>("ranks");  // rank, world size, local rank, local world size
        QTest::addColumn<QByteArray>("address");
        const Variables two = {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"MASTER_PORT", "29500"}};
        const auto with = [&](const Variables& more) { return two + more; };
        QTest::newRow("E-030 alone without variables") << Variables {} << QList<int> {0, 1, 0, 1} << QByteArray("127.0.0.1");
        QTest::newRow("E-030 all on one host") << two << QList<int> {5, 8, 5, 8} << QByteArray("127.0.0.1");
        QTest::newRow("E-030 modulo the ranks of a host")
            << with({{"LOCAL_WORLD_SIZE", "4"}}) << QList<int> {5, 8, 1, 4} << QByteArray("127.0.0.1");
        QTest::newRow("E-030 LOCAL_RANK as given")
            << with({{"LOCAL_WORLD_SIZE", "4"}, {"LOCAL_RANK", "3"}}) << QList<int> {5, 8, 3, 4} << QByteArray("127.0.0.1");
        QTest::newRow("E-030 MASTER_ADDR") << with({{"MASTER_ADDR", "node7"}}) << QList<int> {5, 8, 5, 8} << QByteArray("node7");
        QTest::newRow("E-030 one rank needs no port")
            << Variables {{"RANK", "0"}, {"WORLD_SIZE", "1"}} << QList<int> {0, 1, 0, 1} << QByteArray("127.0.0.1");
    }
    void theEnvironmentSaysWhoARankIs()
    {
        QFETCH(Variables, variables);
        QFETCH(QByteArray, address);
        setEnvironment(variables);
        const engine::RankIdentity identity = engine::rankFromEnvironment();
        QTEST((QList<int> {identity.rank, identity.worldSize, identity.localRank, identity.localWorldSize}), "ranks");
        QCOMPARE(identity.masterAddress, address.toStdString());
        if (identity.worldSize > 1)
            QCOMPARE(identity.masterPort, 29500);
    }

    void missingAndWrongVariablesAreNamed_data()
    {
        QTest::addColumn<Variables>("variables");
        QTest::addColumn<QString>("failure");
        const auto missing = [](const char* name) {
            return QStringLiteral("2: environment variable %1 is not set: start ranks with atelier run, torchrun, mpirun or srun").arg(name);
        };
        QTest::newRow("E-030 no RANK") << Variables {{"WORLD_SIZE", "2"}, {"MASTER_PORT", "1"}} << missing("RANK");
        QTest::newRow("E-030 no WORLD_SIZE") << Variables {{"RANK", "1"}, {"MASTER_PORT", "1"}} << missing("WORLD_SIZE");
        QTest::newRow("no MASTER_PORT") << Variables {{"RANK", "1"}, {"WORLD_SIZE", "2"}} << missing("MASTER_PORT");
        QTest::newRow("E-030 RANK past the end")
            << Variables {{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "1"}}
            << "2: environment variable RANK = \"2\": must be an integer from 0 to 1";
        QTest::newRow("E-030 a port that is none")
            << Variables {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "http"}}
            << "2: environment variable MASTER_PORT = \"http\": must be an integer from 1 to 65535";
    }
    void missingAndWrongVariablesAreNamed()
    {
        QFETCH(Variables, variables);
        setEnvironment(variables);
        QTEST(failureOf([] { engine::rankFromEnvironment(); }), "failure");
    }

    void aCollectiveThatARankNeverJoinsFailsInTime_data()
    {
        QTest::addColumn<bool>("isShared");
        QTest::newRow("E-030 shared memory") << true;
        QTest::newRow("E-030 Gloo") << false;
    }
    void aCollectiveThatARankNeverJoinsFailsInTime()
    {
        QFETCH(bool, isShared);
        int ends[2] = {};
        QCOMPARE(::pipe(ends), 0);
        QElapsedTimer timer;
        timer.start();
        const auto codes = tests::runRanks({.world = 2, .shard = 2}, isShared ? Exchange::SharedMemory : Exchange::Gloo,
            [&](engine::Mesh& mesh) {
                char byte = 0;
                if (mesh.world().rank() == 1)  // stays alive, but does not take part
                    return ::read(ends[0], &byte, 1) == 1;
                const QString failure = failureOf([&] { mesh.world().barrier("alone"); });
                return ::write(ends[1], &byte, 1) == 1 && failure.startsWith("6: barrier alone failed: ");
            },
            kShort);
        ::close(ends[0]);
        ::close(ends[1]);
        QCOMPARE(codes, std::vector<int>(2, 0));
        QVERIFY(timer.elapsed() >= 1000 && timer.elapsed() < 15000);
    }

    void groupsAreBuiltWhereTheyAreUsed_data()
    {
        QTest::addColumn<int>("shard");
        QTest::addColumn<int>("ulysses");
        QTest::newRow("E-217 one shard group") << 2 << 1;
        QTest::newRow("E-217 replicas only") << 1 << 1;
        QTest::newRow("E-217 sequence over all ranks") << 2 << 2;
    }
    void groupsAreBuiltWhereTheyAreUsed()
    {
        QFETCH(int, shard);
        QFETCH(int, ulysses);
        const auto body = [&](engine::Mesh& mesh) {
            const auto isAlone = [&](engine::Group& group) { return group.size() == 1; };
            const auto isWorld = [&](engine::Group& group) { return &group == &mesh.world(); };
            return (shard == 2 ? isWorld(mesh.shard()) && isAlone(mesh.replicate()) : isAlone(mesh.shard()) && isWorld(mesh.replicate()))
                && (ulysses == 2 ? isAlone(mesh.data()) && !isWorld(mesh.ulysses()) : isWorld(mesh.data()) && isAlone(mesh.ulysses()))
                && isAlone(mesh.ring()) && isAlone(mesh.reshard());
        };
        QCOMPARE(tests::runRanks({.world = 2, .shard = shard, .ulysses = ulysses}, Exchange::SharedMemory, body),
            std::vector<int>(2, 0));
    }

    /// One rank on a first host, three on a second: a rank that takes its own host's number of ranks for that of all hosts would
    /// believe that it shares memory with ranks 0 and 1.
    void ranksAgreeOnTheirHosts()
    {
        const auto ended = tests::runProcesses(4, [](engine::RankIdentity identity) {
            identity.localWorldSize = identity.rank == 0 ? 1 : 3;
            identity.localRank = identity.rank == 0 ? 0 : identity.rank - 1;
            const auto mesh = engine::joinRanks(identity, {.world = 4, .shard = 2}, nullptr, {Exchange::Automatic, std::chrono::seconds(20)});
            const at::Tensor sum = at::ones({3}, at::kDouble);
            for (engine::Group* group : {&mesh->shard(), &mesh->replicate()})
                group->allReduceSum(sum, "test");
            return mesh->shard().sharesMemory() == (identity.rank >= 2) && mesh->replicate().sharesMemory() == (identity.rank % 2 == 1)
                && !mesh->world().sharesMemory() && sum.equal(at::full({3}, 4.0, at::kDouble));
        });
        QCOMPARE(ended, std::vector<int>(4, 0));
    }

    void ranksTakeTheGpusThatTheySee_data()
    {
        QTest::addColumn<QList<QStringList>>("visible");  // of each rank, in CUDA's order
        QTest::addColumn<QStringList>("taken");
        QTest::addColumn<QString>("problem");
        const QStringList host = {"a", "b", "c", "d"};
        const auto row = [](const char* name, const QList<QStringList>& visible, const QStringList& taken, const char* problem) {
            QTest::newRow(name) << visible << taken << QString(problem);
        };
        row("defect-34: all see all", {host, host, host, host}, host, "");
        row("defect-34: more GPUs than ranks", {host, host}, {"a", "b"}, "");
        row("defect-34: --gpus-per-task=1", {{"a"}, {"b"}, {"c"}}, {"a", "b", "c"}, "");
        row("defect-34: --gpus-per-task=2", {{"a", "b"}, {"c", "d"}, {"e", "f"}}, {"a", "d", "e"}, "");
        row("defect-34: one GPU for two ranks", {{"a"}, {"a"}}, {"a", "a"}, "ranks 0 and 1 see the same GPU and no other");
        row("defect-34: fewer GPUs than ranks", {{"a", "b"}, {"a", "b"}, {"a", "b"}}, {"a", "b", "a"}, "ranks 0 and 2 see the same GPU and no other");
        row("defect-34: a rank without", {{"a"}, {}, {"c"}}, {"a", "", "c"}, "rank 1 sees no GPU");
        row("defect-34: none", {{}}, {""}, "rank 0 sees no GPU");
    }
    void ranksTakeTheGpusThatTheySee()
    {
        QFETCH(QList<QStringList>, visible);
        std::vector<std::string> taken;
        QStringList texts;
        for (int rank = 0; rank < visible.size(); ++rank) {
            const QStringList& own = visible[rank];
            texts << (own.isEmpty() ? QString("") : own[engine::gpuOrdinal(static_cast<int>(own.size()), rank)]);
            taken.push_back(texts.back().toStdString());
        }
        QTEST(texts, "taken");
        QTEST(QString::fromStdString(engine::gpuProblem(taken)), "problem");
        // Over Gloo ranks may share a GPU, but each needs one.
        const QString shared = QString::fromStdString(engine::gpuProblem(taken, true));
        QCOMPARE(shared, texts.contains("") ? QStringLiteral("rank %1 sees no GPU").arg(texts.indexOf("")) : QString());
    }

    /// Ranks that see different numbers of GPUs must not choose different devices: they would wait for each other for ever.
    void theDeviceIsAgreedOn()
    {
        if (!engine::visibleGpus().empty())
            QSKIP("has a GPU");
        const auto ended = tests::runProcesses(3, [](const engine::RankIdentity& identity) {
            engine::Rendezvous rendezvous(identity, {Exchange::Gloo, std::chrono::seconds(20)});
            const auto all = rendezvous.gather("number", std::to_string(identity.rank * 7));
            const std::vector<std::string> odd = {"", "3 of 3\n", std::string("\0\xff 12", 5)};
            const bool isWhole = rendezvous.gather("odd texts", odd[static_cast<std::size_t>(identity.rank)]) == odd;
            const bool isCpu = isWhole && !engine::chooseGpu("auto", identity, rendezvous).ordinal;
            rendezvous.join({.world = 3, .shard = 3}, nullptr);  // rank 0 serves the others until they have read
            return isCpu && all == std::vector<std::string>({"0", "7", "14"});
        });
        QCOMPARE(ended, std::vector<int>(3, 0));
        const engine::RankIdentity alone;
        engine::Rendezvous rendezvous(alone, {Exchange::Automatic, kShort});
        QCOMPARE(failureOf([&] { engine::chooseGpu("cuda", alone, rendezvous); }),
            "1: run.device = cuda needs a GPU for each rank, but rank 0 sees no GPU; lower launch.ranks or set run.device = cpu");
    }

    void ranksThatNeverComeAreGivenUp_data()
    {
        QTest::addColumn<bool>("isShared");
        QTest::newRow("E-001 E-030 shared memory") << true;
        QTest::newRow("E-001 E-030 Gloo") << false;
    }
    void ranksThatNeverComeAreGivenUp()
    {
        QFETCH(bool, isShared);
        const engine::RankIdentity first {.rank = 0, .worldSize = 2, .localWorldSize = 2};
        const engine::JoinOptions options {isShared ? Exchange::SharedMemory : Exchange::Gloo, kShort};
        const QString failure = failureOf([&] { engine::joinRanks(first, {.world = 2, .shard = 2}, nullptr, options); });
        QVERIFY2(failure.startsWith("3: the 2 ranks could not connect through 127.0.0.1:0: "), qPrintable(failure));
    }

    void aListenerMayComeLater()
    {
        const tests::BoundSocket socket;
        QVERIFY(!engine::awaitListener("127.0.0.1", socket.port(), std::chrono::milliseconds(20)));
        auto isThere = std::async(std::launch::async, [&] { return engine::awaitListener("localhost", socket.port(), std::chrono::seconds(30)); });
        QCOMPARE(::listen(socket.descriptor(), 16), 0);
        QVERIFY(isThere.get());
    }

    void aRankZeroThatNeverComesIsGivenUp_E030()
    {
        const tests::BoundSocket socket;
        const engine::RankIdentity second {.rank = 1, .worldSize = 2, .localRank = 1, .localWorldSize = 2, .masterPort = socket.port()};
        const QString failure
            = failureOf([&] { engine::joinRanks(second, {.world = 2, .shard = 2}, nullptr, {Exchange::Automatic, kShort}); });
        QCOMPARE(failure, QStringLiteral("3: rank 0 does not listen at 127.0.0.1:%1 after 1 s: check that rank 0 runs, and MASTER_ADDR and "
                                      "MASTER_PORT").arg(socket.port()));
    }
};

QTEST_GUILESS_MAIN(RendezvousTest)
#include "tst_rendezvous.moc"
