// Named adapters: which parameters they are, which one is in use, and averages of one in another, on any number of ranks.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/comm/errors.h"
#include "engine/model/adapters.h"
#include "engine/model/parameter_places.h"
#include "engine/model/tape.h"
#include "tests/engine/comm/forked_ranks.h"

#include <QtTest>

#include <cstdio>

using engine::Adapters;
using engine::Tape;

namespace {

constexpr std::int64_t kWidth = 24, kRank = 3;
const std::vector<engine::AdapterLayer> kLayers = {{"up", kRank, 2.0}, {"block.0.down", kRank, 0.5}};

std::vector<engine::UnitSpec> plainSpecs()
{
    engine::SpecBuilder root("root", ""), block("block.0", "block.0.");
    root.linear("up", 2 * kWidth, kWidth);
    root.normWeight("norm", kWidth);
    block.linear("down", kWidth, 2 * kWidth);
    block.linear("out", kWidth, kWidth);
    return {root.take(), block.take()};
}

std::vector<engine::UnitSpec> adaptedSpecs()
{
    auto specs = plainSpecs();
    engine::declareAdapters(specs, kLayers, {"default", "old"});
    return specs;
}

/// Whole parameters of a sharded model by name.
std::map<std::string, at::Tensor> weightsOf(engine::UnitSequence& units, engine::Group& shard)
{
    std::map<std::string, at::Tensor> weights;
    for (std::size_t u = 0; u < units.size(); ++u) {
        for (std::size_t p = 0; p < units[u].spec().parameters.size(); ++p) {
            const at::Tensor whole = at::zeros(units[u].spec().parameters[p].shape);
            for (const auto& piece : units[u].pieces()) {
                if (piece.tensor == p)
                    whole.view({-1}).narrow(0, piece.tensorBegin, piece.count).copy_(units[u].master.narrow(0, piece.shardBegin, piece.count));
            }
            shard.allReduceSum(whole, "a test");
            weights[units[u].spec().parameters[p].name] = whole;
        }
    }
    return weights;
}

std::string errorOf(const std::function<void()>& body)
{
    try {
        body();
    } catch (const engine::EngineError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class AdaptersTest : public QObject {
    Q_OBJECT

    engine::LoneGroup m_lone;
    engine::BufferPool m_pool {m_lone, c10::Device(c10::DeviceType::CPU)};

    /// What "up" makes of ones.
    at::Tensor outputOf(engine::UnitSequence& units)
    {
        Tape tape(units, Tape::Mode::Evaluate);
        const engine::BlockParameters root(tape.root(), 0);
        return engine::linear(tape, tape.input(at::ones({1, kWidth})), root.linear({0, 1}))->data.clone();
    }

private Q_SLOTS:
    void averagesAreElementwise_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("decay");
        for (const int ranks : {1, 2, 3}) {
            QTest::addRow("E-097 a copy, ranks: %d", ranks) << ranks << 0.0;
            QTest::addRow("E-098 0.9, ranks: %d", ranks) << ranks << 0.9;
            QTest::addRow("E-098 no change, ranks: %d", ranks) << ranks << 1.0;
        }
    }
    void averagesAreElementwise()
    {
        QFETCH(int, ranks);
        QFETCH(double, decay);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
            engine::UnitSequence units(adaptedSpecs(), mesh.shard(), pool, {}, {}, 7);
            Adapters adapters(units, kLayers, {"default", "old"});
            const auto before = weightsOf(units, mesh.shard());
            adapters.average("default", "old", decay, mesh.shard());
            bool isRight = true;
            for (const auto& [name, after] : weightsOf(units, mesh.shard())) {
                at::Tensor expected = before.at(name);
                if (const auto own = name.find(".old."); own != std::string::npos) {
                    std::string source = name;
                    expected = decay * expected + (1 - decay) * before.at(source.replace(own, 5, ".default."));
                }
                isRight &= at::allclose(after, expected, 1e-6, 1e-7);
            }
            return isRight;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

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
        const auto weights = weightsOf(units, m_lone);
        QVERIFY(!at::equal(weights.at("up.lora_A.default.weight"), weights.at("up.lora_A.old.weight")));
        const double deviation = weights.at("block.0.down.lora_A.old.weight").std().item<double>();
        QVERIFY2(std::abs(deviation * kRank - 1) < 0.25, qPrintable(QString::number(deviation)));
    }

    void aScopeSwitchesAndSwitchesBack_E095()
    {
        engine::UnitSequence units(adaptedSpecs(), m_lone, m_pool, {}, {}, 7);
        Adapters adapters(units, kLayers, {"default", "old"});
        const at::Tensor plain = outputOf(units);
        const auto& parameters = units[0].spec().parameters;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].name == "up.lora_B.old.weight")
                units[0].setMaster(i, at::ones(parameters[i].shape));
        }
        units.reshardAll();
        {
            const Adapters::Scope scope(adapters, "old");
            QCOMPARE(adapters.selected(), std::optional<std::string>("old"));
            const at::Tensor down = weightsOf(units, m_lone).at("up.lora_A.old.weight");
            QVERIFY(at::allclose(outputOf(units), plain + 2 * down.sum(), 1e-4, 1e-5));
            try {
                const Adapters::Scope inner(adapters, std::nullopt);
                QVERIFY(at::equal(outputOf(units), plain));
                throw std::runtime_error("a fault within");
            } catch (const std::runtime_error&) {
            }
            QCOMPARE(adapters.selected(), std::optional<std::string>("old"));
        }
        QCOMPARE(adapters.selected(), std::optional<std::string>("default"));
        QVERIFY(at::equal(outputOf(units), plain));
    }

    void whatIsWrongIsNamed_E095_E098()
    {
        engine::UnitSequence units(adaptedSpecs(), m_lone, m_pool, {}, {}, 7);
        Adapters adapters(units, kLayers, {"default", "old"});
        QCOMPARE(errorOf([&] { const Adapters::Scope scope(adapters, "new"); }), std::string("there is no adapter \"new\"; there are: default, old"));
        QCOMPARE(adapters.selected(), std::optional<std::string>("default"));
        QVERIFY(errorOf([&] { adapters.average("default", "old", 1.5, m_lone); }).find("1.5") != std::string::npos);
        auto specs = plainSpecs();
        QVERIFY(errorOf([&] { engine::declareAdapters(specs, {{"norm", 2, 1}}, {"default"}); }).find("\"norm\"") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(AdaptersTest)
#include "tst_adapters.moc"
