// The old policy that follows the one that trains: its schedules, the steps on which it is updated, and its weights.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/algorithm/old_policy.h"
#include "engine/shard/weight_copies.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/lora/adapted_model.h"

#include <QtTest>

using engine::OldPolicy;
using engine::oldPolicySchedule;
using tests::errorOf;

class OldPolicyTest : public QObject {
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
        row("linear_to_0_3", 200, 0.2);
        row("linear_to_0_3", 301, 0.3);
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
        QVERIFY(std::abs(oldPolicySchedule(name.toStdString()).decay(step) - decay) < 1e-12);
    }

    void itFollowsOnItsSteps_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("step");
        QTest::addColumn<OldPolicy::Kind>("kind");
        QTest::addColumn<double>("decay");
        for (const int ranks : {1, 2, 4}) {
            QTest::addRow("E-099 not on other steps, ranks: %d", ranks) << ranks << 3 << OldPolicy::Kind::None << 0.0;
            QTest::addRow("E-099 copied, ranks: %d", ranks) << ranks << 0 << OldPolicy::Kind::Copy << 0.0;
            QTest::addRow("E-099 averaged, ranks: %d", ranks) << ranks << 100 << OldPolicy::Kind::Average << 0.1;
        }
    }
    void itFollowsOnItsSteps()
    {
        QFETCH(int, ranks);
        QFETCH(int, step);
        QFETCH(OldPolicy::Kind, kind);
        QFETCH(double, decay);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
            engine::UnitSequence units(tests::adaptedSpecs({"default"}), mesh.shard(), pool, {.keepsOld = true}, {}, 7);
            std::vector<at::Tensor> before;
            for (engine::Unit* unit : units.parts()) {
                if (unit->old.defined())
                    before.push_back(unit->old.clone());
                unit->master.add_(1);
            }
            const OldPolicy::Update update = OldPolicy(oldPolicySchedule("linear_to_0_5"), std::nullopt, 2).follow(units, step);
            const double kept = kind == OldPolicy::Kind::None ? 1 : decay;
            bool isRight = update.kind == kind && std::abs(update.decay - decay) < 1e-12 && before.size() == 2;
            for (std::size_t i = 0; const engine::Unit* unit : units.parts()) {
                if (unit->isTrained())
                    isRight &= at::allclose(unit->old, kept * before.at(i++) + (1 - kept) * unit->master);
                else
                    isRight &= !unit->old.defined();
            }
            return isRight;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void aConstantTakesTheSchedulesPlace_E099()
    {
        engine::LoneGroup lone;
        engine::BufferPool pool(lone, c10::Device(c10::DeviceType::CPU));
        engine::UnitSequence units(tests::adaptedSpecs({"default"}), lone, pool, {.keepsOld = true}, {}, 7);
        const auto update = OldPolicy(oldPolicySchedule("copy"), 0.25, 1).follow(units, 7);
        QVERIFY(update.kind == OldPolicy::Kind::Average);
        QCOMPARE(update.decay, 0.25);
    }

    /// In bfloat16 the small changes would be rounded away.
    void theAverageIsKeptInFloat32_E098()
    {
        engine::LoneGroup lone;
        engine::BufferPool pool(lone, c10::Device(c10::DeviceType::CPU));
        engine::UnitSequence units(tests::adaptedSpecs({"default"}), lone, pool,
            {.computeDtype = at::kBFloat16, .trainedDtype = at::kBFloat16, .keepsOld = true, .storesFrozen = false}, {}, 7);
        for (engine::Unit* unit : units.parts()) {
            if (!unit->isTrained())
                continue;
            const at::Tensor start = unit->old.clone();
            unit->master.add_(1);
            for (int i = 0; i < 100; ++i)
                engine::averageOld(units, 0.999);
            QVERIFY(at::allclose(unit->old, start + (1 - std::pow(0.999, 100)) * (unit->master.to(at::kFloat) - start), 1e-4, 1e-5));
            return;
        }
    }

    void passesUseTheCopyThatIsChosen_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 4})
            QTest::addRow("E-093 E-102 ranks: %d", ranks) << ranks;
    }
    void passesUseTheCopyThatIsChosen()
    {
        QFETCH(int, ranks);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [](engine::Mesh& mesh) {
            at::set_num_threads(1);
            engine::BufferPool pool(mesh.shard(), tests::kCpu);
            bool isRight = true;
            for (const bool hasAdapter : {false, true}) {
                const auto specs = hasAdapter ? tests::adaptedSpecs({"default"}) : tests::plainSpecs();
                engine::UnitSequence units(specs, mesh.shard(), pool, {.keepsOld = true, .keepsReference = true}, {}, 7);
                std::optional<engine::Adapters> adapters;
                if (hasAdapter)
                    adapters.emplace(units, tests::kLayers, std::vector<std::string> {"default"});
                const auto outputOf = [&](engine::Weights weights) {
                    const engine::UnitSequence::EvaluationScope scope(units, weights);
                    return tests::outputOf(units).clone();
                };
                const at::Tensor start = outputOf(engine::Weights::Master);
                const auto change = [&](double by) {
                    for (engine::Unit* unit : units.parts()) {
                        if (unit->isTrained())
                            unit->master.add_(by);
                        unit->masterReplaced();
                    }
                };
                change(0.1);
                const at::Tensor next = outputOf(engine::Weights::Master);
                engine::averageOld(units, 0);
                change(0.1);
                isRight &= !at::equal(start, next) && !at::equal(outputOf(engine::Weights::Master), next)
                    && at::equal(outputOf(engine::Weights::Old), next) && at::equal(outputOf(engine::Weights::Reference), start);
            }
            return isRight;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void whatIsWrongIsNamed_E099()
    {
        engine::LoneGroup lone;
        engine::BufferPool pool(lone, c10::Device(c10::DeviceType::CPU));
        engine::UnitSequence units(tests::plainSpecs(), lone, pool, {}, {}, 7);
        QVERIFY(errorOf([&] { engine::averageOld(units, 1.5); }).find("1.5") != std::string::npos);
        QVERIFY(errorOf([&] { engine::averageOld(units, 0.5); }).find("no weights of an old policy") != std::string::npos);
        QCOMPARE(errorOf([] { oldPolicySchedule("cosine"); }),
            std::string("the schedule \"cosine\" of the old policy is not supported; supported: copy, delayed_linear_to_0_999, linear_to_0_3, linear_to_0_5"));
        QVERIFY(errorOf([] { OldPolicy({}, 1.25, 1); }).find("1.25") != std::string::npos);
        QVERIFY(errorOf([] { OldPolicy({}, -0.5, 1); }).find("-0.5") != std::string::npos);
        QVERIFY(errorOf([] { OldPolicy({}, std::nullopt, 0); }).find("every 0 steps") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(OldPolicyTest)
#include "tst_old_policy.moc"
