// The adapter that follows the one that trains: by which schedule, and on which steps.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/train/old_adapter.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/model/adapted_model.h"

#include <QtTest>

using engine::OldAdapter;
using engine::oldAdapterSchedule;
using tests::errorOf;

Q_DECLARE_METATYPE(OldAdapter::Kind)

class OldAdapterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void schedulesRise_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<qint64>("step");
        QTest::addColumn<double>("decay");
        const auto row = [](const char* name, qint64 step, double decay) { QTest::addRow("E-099 %s, step %lld", name, step) << QByteArray(name) << step << decay; };
        row("copy", 0, 0);
        row("copy", 1000, 0);
        row("linear_to_0_5", 0, 0);
        row("linear_to_0_5", 10, 0.01);
        row("linear_to_0_5", 500, 0.5);
        row("linear_to_0_5", 5000, 0.5);
        row("delayed_linear_to_0_999", 74, 0);
        row("delayed_linear_to_0_999", 75, 0);
        row("delayed_linear_to_0_999", 76, 0.0075);
        row("delayed_linear_to_0_999", 175, 0.75);
        row("delayed_linear_to_0_999", 300, 0.999);
    }
    void schedulesRise()
    {
        QFETCH(QByteArray, name);
        QFETCH(qint64, step);
        QFETCH(double, decay);
        QVERIFY(std::abs(oldAdapterSchedule(name.toStdString()).decay(step) - decay) < 1e-12);
    }

    void itFollowsOnItsSteps_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("step");
        QTest::addColumn<OldAdapter::Kind>("kind");
        QTest::addColumn<double>("decay");
        for (const int ranks : {1, 2, 4}) {
            QTest::addRow("E-099 not on other steps, ranks: %d", ranks) << ranks << 3 << OldAdapter::Kind::None << 0.0;
            QTest::addRow("E-099 copied, ranks: %d", ranks) << ranks << 0 << OldAdapter::Kind::Copy << 0.0;
            QTest::addRow("E-099 averaged, ranks: %d", ranks) << ranks << 100 << OldAdapter::Kind::Average << 0.1;
        }
    }
    void itFollowsOnItsSteps()
    {
        QFETCH(int, ranks);
        QFETCH(int, step);
        QFETCH(OldAdapter::Kind, kind);
        QFETCH(double, decay);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
            engine::UnitSequence units(tests::adaptedSpecs(), mesh.shard(), pool, {}, {}, 7);
            const std::string name = "up.lora_A.old.weight";
            const auto before = tests::weightsOf(units);
            const OldAdapter::Update update = OldAdapter(oldAdapterSchedule("linear_to_0_5"), std::nullopt, 2).follow(units, step);
            const double kept = kind == OldAdapter::Kind::None ? 1 : decay;
            return update.kind == kind && std::abs(update.decay - decay) < 1e-12
                && at::allclose(tests::weightsOf(units).at(name), kept * before.at(name) + (1 - kept) * before.at("up.lora_A.default.weight"));
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void aConstantTakesTheSchedulesPlace_E099()
    {
        engine::LoneGroup lone;
        engine::BufferPool pool(lone, c10::Device(c10::DeviceType::CPU));
        engine::UnitSequence units(tests::adaptedSpecs(), lone, pool, {}, {}, 7);
        const auto update = OldAdapter(oldAdapterSchedule("copy"), 0.25, 1).follow(units, 7);
        QVERIFY(update.kind == OldAdapter::Kind::Average);
        QCOMPARE(update.decay, 0.25);
    }

    void whatIsWrongIsNamed_E099()
    {
        QCOMPARE(errorOf([] { oldAdapterSchedule("cosine"); }),
            std::string("the old adapter does not follow as \"cosine\"; known: copy, delayed_linear_to_0_999, linear_to_0_5"));
        QVERIFY(errorOf([] { OldAdapter({}, 1.25, 1); }).find("1.25") != std::string::npos);
        QVERIFY(errorOf([] { OldAdapter({}, -0.5, 1); }).find("-0.5") != std::string::npos);
        QVERIFY(errorOf([] { OldAdapter({}, std::nullopt, 0); }).find("every 0 steps") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(OldAdapterTest)
#include "tst_old_adapter.moc"
