// Export of whole tensors from the pieces that the ranks wrote.
#include "engine/contract/checkpoint/weights_export.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/safetensors_set.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>

namespace fs = std::filesystem;
using contract::ExportedWeights;

namespace {

/// A minimal safetensors reader, independent of the product's.
struct SafetensorsFile {
    explicit SafetensorsFile(const fs::path& path)
    {
        std::ifstream stream(path, std::ios::binary);
        std::uint64_t length = 0;
        stream.read(reinterpret_cast<char*>(&length), 8);
        std::string text(length, '\0');
        stream.read(text.data(), static_cast<std::streamsize>(length));
        header = nlohmann::json::parse(text);
        data.assign(std::istreambuf_iterator<char>(stream), {});
    }
    template <typename T>
    std::vector<T> values(const std::string& name) const
    {
        const std::vector<std::size_t> offsets = header.at(name).at("data_offsets");
        std::vector<T> result((offsets[1] - offsets[0]) / sizeof(T));
        std::memcpy(result.data(), data.data() + offsets[0], offsets[1] - offsets[0]);
        return result;
    }
    nlohmann::json header;
    std::string data;
};

}  // namespace

class WeightsExportTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    static constexpr std::size_t kLarge = 300'000;  // takes more than one read
    static constexpr std::int64_t kTable = 270'000;

    fs::path root() const { return m_root.path().toStdString(); }
    fs::path folder() const { return root() / "step-7"; }
    fs::path target() const { return root() / "model.safetensors"; }
    fs::path base() const { return root() / "transformer"; }
    fs::path exported() const { return root() / "exported"; }
    /// Half-precision numbers: 1 and the 999 numbers after it, repeated.
    static std::vector<std::uint16_t> table()
    {
        std::vector<std::uint16_t> halves(kTable);
        for (std::size_t i = 0; i < halves.size(); ++i)
            halves[i] = static_cast<std::uint16_t>(0x3c00 + i % 1000);
        return halves;
    }
    /// Writes the model that the training started from: the two weights, and a table that no checkpoint holds.
    void writeBase(std::int64_t rows) const
    {
        fs::create_directories(base());
        fs::create_directories(exported());
        std::ofstream(base() / "config.json") << "{\"_class_name\": \"Some\"}";
        contract::SafetensorsWriter writer(base() / "diffusion_pytorch_model.safetensors",
            {{"pos_embed", "F16", {kTable}}, {"block.bias", "F16", {2, 3}}, {"block.weight", "F16", {rows, 1000}}}, {});
        const auto halves = table();
        writer.write(halves.data(), halves.size() * 2);
        const std::vector<std::uint16_t> others(static_cast<std::size_t>(6 + rows * 1000), 0x3e00);  // 1.5
        writer.write(others.data(), others.size() * 2);
        writer.finish();
    }
    static std::vector<float> weights()
    {
        std::vector<float> all(kLarge);
        std::iota(all.begin(), all.end(), 0.5F);
        return all;
    }
    static std::vector<float> bias() { return {1, -2, std::numeric_limits<float>::quiet_NaN(), 1.00390625F, 1.01171875F, -0.0F}; }
    std::string refusal(ExportedWeights weights) const
    {
        try {
            contract::exportWeights({folder(), weights}, root(), {.stem = "model"});
            return {};
        } catch (const std::exception& error) {
            return error.what();
        }
    }
    void exportFrom(const fs::path& model, const contract::ExportFormat& format) const
    {
        const contract::CheckpointWeights trained(folder(), ExportedWeights::Model);
        const contract::SafetensorsSet from(model);
        contract::exportComponent(from, contract::withTrained(from, trained.tensors()), exported(), format);
    }
    std::size_t filesBeside() const
    {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(target().parent_path()), fs::directory_iterator()));
    }

private Q_SLOTS:
    /// Writes the files of two ranks: the weight is split between them, its second part comes first in its file; there is also
    /// an optimizer moment.
    void init()
    {
        fs::remove_all(folder());
        fs::remove(target());
        fs::remove_all(base());
        fs::remove_all(exported());
        fs::create_directories(folder());
        const auto all = weights();
        const auto other = bias();
        const auto bytes = [](const std::vector<float>& values, std::size_t first, std::size_t count) {
            return std::string(reinterpret_cast<const char*>(values.data() + first), count * 4);
        };
        std::ofstream(folder() / "rank-0.safetensors", std::ios::binary) << "headhead" << bytes(all, 0, 200'000);
        std::ofstream(folder() / "rank-1.safetensors", std::ios::binary)
            << "head" << bytes(all, 200'000, 100'000) << bytes(other, 0, 6) << bytes(other, 0, 6);
        contract::CheckpointManifest manifest;
        manifest.step = 7;
        manifest.model = "dit";
        manifest.fileBytes = {{"rank-0.safetensors", 800'008}, {"rank-1.safetensors", 400'052}};
        manifest.tensors = {{"exp_avg/block.bias", "F32", {6}, {{"rank-1.safetensors", 400'028, 0, 6}}},
            {"model/block.bias", "F32", {2, 3}, {{"rank-1.safetensors", 400'004, 0, 6}}},
            {"model/block.weight", "F32", {300, 1000},
                {{"rank-0.safetensors", 8, 0, 200'000}, {"rank-1.safetensors", 4, 200'000, 100'000}}}};
        contract::writeManifest(folder(), manifest);
    }

    void aCancelledExportLeavesNothingUnfinished()
    {
        const contract::CheckpointWeights trained(folder(), ExportedWeights::Model);
        fs::create_directories(exported());
        std::vector<std::uint64_t> written;
        contract::ExportFormat format {.onWritten = [&](std::uint64_t bytes) { written.push_back(bytes); },
            .isWanted = [&] { return written.size() < 2; }};
        QVERIFY_THROWS_EXCEPTION(contract::ExportCancelled, contract::exportWeights(trained, exported(), format));
        QVERIFY(fs::is_empty(exported()));
        format.isWanted = {};
        written.clear();
        contract::exportWeights(trained, exported(), format);
        QVERIFY(std::ranges::is_sorted(written));
        QCOMPARE(written.back(), (kLarge + 6) * sizeof(float));
    }

    void tensorsAreWholeUnderTheirOwnNames_E132()
    {
        contract::exportWeights({folder(), ExportedWeights::Model}, root(), {.stem = "model"});
        const SafetensorsFile file(target());
        QCOMPARE(file.header.size(), 3U);  // with its metadata, without the moment
        QCOMPARE(file.header.at("block.weight").at("shape"), nlohmann::json({300, 1000}));
        QCOMPARE(file.header.at("block.weight").at("dtype"), nlohmann::json("F32"));
        QVERIFY(file.values<float>("block.weight") == weights());
        QCOMPARE(file.header.at("block.bias").at("shape"), nlohmann::json({2, 3}));
        const auto values = file.values<float>("block.bias");
        QVERIFY(std::memcmp(values.data(), bias().data(), 24) == 0);
        QCOMPARE(filesBeside(), 2U);
    }

    void bfloat16IsRoundedToNearestEven_E132_E135()
    {
        contract::exportWeights({folder(), ExportedWeights::Model}, root(), {.stem = "model", .dtype = "BF16"});
        const SafetensorsFile file(target());
        QCOMPARE(file.header.at("block.bias").at("dtype"), nlohmann::json("BF16"));
        const auto values = file.values<std::uint16_t>("block.bias");
        QCOMPARE(values.size(), 6U);
        QCOMPARE(int(values[0]), 0x3f80);
        QCOMPARE(int(values[1]), 0xc000);
        QVERIFY((values[2] & 0x7fff) > 0x7f80);  // still NaN
        QCOMPARE(int(values[3]), 0x3f80);             // halfway between 1 and the next number: rounds to even
        QCOMPARE(int(values[4]), 0x3f82);
        QCOMPARE(int(values[5]), 0x8000);
        QCOMPARE(file.values<std::uint16_t>("block.weight").size(), kLarge);
    }

    void whatCannotBeExportedIsNamedAndLeavesNothing_E132()
    {
        QVERIFY2(refusal(ExportedWeights::Average).find("step-7: holds no moving average") != std::string::npos, refusal(ExportedWeights::Average).c_str());
        std::ofstream(folder() / "rank-1.safetensors", std::ios::app) << "more";
        QVERIFY2(refusal(ExportedWeights::Model).find("rank-1.safetensors has 400056 bytes instead of 400052") != std::string::npos,
            refusal(ExportedWeights::Model).c_str());
        fs::remove_all(folder());
        QVERIFY(refusal(ExportedWeights::Model).find("not a checkpoint") != std::string::npos);
        QCOMPARE(filesBeside(), 0U);
    }

    void aComponentIsWhatDiffusersLoads_E010_E132_E134()
    {
        writeBase(300);
        exportFrom(base(), {});
        const SafetensorsFile file(exported() / "diffusion_pytorch_model.safetensors");
        QCOMPARE(file.header.size(), 4U);
        QVERIFY(file.header.at("__metadata__") == nlohmann::json({{"format", "pt"}}));
        QVERIFY(file.values<float>("block.weight") == weights());
        QVERIFY(file.values<std::uint16_t>("pos_embed") == table());  // unchanged
        std::ifstream config(exported() / "config.json");
        QCOMPARE(std::string(std::istreambuf_iterator<char>(config), {}), std::string("{\"_class_name\": \"Some\"}"));  // as the base has it
    }

    void everyNumberIsCast_E134_E135()  // also untrained tensors
    {
        writeBase(300);
        exportFrom(base(), {.dtype = "BF16", .prefix = "transformer."});
        const SafetensorsFile file(exported() / "diffusion_pytorch_model.safetensors");
        const auto numbers = file.values<std::uint16_t>("transformer.pos_embed");
        QCOMPARE(numbers.size(), std::size_t(kTable));
        QVERIFY(numbers[0] == 0x3f80 && numbers[512] == 0x3fc0 && numbers[270] == 0x3fa2);  // 1, 1.5, 1.263671875 rounded to 1.265625
        QVERIFY(file.header.at("transformer.block.weight").at("dtype") == "BF16");
    }

    void largeModelsArePartedIntoFiles_E132()  // 1,200,000 bytes of weight, 24 of bias, 540,000 of the table
    {
        writeBase(300);
        exportFrom(base(), {.maxFileBytes = 30});
        const auto names = [this] {
            std::vector<std::string> found;
            for (const auto& entry : fs::directory_iterator(exported()))
                found.push_back(entry.path().filename().string());
            std::ranges::sort(found);
            return found;
        };
        const std::vector<std::string> expected = {"config.json", "diffusion_pytorch_model-00001-of-00003.safetensors", "diffusion_pytorch_model-00002-of-00003.safetensors",
            "diffusion_pytorch_model-00003-of-00003.safetensors", "diffusion_pytorch_model.safetensors.index.json"};
        QVERIFY(names() == expected);
        std::ifstream stream(exported() / expected.back());
        const auto index = nlohmann::json::parse(stream);
        QVERIFY(index.at("metadata").at("total_size") == 1'740'024);
        QVERIFY(index.at("weight_map") == nlohmann::json({{"block.bias", expected[1]}, {"block.weight", expected[2]}, {"pos_embed", expected[3]}}));
        const contract::SafetensorsSet set(exported());
        QCOMPARE(set.items().size(), 3U);
        const auto& weight = set.items().at("block.weight");
        QVERIFY(std::memcmp(weight.file->view(*weight.tensor).data(), weights().data(), 1'200'000) == 0);
        // A later export to a single file removes the parts; exporting into the base model's own folder works.
        exportFrom(exported(), {});
        QVERIFY(names() == std::vector<std::string>({"config.json", "diffusion_pytorch_model.safetensors"}));
        QCOMPARE(SafetensorsFile(exported() / "diffusion_pytorch_model.safetensors").values<std::uint16_t>("pos_embed").size(), std::size_t(kTable));
    }

    void anotherModelsFolderIsRefused()
    {
        writeBase(200);
        try {
            exportFrom(base(), {});
            QFAIL("weights of another shape were taken");
        } catch (const std::runtime_error& error) {
            QVERIFY2(std::string(error.what()).find("the checkpoint's tensor \"block.weight\" is of another shape in ") != std::string::npos, error.what());
        }
        QVERIFY(fs::is_empty(exported()));
    }
};

QTEST_APPLESS_MAIN(WeightsExportTest)
#include "tst_weights_export.moc"
