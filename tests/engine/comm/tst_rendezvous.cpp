// Who a rank is, and how ranks meet or fail to: with real environments, sockets and processes.
#include "engine/comm/errors.h"
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

/// Through Qt, whose lock keeps the environment from changing under Qt Test's own thread as it reads.
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
        QTest::addColumn<QList<int>>("ranks");  // rank, of how many, on its host, of how many
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
        QTest::addColumn<QString>("said");
        const auto missing = [](const char* name) {
            return QStringLiteral("2: environment variable %1 is not set: start ranks with atelier run, torchrun or srun").arg(name);
        };
        QTest::newRow("E-030 no RANK") << Variables {{"WORLD_SIZE", "2"}, {"MASTER_PORT", "1"}} << missing("RANK");
        QTest::newRow("E-030 no WORLD_SIZE") << Variables {{"RANK", "1"}, {"MASTER_PORT", "1"}} << missing("WORLD_SIZE");
        QTest::newRow("E-030 no MASTER_PORT") << Variables {{"RANK", "1"}, {"WORLD_SIZE", "2"}} << missing("MASTER_PORT");
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
        QTEST(failureOf([] { engine::rankFromEnvironment(); }), "said");
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
                char told = 0;
                if (mesh.world().rank() == 1)  // is there, and does not take part
                    return ::read(ends[0], &told, 1) == 1;
                const QString said = failureOf([&] { mesh.world().barrier("alone"); });
                return ::write(ends[1], &told, 1) == 1 && said.startsWith("3: barrier alone failed: ");
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
        const QString said = failureOf([&] { engine::joinRanks(first, {.world = 2, .shard = 2}, nullptr, options); });
        QVERIFY2(said.startsWith("3: the 2 ranks could not meet at 127.0.0.1:0: "), qPrintable(said));
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
        const QString said = failureOf([&] { engine::joinRanks(second, {.world = 2, .shard = 2}, nullptr, {Exchange::Automatic, kShort}); });
        QCOMPARE(said, QStringLiteral("3: rank 0 does not listen at 127.0.0.1:%1: it has not come within 1 s, or MASTER_ADDR and MASTER_PORT "
                                      "name another place").arg(socket.port()));
    }
};

QTEST_GUILESS_MAIN(RendezvousTest)
#include "tst_rendezvous.moc"
