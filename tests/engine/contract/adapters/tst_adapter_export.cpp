// Export of a checkpoint's adapters: matrices, configuration, and matrices that need several reads.
#include "engine/contract/adapters/adapter_export.h"
#include "engine/contract/checkpoint/weights_export.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using contract::AdapterForm;
using contract::SafetensorsTensor;
using Values = std::vector<float>;

namespace {

constexpr std::size_t kRows = 700, kColumns = 600;  // takes several reads, none of which ends at the end of a row

/// 0, 1/8, 2/8 … 6/8, repeated: exact in bfloat16, as are sums of a few products.
Values eighths(std::size_t count, std::size_t first)
{
    Values values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>((first + i) % 7) / 8;
    return values;
}

}  // namespace

class AdapterExportTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path root() const { return m_root.path().toStdString(); }
    fs::path checkpointOf(const tests::Tensors& tensors, const std::map<std::string, std::string>& options) const
    {
        const fs::path folder = root() / "step-1";
        tests::writeCheckpoint(folder, tensors, options);
        return folder;
    }

private Q_SLOTS:
    void init()
    {
        fs::remove_all(root() / "step-1");
        fs::remove_all(root() / "base");
        fs::remove_all(root() / "out");
        fs::create_directories(root() / "out");
    }

    void largeMatricesAreMergedPortionByPortion_E130()
    {
        const Values base = eighths(kRows * kColumns, 0), down = eighths(2 * kColumns, 3), up = eighths(kRows * 2, 5);
        tests::writeTensors(root() / "base" / "model.safetensors", {{{"a.weight", "F32", {kRows, kColumns}}, base}});
        const contract::CheckpointWeights trained(checkpointOf({{{"a.lora_A.default.weight", "F32", {2, kColumns}}, down}, {{"a.lora_B.default.weight", "F32", {kRows, 2}}, up}}, {}), contract::ExportedWeights::Model);
        contract::AdapterConfig config;
        config.alpha = 1;  // with rank 2, the scale is 1/2
        const contract::TrainedAdapter adapter(trained, "default", config);
        const contract::SafetensorsSet from(root() / "base");
        contract::writeWeights(root() / "out", contract::withAdapter(from, adapter, ""), {.stem = "model"});
        const contract::SafetensorsFile merged(root() / "out" / "model.safetensors");
        Values actual(kRows * kColumns);
        merged.read(*merged.find("a.weight"), 0, actual.data(), actual.size() * sizeof(float));
        for (std::size_t row = 0; row < kRows; ++row) {
            for (std::size_t column = 0; column < kColumns; ++column) {
                const float sum = up[row * 2] * down[column] + up[row * 2 + 1] * down[kColumns + column];
                const std::size_t at = row * kColumns + column;
                QVERIFY2(actual[at] == base[at] + sum / 2, std::to_string(at).c_str());
            }
        }
    }

    /// A tensor is read from the base and the checkpoint when the file is written, not when the export is put together.
    void tensorsAreReadWhenTheyAreAskedFor_E136()
    {
        const fs::path base = root() / "base" / "model.safetensors";
        const auto writeBase = [&](float value) { tests::writeTensors(base, {{{"a.weight", "F32", {2, 2}}, {value, value, value, value}}}); };
        writeBase(1);
        const contract::CheckpointWeights trained(checkpointOf({{{"a.lora_A.default.weight", "F32", {1, 2}}, {0, 0}}, {{"a.lora_B.default.weight", "F32", {2, 1}}, {0, 0}}}, {}), contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(trained, "default", {});
        const contract::SafetensorsSet from(root() / "base");
        const auto tensors = contract::withAdapter(from, adapter, "");
        {
            std::fstream file(base, std::ios::in | std::ios::out | std::ios::binary);  // the same file, so that an open or mapped one sees it
            const Values changed(4, 7);
            file.seekp(-static_cast<std::streamoff>(changed.size() * sizeof(float)), std::ios::end);
            file.write(reinterpret_cast<const char*>(changed.data()), static_cast<std::streamsize>(changed.size() * sizeof(float)));
        }
        contract::writeWeights(root() / "out", tensors, {.stem = "model"});
        const contract::SafetensorsFile merged(root() / "out" / "model.safetensors");
        Values actual(4);
        merged.read(*merged.find("a.weight"), 0, actual.data(), actual.size() * sizeof(float));
        QCOMPARE(actual, Values(4, 7));
    }

    void mergedWeightsKeepTheDtypeOfTheBase_data()
    {
        QTest::addColumn<QByteArray>("asked");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("E-135 as the base") << QByteArray("") << QByteArray("BF16");
        QTest::newRow("E-135 float32") << QByteArray("F32") << QByteArray("F32");
        QTest::newRow("E-135 float16") << QByteArray("F16") << QByteArray("F16");
    }
    void mergedWeightsKeepTheDtypeOfTheBase()
    {
        QFETCH(QByteArray, asked);
        QFETCH(QByteArray, expected);
        tests::writeTensors(root() / "base" / "model.safetensors", {{{"a.weight", "BF16", {2, 2}}, Values(2)}});
        const contract::CheckpointWeights trained(checkpointOf({{{"a.lora_A.old.weight", "F32", {1, 2}}, {1, 2}}, {{"a.lora_B.old.weight", "F32", {2, 1}}, {3, 4}}}, {}), contract::ExportedWeights::Model);
        contract::AdapterConfig config;
        config.alpha = 1;
        const contract::TrainedAdapter adapter(trained, "old", config);
        const contract::SafetensorsSet from(root() / "base");
        contract::writeWeights(root() / "out", contract::withAdapter(from, adapter, asked.toStdString()), {.stem = "model", .dtype = asked.toStdString()});
        const contract::SafetensorsFile merged(root() / "out" / "model.safetensors");
        QVERIFY(merged.find("a.weight")->dtype == expected.toStdString());
        if (expected == "F32") {
            Values values(4);
            merged.read(*merged.find("a.weight"), 0, values.data(), 16);
            QVERIFY(values == Values({3, 6, 4, 8}));
        }
    }

    void ranksMayDiffer()
    {
        const contract::CheckpointWeights trained(
            checkpointOf({{{"a.lora_A.default.weight", "F32", {2, 1}}, {1, 2}}, {{"a.lora_B.default.weight", "F32", {1, 2}}, {3, 4}},
                             {{"b.c.lora_A.default.weight", "F32", {1, 1}}, {5}}, {{"b.c.lora_B.default.weight", "F32", {1, 1}}, {6}}, {{"norm.weight", "F32", {1}}, {7}}},
                {{"lora.alpha", "8"}}),
            contract::ExportedWeights::Model);
        QVERIFY(contract::holdsAdapter(trained));
        const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
        QCOMPARE(adapter.config().scale("a"), 4.0);
        QCOMPARE(adapter.config().scale("b.c"), 8.0);
        contract::exportAdapter(adapter, {"a.weight", "b.c.weight", "norm.weight"}, root() / "out", AdapterForm::Peft, "BF16");
        const contract::SafetensorsFile file(root() / "out" / "adapter_model.safetensors");
        QCOMPARE(file.tensors().size(), 4U);
        QVERIFY(file.find("base_model.model.b.c.lora_B.weight")->dtype == "BF16");
        const auto config = contract::readAdapterConfig(contract::JsonConfig(root() / "out" / "adapter_config.json"));
        QCOMPARE(config.scale("a"), 4.0);
        QCOMPARE(config.scale("b.c"), 8.0);
        QVERIFY(config.targets.matching({"a", "b.c", "norm"}) == std::vector<std::string>({"a", "b.c"}));
    }

    void scalesMayDiffer_data()
    {
        QTest::addColumn<bool>("usesRslora");
        QTest::newRow("alpha / rank") << false;
        QTest::newRow("alpha / √rank") << true;
    }
    /// Also tests that the path of one layer may be the end of another's.
    void scalesMayDiffer()
    {
        QFETCH(bool, usesRslora);
        const std::vector<contract::AdapterFile::Layer> layers = {{"x.proj", 4, 2}, {"proj", 2, 0.375}, {"y.proj", 4, 2}};
        tests::Tensors matrices;
        std::vector<std::string> names;
        for (const auto& layer : layers) {
            matrices.push_back({{layer.module + ".lora_A.default.weight", "F32", {layer.rank, 1}}, Values(static_cast<std::size_t>(layer.rank))});
            matrices.push_back({{layer.module + ".lora_B.default.weight", "F32", {1, layer.rank}}, Values(static_cast<std::size_t>(layer.rank))});
            names.push_back(layer.module + ".weight");
        }
        const contract::CheckpointWeights trained(checkpointOf(matrices, contract::adapterOptions(layers, usesRslora)), contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
        for (const AdapterForm form : {AdapterForm::Peft, AdapterForm::DiffusersPipeline, AdapterForm::Kohya}) {
            const fs::path to = root() / "out" / std::string(contract::formName(form));
            fs::create_directories(to);
            contract::exportAdapter(adapter, names, to, form, "");
            for (const auto& layer : contract::readAdapter(to, {"proj", "x.proj", "y.proj"}).layers) {
                const auto& expected = *std::ranges::find(layers, layer.module, &contract::AdapterFile::Layer::module);
                QCOMPARE(layer.scale, expected.scale);
                QCOMPARE(layer.rank, expected.rank);
            }
        }
    }

    void scalesAreExact_data()
    {
        QTest::addColumn<int>("rank");
        QTest::addColumn<double>("alpha");
        QTest::addColumn<QByteArray>("dtype");
        QTest::newRow("defect-27: rank 20, alpha 20") << 20 << 20.0 << QByteArray("");
        QTest::newRow("defect-27: exported in bfloat16") << 20 << 20.0 << QByteArray("BF16");
        QTest::newRow("defect-27: rank 3, alpha 0.1") << 3 << 0.1 << QByteArray("F16");
    }
    /// With rsLoRA the scale is irrational. Kohya's files hold scale · rank, which PEFT's alpha is not.
    void scalesAreExact()
    {
        QFETCH(int, rank);
        QFETCH(double, alpha);
        QFETCH(QByteArray, dtype);
        const double scale = alpha / std::sqrt(static_cast<double>(rank));
        const auto options = contract::adapterOptions({{"proj", rank, scale}}, true);
        QCOMPARE(QString::fromStdString(options.at("lora.alpha")), QString::number(alpha));
        const auto count = static_cast<std::size_t>(rank);
        const contract::CheckpointWeights trained(
            checkpointOf({{{"proj.lora_A.default.weight", "F32", {rank, 1}}, Values(count)}, {{"proj.lora_B.default.weight", "F32", {1, rank}}, Values(count)}}, options),
            contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
        for (const AdapterForm form : {AdapterForm::Peft, AdapterForm::DiffusersPipeline, AdapterForm::Kohya}) {
            const fs::path to = root() / "out" / std::string(contract::formName(form));
            fs::create_directories(to);
            contract::exportAdapter(adapter, {"proj.weight"}, to, form, dtype.toStdString());
            const double read = contract::readAdapter(to, {"proj"}).layers.at(0).scale;
            // Kohya's files hold scale · rank, so that one rounding to float64 remains.
            QVERIFY2(form == AdapterForm::Kohya ? std::abs(read / scale - 1) < 1e-15 : read == scale, contract::formName(form).data());
        }
    }

    void whatDoesNotFitIsRefused()
    {
        const auto errorFor = [](const auto& ask) {
            try {
                ask();
                return std::string();
            } catch (const std::runtime_error& error) {
                return std::string(error.what());
            }
        };
        const contract::CheckpointWeights half(checkpointOf({{{"a.lora_A.default.weight", "F32", {1, 2}}, {1, 2}}}, {}), contract::ExportedWeights::Model);
        QVERIFY(errorFor([&] { const contract::TrainedAdapter adapter(half, "default", {}); }).find("step-1: holds only one of the two adapter matrices for a") != std::string::npos);
        const contract::CheckpointWeights other(checkpointOf({{{"a.lora_A.default.weight", "F32", {1, 2}}, {1, 2}}, {{"a.lora_B.default.weight", "F32", {3, 1}}, {1, 2, 3}}}, {}), contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(other, "default", {});
        tests::writeTensors(root() / "base" / "model.safetensors", {{{"a.weight", "F32", {2, 2}}, Values(4)}});
        const contract::SafetensorsSet from(root() / "base");
        const std::string sentence = errorFor([&] { contract::withAdapter(from, adapter, ""); });
        QVERIFY2(sentence.find("the adapter for \"a\" does not fit the model in ") != std::string::npos, sentence.c_str());
    }
};

QTEST_APPLESS_MAIN(AdapterExportTest)
#include "tst_adapter_export.moc"
