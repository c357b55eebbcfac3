// The weights of named adapters, on any number of ranks: copied, averaged, read and written whole.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/lora/adapter_state.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"
#include "tests/engine/lora/adapted_model.h"

#include <QtTest>

#include <cmath>
#include <cstdio>

using engine::AdapterAccess;
using engine::AdapterMatrix;
using tests::errorOf;
using tests::kCpu;
using tests::weightsOf;

namespace {

bool holds(bool isSo, const char* what)
{
    if (!isSo)
        std::fprintf(stderr, "not so: %s\n", what);
    return isSo;
}

std::string of(const char* adapter, std::string name)
{
    const auto at = name.find(".old.");
    return at == std::string::npos ? name : name.replace(at + 1, 3, adapter);
}

struct Sharded {
    explicit Sharded(engine::Group& group, engine::UnitOptions options = {}, engine::SequenceOptions sequence = {})
        : pool(group, kCpu)
        , units(tests::adaptedSpecs(), group, pool, options, sequence, 7)
    {
        for (const auto& [name, values] : weightsOf(units)) {
            if (name.find(".lora_B.") != std::string::npos)
                tests::setWeight(units, name, at::linspace(-1, 1, values.numel()).view(values.sizes()) * (name.find(".old.") == std::string::npos ? 1 : 2));
        }
    }
    engine::BufferPool pool;
    engine::UnitSequence units;
};

}  // namespace

class AdapterStateTest : public QObject {
    Q_OBJECT

    static void run(const std::function<bool(engine::Mesh&)>& body)
    {
        QFETCH(int, ranks);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            return body(mesh);
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }
    static void addRanks(const char* row)
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 4})
            QTest::addRow("%s ranks: %d", row, ranks) << ranks;
    }

private Q_SLOTS:
    void averagesAreElementwise_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("decay");
        for (const int ranks : {1, 2, 4}) {
            QTest::addRow("E-097 a copy, ranks: %d", ranks) << ranks << 0.0;
            QTest::addRow("E-098 0.9, ranks: %d", ranks) << ranks << 0.9;
            QTest::addRow("E-098 no change, ranks: %d", ranks) << ranks << 1.0;
        }
    }
    void averagesAreElementwise()
    {
        QFETCH(double, decay);
        run([decay](engine::Mesh& mesh) {
            Sharded model(mesh.shard());
            const auto before = weightsOf(model.units);
            engine::averageAdapter(model.units, "default", "old", decay);
            bool isRight = true;
            for (const auto& [name, after] : weightsOf(model.units)) {
                const at::Tensor expected = of("default", name) == name
                    ? before.at(name)
                    : decay * before.at(name) + (1 - decay) * before.at(of("default", name));
                isRight &= holds(at::allclose(after, expected, 1e-6, 1e-7), name.c_str());
                isRight &= decay != 0 || holds(at::equal(after, before.at(of("default", name))), "a copy is exact");
            }
            return isRight;
        });
    }

    void whatIsGatheredFollows_data() { addRanks("E-097"); }
    void whatIsGatheredFollows()
    {
        run([](engine::Mesh& mesh) {
            Sharded model(mesh.shard(), {}, {.reshardAfterForward = false});
            engine::Adapters adapters(model.units, tests::kLayers, {"default", "old"});
            const auto output = [&](const char* name) {
                const engine::Adapters::Scope scope(adapters, name);
                engine::Tape tape(model.units, engine::Tape::Mode::Train);  // which leaves the units gathered
                return tests::forward(tape, at::ones({2, tests::kWidth}))->data.clone();
            };
            const at::Tensor trained = output("default"), old = output("old");
            engine::copyAdapter(model.units, "default", "old");
            return holds(!at::equal(trained, old), "they differ at first") & holds(at::equal(output("old"), trained), "a copy computes the same");
        });
    }

    void averagesOfBfloat16AreKeptInFloat32_data() { addRanks("E-094 E-098"); }
    void averagesOfBfloat16AreKeptInFloat32()
    {
        run([](engine::Mesh& mesh) {
            Sharded model(mesh.shard(), {.computeDtype = at::kBFloat16, .trainedDtype = at::kBFloat16, .storesFrozen = false});
            engine::copyAdapter(model.units, "default", "old");
            const std::string name = "up.lora_B.default.weight";
            const at::Tensor start = weightsOf(model.units).at(name);
            tests::setWeight(model.units, name, start + 1);
            // Each step is smaller than half of bfloat16's distance between numbers near one.
            for (int i = 0; i < 100; ++i)
                engine::averageAdapter(model.units, "default", "old", 0.999);
            const auto weights = weightsOf(model.units);
            const at::Tensor expected = start + (1 - std::pow(0.999, 100)) * (weights.at(name) - start);
            return holds(model.units[0].master.scalar_type() == at::kBFloat16, "E-094 the adapter that trains is bfloat16")
                & holds(at::allclose(weights.at("up.lora_B.old.weight"), expected, 1e-4, 1e-5), "the average moves");
        });
    }

    void eachUnitsMatricesAreShownWhole_data() { addRanks("E-103"); }
    void eachUnitsMatricesAreShownWhole()
    {
        run([](engine::Mesh& mesh) {
            Sharded model(mesh.shard());
            const auto before = weightsOf(model.units);
            std::vector<std::string> names;
            std::size_t calls = 0;
            bool isRight = true;
            engine::visitAdapter(model.units, "old", AdapterAccess::Write, [&](const std::vector<AdapterMatrix>& matrices) {
                ++calls;
                for (const auto& [name, values] : matrices) {
                    names.push_back(name);
                    isRight &= holds(at::equal(values, before.at(name)), name.c_str());
                    values.mul_(3);
                }
                isRight &= holds(model.units[0].state() == engine::Unit::State::Sharded, "the base stays sharded");
            });
            isRight &= holds(calls == 2, "a unit at a time")
                & holds(names == std::vector<std::string> {"up.lora_A.old.weight", "up.lora_B.old.weight", "block.0.down.lora_A.old.weight",
                                     "block.0.down.lora_B.old.weight"}, "all matrices in their order");
            engine::visitAdapter(model.units, "default", AdapterAccess::Read, [](const std::vector<AdapterMatrix>& matrices) { matrices[0].values.zero_(); });
            for (const auto& [name, after] : weightsOf(model.units))
                isRight &= holds(at::equal(after, before.at(name) * (name.find(".old.") == std::string::npos ? 1 : 3)), name.c_str());
            return isRight;
        });
    }

    void someUnitsAlone_E104()
    {
        engine::LoneGroup lone;
        Sharded model(lone);
        std::vector<std::string> names;
        const auto collect = [&](const std::vector<AdapterMatrix>& matrices) {
            for (const AdapterMatrix& matrix : matrices)
                names.push_back(matrix.name);
        };
        engine::visitAdapter(model.units, "default", AdapterAccess::Read, collect, {"block."});
        QCOMPARE(names, (std::vector<std::string> {"block.0.down.lora_A.default.weight", "block.0.down.lora_B.default.weight"}));
        QCOMPARE(errorOf([&] { engine::visitAdapter(model.units, "default", AdapterAccess::Read, collect, {"layers.", "stages."}); }),
            std::string("the adapter \"default\" has no matrices in units whose names start with layers., stages."));
    }

    void checksumsTellAdaptersApart_data() { addRanks("E-106"); }
    void checksumsTellAdaptersApart()
    {
        run([](engine::Mesh& mesh) {
            Sharded model(mesh.shard());
            double sum = 0;
            for (const auto& [name, values] : weightsOf(model.units))
                sum += name.find(".default.") != std::string::npos ? values.sum().item<double>() : 0;
            const auto trained = engine::checksumOfAdapter(model.units, "default");
            if (!holds(trained.has_value() && !engine::checksumOfAdapter(model.units, "new"), "only what is there has one"))
                return false;
            engine::LoneGroup lone;
            Sharded whole(lone);
            bool isRight = holds(std::abs(trained->sum - sum) < 1e-4, "the sum of all elements") & holds(trained->count == 4, "of four matrices")
                & holds(trained->firstA == "up.lora_A.default.weight" && trained->firstB == "up.lora_B.default.weight"
                        && trained->last == "block.0.down.lora_B.default.weight", "names")
                & holds(trained == engine::checksumOfAdapter(whole.units, "default"), "the same on one rank")
                & holds(trained->sum != engine::checksumOfAdapter(model.units, "old")->sum, "another for another");
            return isRight;
        });
    }

    void whatIsWrongIsNamed_E097_E098()
    {
        engine::LoneGroup lone;
        Sharded model(lone);
        QVERIFY(errorOf([&] { engine::averageAdapter(model.units, "default", "old", 1.5); }).find("1.5") != std::string::npos);
        QCOMPARE(errorOf([&] { engine::copyAdapter(model.units, "default", "new"); }),
            std::string("the adapter \"new\" cannot follow \"default\": they have 0 and 4 matrices; known adapters: default, old"));
    }
};

QTEST_APPLESS_MAIN(AdapterStateTest)
#include "tst_adapter_state.moc"
