// Weights from a model's files into shards: which bytes each rank reads, and where they end up.
#include "engine/weights/weights_loader.h"
#include "tests/engine/checkpoint/small_ranks.h"

#include "engine/comm/errors.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

namespace fs = std::filesystem;
using contract::MeshShape;
using engine::EngineError;
using engine::Mesh;
using engine::WeightsSource;
using tests::SmallModel;
using Names = std::set<std::string>;

namespace {

/// Any bits that are numbers of that dtype, the same in every process.
at::Tensor valuesOf(const engine::ParameterSpec& parameter, at::ScalarType dtype)
{
    const at::Tensor numbers = at::arange(parameter.elements(), at::kDouble).add(static_cast<double>(parameter.name.size()));
    return numbers.mul(0.618).frac().sub(0.5).mul(8).to(dtype).reshape(parameter.shape);
}

}  // namespace

class WeightsLoaderTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    Mesh m_mesh {{}, std::make_unique<engine::LoneGroup>()};

    fs::path folder() const { return m_root.path().toStdString(); }
    static void requireWell(const std::string& complaints) { QVERIFY2(complaints.empty(), complaints.c_str()); }

    /// Writes each unit to its own file, with an index.
    void write(const std::vector<engine::UnitSpec>& units, at::ScalarType dtype, const char* dtypeName, const std::string& prefix = {}) const
    {
        nlohmann::json places = nlohmann::json::object();
        for (const engine::UnitSpec& unit : units) {
            const std::string file = unit.name + ".safetensors";
            std::vector<contract::SafetensorsTensor> entries;
            for (const engine::ParameterSpec& parameter : unit.parameters) {
                entries.push_back({prefix + parameter.name, dtypeName, parameter.shape});
                places[prefix + parameter.name] = file;
            }
            contract::SafetensorsWriter writer(folder() / file, entries, {{"format", "pt"}});
            for (const engine::ParameterSpec& parameter : unit.parameters) {
                const at::Tensor values = valuesOf(parameter, dtype);
                writer.write(values.const_data_ptr(), values.nbytes());
            }
            writer.finish();
        }
        std::ofstream(folder() / "diffusion_pytorch_model.safetensors.index.json") << nlohmann::json({{"weight_map", places}});
    }
    WeightsSource source(const WeightsSource::NameRule& rule = {}) const { return WeightsSource(contract::SafetensorsSet(folder()), rule); }

    /// Returns the first parameter whose gathered value differs from the file, or an empty string. Collective.
    static std::string difference(SmallModel& model, at::ScalarType dtype)
    {
        for (std::size_t i = 0; i < model.units().size(); ++i) {
            engine::Unit& unit = model.units()[i];
            unit.startGather(engine::Weights::Master);
            unit.finishGather();
            for (std::size_t p = 0; p < unit.spec().parameters.size(); ++p)
                if (!at::equal(unit.parameter(p).value, valuesOf(unit.spec().parameters[p], dtype).to(at::kFloat)))
                    return unit.spec().parameters[p].name + " differs";
            unit.reshard();
            if (!at::equal(unit.ema, unit.master))
                return unit.name() + "'s average differs";
        }
        return {};
    }
    std::string refusal(SmallModel& model, const WeightsSource& from)
    {
        try {
            engine::loadWeights(model.units(), m_mesh, from, true);
            return {};
        } catch (const EngineError& error) {
            return error.kind() == EngineError::Kind::BadCheckpoint ? error.what() : "another kind of error";
        }
    }

private Q_SLOTS:
    void namesOfAFileAreShownAsText_defect_32()
    {
        engine::LoadReport report;
        report.unexpected = {"a\033[31m", std::string(100'000, 'x')};
        const std::string told = report.sentence();
        QVERIFY2(told.starts_with("has unexpected a\\x1b[31m, xxx") && told.size() < 500, told.substr(0, 500).c_str());
    }

    void init()
    {
        for (const auto& entry : fs::directory_iterator(folder()))
            fs::remove(entry.path());
    }

    void everyNumberOfRanksGetsTheSameWeights_data()
    {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("shard");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<QByteArray>("word");
        QTest::newRow("E-007 1 rank, float32") << 1 << 1 << int(at::kFloat) << QByteArray("F32");
        QTest::newRow("E-007 2 shards, bfloat16") << 2 << 2 << int(at::kBFloat16) << QByteArray("BF16");
        QTest::newRow("E-007 3 shards, float32") << 3 << 3 << int(at::kFloat) << QByteArray("F32");
        QTest::newRow("E-007 3 shards, float16") << 3 << 3 << int(at::kHalf) << QByteArray("F16");
        QTest::newRow("E-007 2 shards, float8") << 2 << 2 << int(at::kFloat8_e4m3fn) << QByteArray("F8_E4M3");
        QTest::newRow("E-007 3 replicas, bfloat16") << 3 << 1 << int(at::kBFloat16) << QByteArray("BF16");
        QTest::newRow("E-007 2 replicas of 2 shards, float32") << 4 << 2 << int(at::kFloat) << QByteArray("F32");
    }
    void everyNumberOfRanksGetsTheSameWeights()
    {
        QFETCH(int, world);
        QFETCH(int, shard);
        QFETCH(int, dtype);
        QFETCH(QByteArray, word);
        const auto type = static_cast<at::ScalarType>(dtype);
        write(tests::smallUnits(), type, word);
        requireWell(tests::runRanks({.world = world, .shard = shard}, [&](Mesh& mesh) -> std::string {
            SmallModel model(mesh);
            model.fill(3);
            const auto report = engine::loadWeights(model.units(), mesh, source(), true);
            return report.isExactMatch() ? difference(model, type) : "it does not fit: " + report.sentence();
        }));
    }

    void everyByteIsReadOnce_data()
    {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("shard");
        QTest::newRow("3 shards") << 3 << 3;
        QTest::newRow("2 replicas of 2 shards") << 4 << 2;
        QTest::newRow("3 replicas") << 3 << 1;
    }
    void everyByteIsReadOnce()
    {
        QFETCH(int, world);
        QFETCH(int, shard);
        const std::vector<engine::UnitSpec> specs = {{"root", {{"root.weight", {4096, 64}, 0, true}}}, {"block", {{"block.weight", {4096, 64}, 0, true}, {"block.bias", {64}, 0, false}}}};
        write(specs, at::kBFloat16, "BF16");
        const double tensorBytes = static_cast<double>(contract::SafetensorsSet(folder()).bytes());
        requireWell(tests::runRanks({.world = world, .shard = shard}, [&](Mesh& mesh) -> std::string {
            SmallModel model(mesh, specs);
            const WeightsSource opened = source();
            return tests::faultOfReading(mesh, tensorBytes, [&] { engine::loadWeights(model.units(), mesh, opened, true); });
        }));
    }

    void aPrefixIsTakenOff()
    {
        write(tests::smallUnits(), at::kFloat, "F32", "transformer.");
        SmallModel model(m_mesh);
        QVERIFY(refusal(model, source()).find("lacks blocks.0.gain, ") != std::string::npos);
        QVERIFY(refusal(model, source(engine::withoutPrefix("transformer."))).empty());
        QCOMPARE(difference(model, at::kFloat), std::string());
    }

    void whatDoesNotFitIsReported_E128()
    {
        write(tests::smallUnits(), at::kFloat, "F32");
        const auto specs = tests::changedUnits();
        const auto compared = engine::compareWeights(specs, source());
        QCOMPARE(compared.missing, Names({"blocks.0.scale"}));
        QCOMPARE(compared.mismatched, Names({"embed.bias"}));
        QCOMPARE(compared.unexpected, Names({"blocks.0.gain"}));

        SmallModel model(m_mesh, specs);
        const std::string told = refusal(model, source());
        for (const char* part : {"weights ", "index.json: lacks blocks.0.scale; ", "has with another shape or dtype: embed.bias; ", "has unexpected blocks.0.gain"})
            QVERIFY2(told.find(part) != std::string::npos, told.c_str());

        model.fill(2);
        const at::Tensor former = model.weightBits(0, 1);
        engine::loadWeights(model.units(), m_mesh, source(), false);
        QVERIFY(at::equal(model.weightBits(0, 0), valuesOf(specs[0].parameters[0], at::kFloat).flatten().view(at::kInt)));
        QVERIFY(at::equal(model.weightBits(0, 1), former));  // keeps its values
        // Tensors without a floating-point dtype are mismatched too.
        write(tests::smallUnits(), at::kInt, "I32");
        QCOMPARE(engine::compareWeights(tests::smallUnits(), source()).mismatched.size(), 4U);
    }
};

QTEST_APPLESS_MAIN(WeightsLoaderTest)
#include "tst_weights_loader.moc"
