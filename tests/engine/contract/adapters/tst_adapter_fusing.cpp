// Adapters in Kohya's files for layers that are fused in the original model but separate in diffusers.
#include "engine/contract/adapters/adapter_export.h"
#include "engine/contract/formats/safetensors.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using contract::AdapterFile;
using contract::AdapterPart;
using Values = std::vector<float>;

namespace {

constexpr std::int64_t kWidth = 6;

/// A matrix of small multiples of 1/8, so that sums of products are exact.
Values saltedEighths(std::int64_t count, std::size_t salt)
{
    Values values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>((i * 5 + salt * 3) % 7 + 1) / 8;
    return values;
}

/// Computes scale · B A of windows of two matrices.
struct Product {
    const Values &up, &down;
    std::int64_t upWidth, downWidth;

    Values of(const contract::MatrixWindow& b, const contract::MatrixWindow& a, double scale) const
    {
        Values result;
        for (std::int64_t i = 0; i < b.rows; ++i) {
            const std::int64_t row = b.firstRow + (b.swapsHalves ? (i + b.rows / 2) % b.rows : i);
            for (std::int64_t column = 0; column < a.columns; ++column) {
                float sum = 0;
                for (std::int64_t k = 0; k < a.rows; ++k)
                    sum += up[static_cast<std::size_t>(row * upWidth + b.firstColumn + k)]
                        * down[static_cast<std::size_t>((a.firstRow + k) * downWidth + a.firstColumn + column)];
                result.push_back(static_cast<float>(scale) * sum);
            }
        }
        return result;
    }
};

struct Layer {
    std::string module;
    std::int64_t rank, rows;
    double scale;
};

/// The update of a layer's weight by the checkpoint's adapter.
Values added(const Layer& layer, std::size_t number)
{
    const Values down = saltedEighths(layer.rank * kWidth, number), up = saltedEighths(layer.rows * layer.rank, number + 100);
    return Product {up, down, layer.rank, kWidth}.of({"", 0, layer.rows, 0, layer.rank}, {"", 0, layer.rank, 0, kWidth}, layer.scale);
}

const std::string kDouble = "transformer_blocks.0.", kSingle = "single_transformer_blocks.0.";

/// Each model's layers with their numbers of rows.
const std::map<std::string, std::int64_t> kFlux = {{kDouble + "attn.to_q", 8}, {kDouble + "attn.to_k", 8}, {kDouble + "attn.to_v", 8},
    {kDouble + "attn.add_q_proj", 8}, {kDouble + "attn.add_k_proj", 8}, {kDouble + "attn.add_v_proj", 8}, {kDouble + "attn.to_add_out", 8},
    {kDouble + "ff.net.0.proj", 32}, {kDouble + "norm1_context.linear", 48}, {kSingle + "attn.to_q", 8}, {kSingle + "attn.to_k", 8},
    {kSingle + "attn.to_v", 8}, {kSingle + "proj_mlp", 32}, {kSingle + "proj_out", 8}, {"time_text_embed.text_embedder.linear_2", 8}, {"norm_out.linear", 16}};
const std::map<std::string, std::int64_t> kSd3 = {{kDouble + "attn.to_q", 8}, {kDouble + "attn.to_k", 8}, {kDouble + "attn.to_v", 8},
    {kDouble + "attn2.to_q", 8}, {kDouble + "attn2.to_k", 8}, {kDouble + "attn2.to_v", 8}, {kDouble + "attn.to_out.0", 8}, {kDouble + "ff_context.net.2", 8},
    {kDouble + "norm1_context.linear", 48}, {"transformer_blocks.1.norm1_context.linear", 16}, {"time_text_embed.timestep_embedder.linear_1", 8}};

using Names = std::vector<std::string>;

}  // namespace

class AdapterFusingTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path root() const { return m_root.path().toStdString(); }
    template <typename Number = float>
    static std::vector<Number> valuesOf(const contract::SafetensorsSet& files, const std::string& name)
    {
        const auto& item = *files.find(name);
        std::vector<Number> values(item.tensor->elements());
        item.file->read(*item.tensor, 0, values.data(), values.size() * sizeof(Number));
        return values;
    }
    /// Exports an adapter for @p layers as a Kohya file and returns its folder.
    fs::path exported(const std::vector<Layer>& layers, const std::map<std::string, std::int64_t>& model) const
    {
        tests::Tensors matrices;
        std::vector<AdapterFile::Layer> scales;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const auto& [module, rank, rows, scale] = layers[i];
            scales.push_back({module, rank, scale});
            matrices.push_back({{module + ".lora_A.default.weight", "F32", {rank, kWidth}}, saltedEighths(rank * kWidth, i)});
            matrices.push_back({{module + ".lora_B.default.weight", "F32", {rows, rank}}, saltedEighths(rows * rank, i + 100)});
        }
        tests::writeCheckpoint(root(), matrices, contract::adapterOptions(scales, false));
        const contract::CheckpointWeights trained(root(), contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
        std::vector<std::string> names;
        for (const auto& [module, rows] : model)
            names.push_back(module + ".weight");
        fs::remove_all(root() / "out");
        fs::create_directories(root() / "out");
        contract::exportAdapter(adapter, names, root() / "out", contract::AdapterForm::Kohya, "");
        return root() / "out";
    }
    static std::vector<std::string> modulesOf(const std::map<std::string, std::int64_t>& model)
    {
        std::vector<std::string> modules;
        for (const auto& [module, rows] : model)
            modules.push_back(module);
        return modules;
    }
    /// Layers with alternating ranks and scales for the modules in @p which, or for all modules of @p model.
    static std::vector<Layer> layersOf(const std::map<std::string, std::int64_t>& model, const Names& which)
    {
        std::vector<Layer> layers;
        for (const auto& [module, rows] : model) {
            const bool isOdd = layers.size() % 2 == 1;
            if (which.empty() || std::ranges::find(which, module) != which.end())
                layers.push_back({module, isOdd ? 2 : 4, rows, isOdd ? 0.5 : 2.0});
        }
        return layers;
    }

private Q_SLOTS:
    void eachPartAddsWhatItAddedBefore_data()
    {
        QTest::addColumn<bool>("isFlux");
        QTest::addColumn<Names>("which");
        QTest::newRow("E-105 Flux, all layers") << true << Names {};
        QTest::newRow("E-105 Flux, some parts") << true << Names {kDouble + "attn.to_q", kDouble + "attn.to_v", kSingle + "attn.to_k"};
        QTest::newRow("E-105 Flux, the last part alone") << true << Names {kSingle + "proj_mlp"};
        QTest::newRow("E-105 Stable Diffusion 3, all layers") << false << Names {};
        QTest::newRow("E-105 Stable Diffusion 3, one part") << false << Names {kDouble + "attn2.to_k"};
    }
    void eachPartAddsWhatItAddedBefore()
    {
        QFETCH(bool, isFlux);
        QFETCH(Names, which);
        const auto& model = isFlux ? kFlux : kSd3;
        const std::vector<Layer> layers = layersOf(model, which);
        const AdapterFile read = contract::readAdapter(exported(layers, model), modulesOf(model));
        for (const AdapterFile::Layer& layer : read.layers) {
            const auto &a = read.matrices.at({layer.module, AdapterPart::A}), &b = read.matrices.at({layer.module, AdapterPart::B});
            const Values down = valuesOf(read.files, a.name), up = valuesOf(read.files, b.name);
            const Values actual = Product {up, down, read.files.find(b.name)->tensor->shape[1], kWidth}.of(b, a, layer.scale);
            const auto own = std::ranges::find(layers, layer.module, &Layer::module);
            QVERIFY2(own != layers.end(), layer.module.c_str());
            QVERIFY2(actual == added(*own, static_cast<std::size_t>(own - layers.begin())), layer.module.c_str());
            QVERIFY(layer.rank <= 4);  // the rank of the part, not of all parts together
        }
        QCOMPARE(read.layers.size(), layers.size());
    }

    void rowsAreInTheAuthorsOrder_data()
    {
        QTest::addColumn<bool>("isFlux");
        QTest::addColumn<QByteArray>("layer");
        QTest::addColumn<Names>("parts");
        QTest::addColumn<bool>("swapsHalves");
        const auto row = [](bool isFlux, const char* layer, const Names& parts, bool swapsHalves = false) {
            QTest::addRow("E-105 %s", layer) << isFlux << QByteArray(layer) << parts << swapsHalves;
        };
        row(true, "double_blocks_0_img_attn_qkv", {kDouble + "attn.to_q", kDouble + "attn.to_k", kDouble + "attn.to_v"});
        row(true, "double_blocks_0_txt_attn_qkv", {kDouble + "attn.add_q_proj", kDouble + "attn.add_k_proj", kDouble + "attn.add_v_proj"});
        row(true, "double_blocks_0_txt_attn_proj", {kDouble + "attn.to_add_out"});
        row(true, "double_blocks_0_img_mlp_0", {kDouble + "ff.net.0.proj"});
        row(true, "double_blocks_0_txt_mod_lin", {kDouble + "norm1_context.linear"});
        row(true, "single_blocks_0_linear1", {kSingle + "attn.to_q", kSingle + "attn.to_k", kSingle + "attn.to_v", kSingle + "proj_mlp"});
        row(true, "single_blocks_0_linear2", {kSingle + "proj_out"});
        row(true, "vector_in_out_layer", {"time_text_embed.text_embedder.linear_2"});
        row(true, "final_layer_adaLN_modulation_1", {"norm_out.linear"}, true);
        row(false, "joint_blocks_0_x_block_attn_qkv", {kDouble + "attn.to_q", kDouble + "attn.to_k", kDouble + "attn.to_v"});
        row(false, "joint_blocks_0_x_block_attn2_qkv", {kDouble + "attn2.to_q", kDouble + "attn2.to_k", kDouble + "attn2.to_v"});
        row(false, "joint_blocks_0_x_block_attn_proj", {kDouble + "attn.to_out.0"});
        row(false, "joint_blocks_0_context_block_mlp_fc2", {kDouble + "ff_context.net.2"});
        row(false, "joint_blocks_0_context_block_adaLN_modulation_1", {kDouble + "norm1_context.linear"});
        row(false, "joint_blocks_1_context_block_adaLN_modulation_1", {"transformer_blocks.1.norm1_context.linear"}, true);
        row(false, "t_embedder_mlp_0", {"time_text_embed.timestep_embedder.linear_1"});
    }
    void rowsAreInTheAuthorsOrder()
    {
        QFETCH(bool, isFlux);
        QFETCH(QByteArray, layer);
        QFETCH(Names, parts);
        QFETCH(bool, swapsHalves);
        const auto& model = isFlux ? kFlux : kSd3;
        const std::vector<Layer> layers = layersOf(model, {});
        const contract::SafetensorsSet files(exported(layers, model) / "pytorch_lora_weights.safetensors");
        const std::string name = "lora_unet_" + layer.toStdString();
        const contract::SafetensorsTensor& b = *files.find(name + ".lora_up.weight")->tensor;
        const Values down = valuesOf(files, name + ".lora_down.weight"), up = valuesOf(files, name + ".lora_up.weight");
        const double scale = valuesOf<double>(files, name + ".alpha")[0] / static_cast<double>(b.shape[1]);
        Values expected;
        for (const std::string& part : parts) {
            const auto own = std::ranges::find(layers, part, &Layer::module);
            std::ranges::copy(added(*own, static_cast<std::size_t>(own - layers.begin())), std::back_inserter(expected));
        }
        if (swapsHalves)
            std::ranges::rotate(expected, expected.begin() + static_cast<std::ptrdiff_t>(expected.size() / 2));
        QVERIFY((Product {up, down, b.shape[1], kWidth}.of({"", 0, b.shape[0], 0, b.shape[1]}, {"", 0, b.shape[1], 0, kWidth}, scale) == expected));
    }

    /// As in files that other programs trained, with a dense B.
    void partsOfADenseLayerShareItsA()
    {
        const std::string name = "diffusion_model.double_blocks.0.img_attn.qkv";
        const Values down = saltedEighths(3 * kWidth, 1), up = saltedEighths(24 * 3, 2);
        tests::writeTensors(root() / "dense.safetensors", {{{name + ".lora_A.weight", "F32", {3, kWidth}}, down}, {{name + ".lora_B.weight", "F32", {24, 3}}, up}});
        const AdapterFile read = contract::readAdapter(root() / "dense.safetensors", modulesOf(kFlux));
        QCOMPARE(read.layers.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string module = kDouble + (i == 0 ? "attn.to_q" : i == 1 ? "attn.to_k" : "attn.to_v");
            const auto &a = read.matrices.at({module, AdapterPart::A}), &b = read.matrices.at({module, AdapterPart::B});
            QCOMPARE(a.rows, 3);
            QCOMPARE(b.firstRow, static_cast<std::int64_t>(i) * 8);
            QCOMPARE(b.rows, 8);
            QCOMPARE(b.columns, 3);
        }
    }

    void whatCannotBeDividedIsRefused()
    {
        const std::string name = "lora_unet_double_blocks_0_img_attn_qkv";
        tests::writeTensors(root() / "odd.safetensors", {{{name + ".lora_down.weight", "F32", {1, kWidth}}, Values(kWidth)}, {{name + ".lora_up.weight", "F32", {25, 1}}, Values(25)}});
        try {
            contract::readAdapter(root() / "odd.safetensors", modulesOf(kFlux));
            QFAIL("taken");
        } catch (const std::runtime_error& error) {
            QVERIFY2(std::string(error.what()).find("has 25 rows, which cannot be divided among 3 layers") != std::string::npos, error.what());
        }
    }
};

QTEST_APPLESS_MAIN(AdapterFusingTest)
#include "tst_adapter_fusing.moc"
