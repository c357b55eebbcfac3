// How ranks are divided into groups, and which sizes are rejected.
#include "engine/contract/experiment/host_replicas.h"
#include "engine/contract/experiment/host_replicas.h"
#include "engine/contract/experiment/mesh_shape.h"

#include <QtTest>

using Axis = contract::MeshShape::Axis;
using contract::MeshShape;

class MeshShapeTest : public QObject {
    Q_OBJECT

    static contract::Experiment experiment(const char* shardSize, std::int64_t ring = 1, std::int64_t ulysses = 1)
    {
        contract::Experiment result;
        result.set("engine.shard_size", std::string(shardSize));
        result.set("engine.ring", ring);
        result.set("engine.ulysses", ulysses);
        return result;
    }

private Q_SLOTS:
    void shardGroups_data()
    {
        QTest::addColumn<QByteArray>("size");
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("shard");
        QTest::newRow("E-020 all") << QByteArray("all") << 6 << 6;
        QTest::newRow("E-020 negative is all") << QByteArray("-1") << 6 << 6;
        QTest::newRow("E-020 as many as ranks") << QByteArray("6") << 6 << 6;
        QTest::newRow("E-020 more than ranks") << QByteArray("64") << 6 << 6;
        QTest::newRow("E-020 3 of 6") << QByteArray("3") << 6 << 3;
        QTest::newRow("E-020 1 of 6") << QByteArray("1") << 6 << 1;
        QTest::newRow("auto trains on all") << QByteArray("auto") << 6 << 6;
    }
    void shardGroups()
    {
        QFETCH(QByteArray, size);
        QFETCH(int, world);
        QFETCH(int, shard);
        std::optional<contract::Problem> problem;
        const MeshShape shape = contract::meshShape(experiment(size.constData()), world, problem);
        QVERIFY(!problem);
        QCOMPARE(shape.shard, shard);
        QCOMPARE(shape.replicas(), world / shard);
    }

    void hostsAreReplicasWhereAutoMayDecide_data()
    {
        QTest::addColumn<QByteArray>("size");
        QTest::addColumn<int>("ranksOfAHost");
        QTest::addColumn<int>("shard");
        QTest::newRow("one host") << QByteArray("auto") << 6 << 6;
        QTest::newRow("2 hosts") << QByteArray("auto") << 3 << 3;
        QTest::newRow("3 hosts") << QByteArray("auto") << 2 << 2;
        QTest::newRow("a rank on each host") << QByteArray("auto") << 1 << 6;
        QTest::newRow("hosts of different sizes") << QByteArray("auto") << 0 << 6;
        QTest::newRow("hosts that do not divide the ranks") << QByteArray("auto") << 4 << 6;
        QTest::newRow("E-020 all") << QByteArray("all") << 3 << 6;
        QTest::newRow("E-020 a number") << QByteArray("1") << 3 << 1;
    }
    void hostsAreReplicasWhereAutoMayDecide()
    {
        QFETCH(QByteArray, size);
        QFETCH(int, ranksOfAHost);
        QFETCH(int, shard);
        std::optional<contract::Problem> problem;
        const auto resolved = contract::withHostReplicas(experiment(size.constData()), 6, ranksOfAHost);
        QCOMPARE(contract::meshShape(resolved, 6, problem).shard, shard);
        QVERIFY(!problem);
        QCOMPARE(contract::Experiment().text("engine.shard_size"), std::string("auto"));
    }

    void whatDoesNotDivideIsRefusedWithBothNumbers_data()
    {
        QTest::addColumn<QByteArray>("size");
        QTest::addColumn<int>("ring");
        QTest::addColumn<int>("ulysses");
        QTest::addColumn<QString>("message");
        QTest::newRow("E-020 4 of 6") << QByteArray("4") << 1 << 1 << "engine.shard_size = 4 does not divide the 6 ranks";
        QTest::newRow("E-020 none") << QByteArray("0") << 1 << 1 << "must be all, auto or a number";
        QTest::newRow("E-020 a word") << QByteArray("half") << 1 << 1 << "\"half\"";
        QTest::newRow("defect-32 a control character") << QByteArray("\t") << 1 << 1 << "engine.shard_size = \"\\t\": must be";
        QTest::newRow("defect-32: a long word") << QByteArray(100'000, 'x') << 1 << 1 << "xxx…\": must be all, auto or a number";
        QTest::newRow("E-022 Ulysses of 4") << QByteArray("all") << 1 << 4 << "engine.ulysses = 4 does not divide the 6 ranks";
        QTest::newRow("E-022 ring of 4") << QByteArray("all") << 4 << 1 << "engine.ring = 4 does not divide the 6 ranks";
        QTest::newRow("E-029 both") << QByteArray("all") << 2 << 2
                                    << "engine.ring times engine.ulysses = 4 does not divide the 6 ranks";
    }
    void whatDoesNotDivideIsRefusedWithBothNumbers()
    {
        QFETCH(QByteArray, size);
        QFETCH(int, ring);
        QFETCH(int, ulysses);
        QFETCH(QString, message);
        std::optional<contract::Problem> problem;
        contract::meshShape(experiment(size.constData(), ring, ulysses), 6, problem);
        QVERIFY(problem);
        QVERIFY2(QString::fromStdString(problem->message).contains(message), problem->message.c_str());

        auto whole = experiment(size.constData(), ring, ulysses);
        whole.set("launch.ranks", std::int64_t {6});
        whole.set("model.heads", std::int64_t {8});
        const auto problems = whole.validate();
        QVERIFY(std::ranges::any_of(problems, [&](const auto& one) { return one.message == problem->message; }));
    }

    void headsThatUlyssesDoesNotDivideAreRefused_E025()
    {
        auto uneven = experiment("all", 1, 3);
        uneven.set("launch.ranks", std::int64_t {3});
        uneven.set("model.heads", std::int64_t {4});
        const auto problems = uneven.validate();
        QVERIFY(std::ranges::any_of(problems, [](const auto& problem) {
            return problem.key == "engine.ulysses"
                && problem.message.find("engine.ulysses = 3 does not divide model.heads = 4") != std::string::npos;
        }));
    }

    void parametersStayInPartsOfAShardGroup_E047()
    {
        auto kept = experiment("6");
        kept.set("engine.reshard_group", std::int64_t {3});
        std::optional<contract::Problem> problem;
        const MeshShape shape = contract::meshShape(kept, 12, problem);
        QVERIFY(!problem);
        QCOMPARE(shape.members(Axis::Reshard, 10), (std::vector<int> {9, 10, 11}));
        kept.set("engine.reshard_group", std::int64_t {4});
        contract::meshShape(kept, 12, problem);
        QVERIFY(problem && problem->message.starts_with("engine.reshard_group = 4 does not divide the 6 ranks"));
    }

    void sequencesThatLeaveAHostAreSaid_data()
    {
        QTest::addColumn<std::int64_t>("ulysses");
        QTest::addColumn<std::int64_t>("ring");
        QTest::addColumn<int>("ranksOfAHost");
        QTest::addColumn<QString>("begins");
        QTest::addColumn<bool>("isSlow");
        const auto row = [](const char* name, std::int64_t ulysses, std::int64_t ring, int ranksOfAHost, const char* begins, bool isSlow) {
            QTest::newRow(name) << ulysses << ring << ranksOfAHost << begins << isSlow;
        };
        row("no sequences over ranks", 1, 1, 4, "", false);
        row("one host", 8, 2, 16, "", false);
        row("within a host", 2, 2, 4, "", false);
        row("Ulysses over hosts", 8, 1, 4, "engine.ulysses = 8: a host has 4 ranks, so that every attention exchanges all its tokens between hosts; a divisor of 4", true);
        row("Ulysses astride two hosts", 4, 1, 6, "engine.ulysses = 4: a host has 6 ranks", true);
        row("Ulysses with a rank a host", 2, 1, 1, "engine.ulysses = 2: a host has 1 rank, so that every attention exchanges all its tokens between hosts; engine.ring", true);
        row("ranks dealt out to hosts in turn", 2, 1, 0, "engine.ulysses = 2: the ranks of a host are not consecutive", true);
        row("a ring over hosts", 4, 4, 4, "engine.ring = 4: a host has 4 ranks, so that the ring passes keys and values between hosts", false);
    }
    void sequencesThatLeaveAHostAreSaid()
    {
        QFETCH(std::int64_t, ulysses);
        QFETCH(std::int64_t, ring);
        QFETCH(int, ranksOfAHost);
        QFETCH(QString, begins);
        contract::Experiment experiment;
        experiment.set("engine.ulysses", ulysses);
        experiment.set("engine.ring", ring);
        const contract::SequenceSpread spread = contract::sequenceSpread(experiment, 16, ranksOfAHost);
        QVERIFY2(QString::fromStdString(spread.sentence).startsWith(begins) && spread.sentence.empty() == begins.isEmpty(), spread.sentence.c_str());
        QTEST(spread.isSlow, "isSlow");
    }

    void ranksOfAGroup_data()
    {
        QTest::addColumn<int>("axis");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QList<int>>("members");
        const auto row = [](const char* name, Axis axis, int rank, const QList<int>& members) {
            QTest::newRow(name) << static_cast<int>(axis) << rank << members;
        };
        // 24 ranks: 2 replicas of 12 shards each; 4 data ranks, each a ring of 3 Ulysses groups of 2
        row("E-020 a shard group is consecutive", Axis::Shard, 14, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
        row("E-020 replicas lie a shard group apart", Axis::Replicate, 14, {2, 14});
        row("E-022 Ulysses ranks are consecutive", Axis::Ulysses, 15, {14, 15});
        row("E-022 the ring strides over them", Axis::Ring, 15, {13, 15, 17});
        row("E-024 data ranks stride over sequences", Axis::Data, 15, {3, 9, 15, 21});
    }
    void ranksOfAGroup()
    {
        QFETCH(int, axis);
        QFETCH(int, rank);
        QFETCH(QList<int>, members);
        const MeshShape shape {.world = 24, .shard = 12, .ring = 3, .ulysses = 2};
        QCOMPARE(shape.data(), 4);
        const auto actual = shape.members(static_cast<Axis>(axis), rank);
        QCOMPARE(QList<int>(actual.begin(), actual.end()), members);
    }
};

QTEST_GUILESS_MAIN(MeshShapeTest)
#include "tst_mesh_shape.moc"
