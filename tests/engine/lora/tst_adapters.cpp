// Named adapters: their parameters, their memory cost, and the selection of one.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/lora/adapted_model.h"

#include <QtTest>

#include <cmath>
#include <set>

using engine::Adapters;
using engine::Tape;
using namespace tests;

class AdaptersTest : public QObject {
    Q_OBJECT

    engine::LoneGroup m_lone;
    engine::BufferPool m_pool {m_lone, kCpu};

private Q_SLOTS:
    void onlyTheFirstAdapterTrains_E090()
    {
        std::set<std::string> trained;
        for (const auto& unit : adaptedSpecs()) {
            for (const auto& parameter : unit.parameters) {
                if (parameter.isTrained)
                    trained.insert(parameter.name);
            }
        }
        QCOMPARE(trained, (std::set<std::string> {"up.lora_A.default.weight", "up.lora_B.default.weight",
                              "block.0.down.lora_A.default.weight", "block.0.down.lora_B.default.weight"}));
    }

    void aFreshAdapterChangesNothingAndEachDrawsItsOwn_E090()
    {
        engine::UnitSequence plain(plainSpecs(), m_lone, m_pool, {}, {}, 7), units(adaptedSpecs(), m_lone, m_pool, {}, {}, 7);
        const Adapters adapters(units, kLayers, {"default", "old"});
        QVERIFY(at::equal(outputOf(units), outputOf(plain)));
        const auto weights = weightsOf(units);
        QVERIFY(!at::equal(weights.at("up.lora_A.default.weight"), weights.at("up.lora_A.old.weight")));
    }

    void theyBeginAsTheyAreAsked_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<double>("deviation");
        QTest::addColumn<double>("largest");
        QTest::newRow("E-090 gaussian: N(0, 1 / r²)") << QByteArray("gaussian") << 1.0 / kRank << 100.0;
        const double bound = 1 / std::sqrt(2.0 * kWidth);  // √(6 / ((1 + 5) in)), in = 48
        QTest::newRow("E-090 kaiming: uniform with a = √5") << QByteArray("kaiming") << bound / std::sqrt(3.0) << bound;
    }
    void theyBeginAsTheyAreAsked()
    {
        QFETCH(QByteArray, name);
        QFETCH(double, deviation);
        QFETCH(double, largest);
        engine::UnitSequence units(adaptedSpecs({"default"}, engine::adapterInitOf(name.toStdString())), m_lone, m_pool, {}, {}, 7);
        const auto weights = weightsOf(units);
        const at::Tensor& down = weights.at("block.0.down.lora_A.default.weight");
        QVERIFY(std::abs(down.std().item<double>() / deviation - 1) < 0.25);
        QVERIFY(std::abs(down.mean().item<double>()) < 0.3 * deviation);
        QVERIFY(down.abs().max().item<double>() <= largest);
        QVERIFY(weights.at("block.0.down.lora_B.default.weight").eq(0).all().item<bool>());
    }

    void orthogonalOnesChangeNothingThoughNeitherMatrixIsZero_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 4})
            QTest::addRow("E-090 ranks: %d", ranks) << ranks;
    }
    void orthogonalOnesChangeNothingThoughNeitherMatrixIsZero()
    {
        QFETCH(int, ranks);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [](engine::Mesh& mesh) {
            at::set_num_threads(1);
            const std::vector<engine::AdapterLayer> layers = {{"up", 6, 2.0}, {"block.0.down", 6, 0.5}};
            const auto specs = [&](const std::vector<std::string>& names) {
                auto units = plainSpecs();
                engine::declareAdapters(units, layers, names, engine::adapterInitOf("orthogonal"));
                return units;
            };
            engine::BufferPool pool(mesh.shard(), kCpu);
            engine::UnitSequence plain(plainSpecs(), mesh.shard(), pool, {}, {}, 7), units(specs({"default", "old"}), mesh.shard(), pool, {}, {}, 7);
            const Adapters adapters(units, layers, {"default", "old"});
            bool isRight = at::allclose(outputOf(units), outputOf(plain), 1e-5, 1e-6);
            const auto weights = weightsOf(units);
            for (const auto& layer : layers) {
                const auto matrix = [&](const std::string& name) { return weights.at(layer.module + name + ".weight").to(at::kDouble); };
                const at::Tensor down = matrix(".lora_A.default"), up = matrix(".lora_B.default");
                isRight &= at::mm(up, down).abs().max().item<double>() < 1e-7;
                // Each is rank / 2 columns of N(0, 1 / 10²) times orthonormal rows, which preserve sums of squares.
                for (const at::Tensor& each : {down, up}) {
                    const double squares = each.square().sum().item<double>(), expected = static_cast<double>(each.numel()) / 2 / 100;
                    isRight &= std::abs(squares / expected - 1) < 0.5 && at::linalg_matrix_rank(each, 1e-5).item<std::int64_t>() == 3;
                }
                isRight &= !at::allclose(down, matrix(".lora_A.old"), 0.1, 0.01);
            }
            engine::LoneGroup lone;
            engine::BufferPool lonePool(lone, kCpu);
            engine::UnitSequence whole(specs({"default", "old"}), lone, lonePool, {}, {}, 7);
            for (const auto& [name, values] : weightsOf(whole))
                isRight &= at::equal(weights.at(name), values);
            return isRight;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void whatIsFrozenCostsNeitherGradientsNorAnAverage_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 4})
            QTest::addRow("E-090 ranks: %d", ranks) << ranks;
    }
    void whatIsFrozenCostsNeitherGradientsNorAnAverage()
    {
        QFETCH(int, ranks);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [](engine::Mesh& mesh) {
            at::set_num_threads(1);
            constexpr std::int64_t kPadding = 16 * 8;
            std::int64_t trained = 0;
            for (const auto& unit : adaptedSpecs({"default"})) {
                for (const auto& parameter : unit.parameters)
                    trained += parameter.isTrained ? parameter.elements() : 0;
            }
            engine::BufferPool pool(mesh.shard(), kCpu);
            engine::UnitSequence units(adaptedSpecs({"default"}), mesh.shard(), pool,
                {.computeDtype = at::kBFloat16, .storesFrozen = false}, {}, 7);
            std::int64_t gradients = 0, averages = 0;
            bool isRight = true;
            for (const engine::Unit* unit : units.parts()) {
                gradients += unit->gradShard.numel();
                averages += unit->ema.defined() ? unit->ema.numel() : 0;
                isRight &= unit->isTrained() ? unit->master.scalar_type() == at::kFloat && !unit->storedStates().empty()
                                             : unit->master.scalar_type() == at::kBFloat16 && unit->storedStates().empty();
            }
            const std::int64_t most = trained / mesh.shard().size() + kPadding;
            return isRight && gradients > 0 && gradients <= most && averages == gradients;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void theReferenceHasNoParametersAndDefaultIsSelected_E093()
    {
        auto specs = adaptedSpecs({"default", "old", "reference"});
        for (const auto& unit : specs) {
            for (const auto& parameter : unit.parameters)
                QVERIFY(parameter.name.find("reference") == std::string::npos);
        }
        engine::UnitSequence units(std::move(specs), m_lone, m_pool, {}, {}, 7);
        const Adapters adapters(units, kLayers, {"default", "old", "reference"});
        QCOMPARE(adapters.selected(), std::optional<std::string>("default"));
        QCOMPARE(adapters.names(), (std::vector<std::string> {"default", "old"}));
    }

    void aScopeSwitchesAndSwitchesBack_E095_E096()
    {
        engine::UnitSequence plain(plainSpecs(), m_lone, m_pool, {}, {}, 7), units(adaptedSpecs(), m_lone, m_pool, {}, {}, 7);
        Adapters adapters(units, kLayers, {"default", "old"});
        moveAway(units);
        const at::Tensor base = outputOf(plain), trained = outputOf(units);
        QVERIFY(!at::allclose(trained, base));
        {
            const Adapters::Scope scope(adapters, "old");
            const at::Tensor old = outputOf(units);
            QVERIFY(!at::allclose(old, trained) && !at::allclose(old, base));
            try {
                const Adapters::Scope inner(adapters, "reference");
                QVERIFY(at::equal(outputOf(units), base));
                const Adapters::Scope innermost(adapters, "default");
                QVERIFY(at::equal(outputOf(units), trained));
                throw std::runtime_error("a fault within");
            } catch (const std::runtime_error&) {
            }
            QVERIFY(at::equal(outputOf(units), old));
            const Adapters::Scope off(adapters, std::nullopt);
            QVERIFY(at::equal(outputOf(units), base));
        }
        QCOMPARE(adapters.selected(), std::optional<std::string>("default"));
        QVERIFY(at::equal(outputOf(units), trained));
    }

    void aPassWithAnotherAdapterLeavesTheTrainedOneWithoutGradient_E095()
    {
        engine::UnitSequence units(adaptedSpecs(), m_lone, m_pool, {}, {}, 7);
        Adapters adapters(units, kLayers, {"default", "old"});
        moveAway(units);
        const Adapters::Scope scope(adapters, "old");
        Tape tape(units, Tape::Mode::Train);
        const engine::Var out = tests::forward(tape, rowsOf(2));
        tape.backward(out, at::ones_like(out->data));
        for (const auto& [name, gradient] : tests::gradientsOf(units))
            QVERIFY2(gradient.eq(0).all().item<bool>(), name.c_str());
    }

    void passesWithOtherAdaptersMayLieBetweenForwardAndBackward_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("recomputes");
        for (const int ranks : {1, 2, 4}) {
            QTest::addRow("E-107 ranks: %d", ranks) << ranks << false;
            QTest::addRow("E-107 ranks: %d, recomputed", ranks) << ranks << true;
        }
    }
    void passesWithOtherAdaptersMayLieBetweenForwardAndBackward()
    {
        QFETCH(int, ranks);
        QFETCH(bool, recomputes);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            const auto gradients = [&](bool dances) {
                engine::BufferPool pool(mesh.shard(), kCpu);
                engine::UnitSequence units(adaptedSpecs(), mesh.shard(), pool, {}, recomputing(recomputes), 7);
                Adapters adapters(units, kLayers, {"default", "old"});
                moveAway(units);
                const auto evaluate = [&](const char* name) {
                    const Adapters::Scope scope(adapters, name);
                    return outputOf(units);
                };
                at::Tensor old = dances ? evaluate("old") : at::Tensor();
                Tape tape(units, Tape::Mode::Train);
                const engine::Var out = tests::forward(tape, rowsOf(2));
                if (dances && (at::equal(old, out->data) || at::equal(evaluate("reference"), out->data)))
                    return std::map<std::string, at::Tensor>();
                tape.backward(out, at::ones_like(out->data));
                return tests::gradientsOf(units);
            };
            const auto plain = gradients(false), danced = gradients(true);
            bool isSame = danced.size() == plain.size();
            for (const auto& [name, gradient] : danced)
                isSame &= at::equal(gradient, plain.at(name)) && !gradient.eq(0).all().item<bool>();
            return isSame;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void whatIsWrongIsNamed_E090_E095()
    {
        engine::UnitSequence units(adaptedSpecs(), m_lone, m_pool, {}, {}, 7);
        Adapters adapters(units, kLayers, {"default", "old"});
        QCOMPARE(errorOf([&] { const Adapters::Scope scope(adapters, "new"); }),
            std::string("there is no adapter \"new\"; known adapters: default, old, reference"));
        QCOMPARE(adapters.selected(), std::optional<std::string>("default"));
        QCOMPARE(errorOf([] { engine::adapterInitOf("pissa"); }), std::string("lora.init = \"pissa\" is not supported; supported: gaussian, kaiming, orthogonal"));
        auto specs = plainSpecs();
        QCOMPARE(errorOf([&] { engine::declareAdapters(specs, kLayers, {"default"}, engine::AdapterInit::Orthogonal); }),
            std::string("lora.init = orthogonal needs an even rank; \"up\" has 3"));
        QVERIFY(errorOf([&] { engine::declareAdapters(specs, {{"norm", 2, 1}}, {"default"}); }).find("\"norm\"") != std::string::npos);
        QVERIFY(!errorOf([&] { engine::declareAdapters(specs, kLayers, {"reference"}); }).empty());
    }
};

QTEST_APPLESS_MAIN(AdaptersTest)
#include "tst_adapters.moc"
