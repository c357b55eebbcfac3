// Frozen models apart from their numerical results: tiling, upsampling, and errors for unsupported configurations and weights.
#include "engine/contract/formats/json_config.h"
#include "engine/models/text/text_encoder_registry.h"
#include "engine/models/vae/autoencoder_registry.h"
#include "engine/models/vae/image_layers.h"
#include "engine/models/vae/tiling.h"

#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <fstream>

using engine::TileSize;

namespace {

/// Has no tensors; for tests that only read a config.
class NoWeights final : public engine::WeightLookup {
public:
    bool contains(const std::string& name) const override { return name.ends_with("embed_tokens.weight"); }
    at::Tensor tensor(const std::string& name) const override { throw std::runtime_error("has no " + name); }
};

/// Returns a tensor of one element for any name.
class WrongShapes final : public engine::WeightLookup {
public:
    bool contains(const std::string&) const override { return true; }
    at::Tensor tensor(const std::string&) const override { return at::zeros({1}); }
};

class GivenWeights final : public engine::WeightLookup {
public:
    bool contains(const std::string& name) const override { return tensors.contains(name); }
    at::Tensor tensor(const std::string& name) const override { return tensors.at(name); }

    std::map<std::string, at::Tensor> tensors;
};

/// Repeats each latent element as 2 × 2 pixels; its tiles round down to nothing.
class Repetition final : public engine::Autoencoder {
public:
    engine::LatentScaling scaling() const override { return {}; }
    std::int64_t spatialFactor() const override { return 2; }

private:
    at::Tensor encodeWhole(const at::Tensor& images) const override { return images.slice(2, 0, std::nullopt, 2).slice(3, 0, std::nullopt, 2); }
    at::Tensor decodeWhole(const at::Tensor& latents) const override { return latents.repeat_interleave(2, -1).repeat_interleave(2, -2); }
    TileSize latentTile() const override { return {}; }
};

nlohmann::json autoencoderKl()
{
    return {{"_class_name", "AutoencoderKL"}, {"block_out_channels", {8, 8}}, {"norm_num_groups", 4}, {"latent_channels", 4},
        {"sample_size", 16}, {"use_quant_conv", false}, {"use_post_quant_conv", false}};
}

nlohmann::json autoencoderWan()
{
    return {{"_class_name", "AutoencoderKLWan"}, {"base_dim", 8}, {"dim_mult", {1, 1}}, {"z_dim", 2},
        {"temperal_downsample", {true}}, {"latents_mean", {0, 0}}, {"latents_std", {1, 1}}};
}

nlohmann::json t5()
{
    return {{"vocab_size", 10}, {"d_model", 8}, {"d_kv", 4}, {"num_heads", 2}, {"d_ff", 8}, {"num_layers", 1},
        {"feed_forward_proj", "gated-gelu"}};
}

}  // namespace

class FrozenModelsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    contract::JsonConfig configOf(const nlohmann::json& json) const
    {
        const std::filesystem::path file = std::filesystem::path(m_folder.path().toStdString()) / "config.json";
        std::ofstream(file) << json;
        return contract::JsonConfig(file);
    }

    template <typename Build>
    QString refusalOf(const Build& build) const
    {
        try {
            build();
        } catch (const std::runtime_error& error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

private Q_SLOTS:
    void tilesOfWhatSeesNoNeighboursGiveTheWhole_data()
    {
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("width");
        QTest::newRow("smaller than a tile") << 5 << 7;
        QTest::newRow("a tile") << 8 << 8;
        QTest::newRow("a last tile within the overlap") << 8 << 13;
        QTest::newRow("many, of whole strides") << 24 << 18;
        QTest::newRow("many, of any size") << 31 << 20;
        QTest::newRow("a row") << 1 << 40;
    }
    void tilesOfWhatSeesNoNeighboursGiveTheWhole()
    {
        QFETCH(int, height);
        QFETCH(int, width);
        const at::Tensor x = at::arange(2 * height * width, at::kFloat).view({1, 2, height, width}).sin();
        const auto network = [](const at::Tensor& part) {
            return (3 * part + 1).repeat_interleave(2, -1).repeat_interleave(2, -2);
        };
        const at::Tensor whole = network(x), joined = engine::tiled(x, {8, 6}, {16, 12}, network);
        QCOMPARE(joined.sizes(), whole.sizes());
        QVERIFY(at::allclose(joined, whole, 1e-5, 1e-6));
    }

    void aTileFadesIntoTheNext_data()
    {
        QTest::addColumn<int>("dim");
        QTest::newRow("to the right") << 3;
        QTest::newRow("downwards") << 2;
    }
    void aTileFadesIntoTheNext()
    {
        QFETCH(int, dim);
        const at::Tensor x = dim == 3 ? at::zeros({1, 1, 8, 16}) : at::zeros({1, 1, 16, 8});
        int calls = 0;
        const at::Tensor joined = engine::tiled(x, {8, 4}, {8, 4}, [&](const at::Tensor& part) {
            return at::full_like(part, calls++);
        });
        // Tiles begin at elements 0, 4, 8 and 12: each takes over within 4 elements.
        const std::vector<float> expected = {0, 0, 0, 0, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75};
        const at::Tensor line = dim == 3 ? joined.select(2, 0) : joined.select(3, 0);
        // Downwards there are two tiles in a row.
        QVERIFY(at::allclose(line.flatten(), at::tensor(expected) * (dim == 3 ? 1 : 2)));
    }

    /// As where a config asks for so many levels that a tile's pixels are fewer than those of one latent element.
    void tilesOfNothingEnd()
    {
        Repetition autoencoder;
        const at::Tensor latents = at::arange(6, at::kFloat).view({1, 1, 2, 3}), images = autoencoder.decode(latents);
        autoencoder.setMaxPixels(1);
        QVERIFY(autoencoder.decode(latents).equal(images));
        QVERIFY(autoencoder.encode(images).equal(latents));
    }

    void doublingIsRepetitionAndAConvolution_data()
    {
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("areChannelsTogether");
        for (const auto& [height, width] : std::initializer_list<std::pair<int, int>> {{5, 3}, {32, 32}, {33, 40}}) {
            QTest::addRow("%d × %d", height, width) << height << width << false;
            QTest::addRow("%d × %d, channels together", height, width) << height << width << true;
        }
    }
    void doublingIsRepetitionAndAConvolution()
    {
        QFETCH(int, height);
        QFETCH(int, width);
        QFETCH(bool, areChannelsTogether);
        at::manual_seed(2);
        GivenWeights weights;
        weights.tensors = {{"weight", at::randn({6, 4, 3, 3})}, {"bias", at::randn({6})}};
        const at::Tensor x = at::randn({2, 4, height, width});
        const at::Tensor repeated = x.to(at::kDouble).repeat_interleave(2, 2).repeat_interleave(2, 3);
        const at::Tensor expected
            = at::conv2d(repeated, weights.tensors["weight"].to(at::kDouble), weights.tensors["bias"].to(at::kDouble), 1, 1);
        const at::Tensor out = engine::doubled(engine::WeightScope(weights), areChannelsTogether ? engine::toChannelsLast(x) : x, 6);
        QVERIFY(at::allclose(out.to(at::kDouble), expected, 1e-5, 1e-5));
    }

    void whatAConfigAsksForAndIsNotKnownIsNamed_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("json");
        const auto add = [](const char* row, const char* key, nlohmann::json config, const nlohmann::json& value) {
            config[key] = value;
            QTest::newRow(row) << QByteArray(key) << QByteArray::fromStdString(config.dump());
        };
        add("an unknown key", "down_scale", autoencoderKl(), 2);
        add("another kind of block", "down_block_types", autoencoderKl(), {"AttnDownEncoderBlock2D", "DownEncoderBlock2D"});
        add("groups that do not fit", "block_out_channels", autoencoderKl(), {8, 6});
        add("no levels", "block_out_channels", autoencoderKl(), nlohmann::json::array());
        add("a negative width", "block_out_channels", autoencoderKl(), {-8});
        add("a scale of zero", "scaling_factor", autoencoderKl(), 0);
        add("another activation", "act_fn", autoencoderKl(), "gelu");
        add("too few means", "latents_mean", autoencoderWan(), {0});
        add("a deviation of zero", "latents_std", autoencoderWan(), {0, 1});
        nlohmann::json wan22 = autoencoderWan();
        wan22["is_residual"] = true;
        add("levels that no way leads around", "dim_mult", wan22, {1, 3});
        add("patches of too few channels", "patch_size", autoencoderWan(), 2);
        add("attention elsewhere", "attn_scales", autoencoderWan(), {0.5});
        add("levels and steps that do not fit", "temperal_downsample", autoencoderWan(), {true, false});
        add("steps that are no truths", "temperal_downsample", autoencoderWan(), {1});
        add("a multiple of zero", "dim_mult", autoencoderWan(), {0, 1});
    }
    void whatAConfigAsksForAndIsNotKnownIsNamed()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, json);
        const auto parsed = nlohmann::json::parse(json.toStdString());
        const QString refusal = refusalOf([&] {
            engine::buildAutoencoder(parsed.at("_class_name"), configOf(parsed), std::make_shared<NoWeights>());
        });
        QVERIFY2(refusal.contains(QString::fromUtf8(key)), qPrintable(refusal));
        QVERIFY2(refusal.contains("config.json"), qPrintable(refusal));
    }

    void aKnownConfigIsTaken()
    {
        const auto weights = std::make_shared<NoWeights>();
        QCOMPARE(engine::buildAutoencoder("AutoencoderKL", configOf(autoencoderKl()), weights)->spatialFactor(), 2);
        QCOMPARE(engine::buildAutoencoder("AutoencoderKLWan", configOf(autoencoderWan()), weights)->spatialFactor(), 2);
        nlohmann::json wan22 = autoencoderWan();
        wan22.update({{"is_residual", true}, {"patch_size", 2}, {"in_channels", 12}, {"out_channels", 12}, {"decoder_base_dim", 16}});
        QCOMPARE(engine::buildAutoencoder("AutoencoderKLWan", configOf(wan22), weights)->spatialFactor(), 4);
        QCOMPARE(engine::buildAutoencoder("AutoencoderKLWan", configOf(wan22), weights)->temporalFactor(), 2);
        QCOMPARE(engine::buildTextEncoder("T5EncoderModel", configOf(t5()), weights)->layers(), 1);
    }

    void aClassThatIsNotKnownIsNamedWithThoseThatAre()
    {
        const auto weights = std::make_shared<NoWeights>();
        const QString autoencoder = refusalOf([&] { engine::buildAutoencoder("AutoencoderDC", configOf(autoencoderKl()), weights); });
        QVERIFY2(autoencoder.contains("AutoencoderDC") && autoencoder.contains("AutoencoderKLQwenImage"), qPrintable(autoencoder));
        const QString encoder = refusalOf([&] { engine::buildTextEncoder("BertModel", configOf(t5()), weights); });
        QVERIFY2(encoder.contains("BertModel") && encoder.contains("UMT5EncoderModel"), qPrintable(encoder));
    }

    void weightsThatDoNotFitTheConfigAreNamed()
    {
        const auto autoencoder = engine::buildAutoencoder("AutoencoderKL", configOf(autoencoderKl()), std::make_shared<WrongShapes>());
        const QString image = refusalOf([&] { autoencoder->encode(at::zeros({1, 3, 8, 8})); });
        QVERIFY2(image.contains("encoder.conv_in.") && image.contains("config asks for [8"), qPrintable(image));
        const auto encoder = engine::buildTextEncoder("T5EncoderModel", configOf(t5()), std::make_shared<WrongShapes>());
        const QString prompt = refusalOf([&] { encoder->encode(at::zeros({1, 4}, at::kLong)); });
        QVERIFY2(prompt.contains("shared.weight") && prompt.contains("[10, 8]"), qPrintable(prompt));
    }

    void aImageThatDoesNotDivideIsNamed()
    {
        const auto autoencoder = engine::buildAutoencoder("AutoencoderKL", configOf(autoencoderKl()), std::make_shared<NoWeights>());
        const QString refusal = refusalOf([&] { autoencoder->encode(at::zeros({1, 3, 8, 9})); });
        QVERIFY2(refusal.contains("multiples of 2"), qPrintable(refusal));
    }
};

QTEST_GUILESS_MAIN(FrozenModelsTest)
#include "tst_frozen_models.moc"
