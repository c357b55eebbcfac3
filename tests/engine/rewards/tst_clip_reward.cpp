// CLIP rewards apart from their numerical results: what is refused, and other forms of the same model.
#include "engine/comm/errors.h"
#include "engine/models/clip/clip_model.h"
#include "engine/rewards/clip_reward.h"
#include "engine/weights/weights_source.h"
#include "tests/engine/rewards/reward_samples.h"
#include "tests/paths.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace fs = std::filesystem;
using Json = nlohmann::json;
using tests::RewardSamples;

class ClipRewardTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path folder() const { return fs::path(m_root.path().toStdString()) / "model"; }
    Json read(const char* name) const { return Json::parse(std::ifstream(folder() / name)); }
    void write(const char* name, const Json& json) const { std::ofstream(folder() / name) << json.dump(); }

    static void writeTensors(const fs::path& file, const std::map<std::string, at::Tensor>& tensors)
    {
        std::vector<contract::SafetensorsTensor> described;
        for (const auto& [name, tensor] : tensors)
            described.push_back({.name = name, .dtype = tensor.scalar_type() == at::kHalf ? "F16" : "F32", .shape = tensor.sizes().vec()});
        contract::SafetensorsWriter writer(file, described, {});
        for (const auto& [name, tensor] : tensors)
            writer.write(tensor.const_data_ptr(), tensor.nbytes());
        writer.finish();
    }

    /// Writes the weights again, each as @p change returns it.
    void rewriteWeights(const std::function<at::Tensor(const std::string&, const at::Tensor&)>& change) const
    {
        const fs::path file = folder() / "model.safetensors";
        std::map<std::string, at::Tensor> tensors;
        {
            const engine::WeightsSource source {contract::SafetensorsSet(file)};
            for (const std::string& name : source.names())
                tensors[name] = change(name, source.view(name).clone()).contiguous();
        }
        writeTensors(file, tensors);
    }

    at::Tensor scores() const { return engine::loadClipReward("fit", folder(), at::kCPU)->scores(RewardSamples(3, 40, 33).batch); }

    QByteArray refusal() const
    {
        try {
            scores();
            return {};
        } catch (const engine::EngineError& error) {
            return QByteArray(error.what()).replace(folder().c_str(), "FOLDER");
        }
    }

private Q_SLOTS:
    void init()
    {
        fs::remove_all(folder());
        fs::copy(ATELIER_SOURCE_DIR "/tests/goldens/models/clip_model/model", folder(), fs::copy_options::recursive);
    }

    void whatCannotBeUsedIsNamed_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("change");  ///< a JSON merge patch
        QTest::addColumn<QByteArray>("cause");
        const QByteArray config = "config.json", images = "preprocessor_config.json";
        const auto row = [](const char* name, const QByteArray& file, const char* change, const char* cause) {
            QTest::newRow(name) << file << QByteArray(change) << QByteArray(cause);
        };
        row("activation", config, R"({"vision_config": {"hidden_act": "relu"}})", "\"vision_config.hidden_act\" has an unsupported value");
        row("heads", config, R"({"text_config": {"num_attention_heads": 5}})", "\"text_config.num_attention_heads\" must divide");
        row("channels", config, R"({"vision_config": {"num_channels": 4}})", "\"vision_config.num_channels\" must be 3");
        row("patches", config, R"({"vision_config": {"patch_size": 27}})", "\"vision_config.patch_size\" must not be larger");
        row("no tower", config, R"({"vision_config": null})", "\"vision_config\" is missing");
        row("width", config, R"({"projection_dim": 15})", "weight has the shape [14, 20], but the config asks for [15, 20]");
        row("layers", config, R"({"vision_config": {"num_hidden_layers": 3}})", "vision_model.encoder.layers.2.");
        row("end of a text", config, R"({"text_config": {"eos_token_id": 700}})",
            "\"text_config.eos_token_id\" is 700, but the tokenizer ends a text with 733");
        row("vocabulary", config, R"({"text_config": {"vocab_size": 700}})", "check that the tokenizer belongs to this model");
        row("no crop", images, R"({"do_center_crop": false})", "\"do_center_crop\" must be true");
        row("another crop", images, R"({"crop_size": 224})", "\"crop_size\" must be 26, the image_size");
        row("smaller than the crop", images, R"({"size": {"shortest_edge": 25}})", "\"size\" must be at least 26");
        row("not by the shorter side", images, R"({"size": {"shortest_edge": null, "height": 26, "width": 26}})", "\"size.shortest_edge\"");
        row("bilinear", images, R"({"resample": 2})", "\"resample\" must be 3");
        row("two colours", images, R"({"image_mean": [0.5, 0.5]})", "\"image_mean\" must have three finite numbers");
        row("no deviation", images, R"({"image_std": [0.5, 0, 0.5]})", "\"image_std\" must have three numbers above 0");
    }
    void whatCannotBeUsedIsNamed()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, cause);
        Json json = read(file);
        json.merge_patch(Json::parse(change.toStdString()));
        write(file, json);
        const QByteArray said = refusal();
        QVERIFY2(said.startsWith("the reward model \"FOLDER\" cannot be used: "), said);
        QVERIFY2(said.contains(cause) && !said.contains('\n'), said);
    }

    void weightsAreUntrusted()
    {
        rewriteWeights([](const std::string& name, const at::Tensor& tensor) {
            return name == "logit_scale" ? at::full_like(tensor, std::numeric_limits<double>::quiet_NaN()) : tensor;
        });
        QVERIFY2(refusal().contains("gives a black image a score that is not finite; its weights are damaged"), refusal());
        fs::resize_file(folder() / "model.safetensors", 60000);
        QVERIFY2(refusal().contains("FOLDER/model.safetensors"), refusal());
        QVERIFY2(refusal().startsWith("the reward model \"FOLDER\" cannot be used: "), refusal());
    }

    void otherFormsOfTheModelGiveTheSame()
    {
        const at::Tensor expected = scores();
        QVERIFY(expected.isfinite().all().item<bool>());
        // Older transformers: the towers' sizes under other names, a number for a size.
        Json config = read("config.json");
        config["text_config_dict"] = config["text_config"];
        config["text_config"] = {{"hidden_act", "quick_gelu"}};
        write("config.json", config);
        Json images = read("preprocessor_config.json");
        images["crop_size"] = 26;
        images["size"] = images["size"]["shortest_edge"];
        images.erase("rescale_factor");
        write("preprocessor_config.json", images);
        QVERIFY(at::allclose(scores(), expected));
        rewriteWeights([](const std::string&, const at::Tensor& tensor) { return tensor.to(at::kHalf); });
        const double error = (scores() - expected).abs().max().item<double>();
        QVERIFY2(error > 0 && error < 0.05, QByteArray::number(error));
    }

    void headsScoreTheImagesFeatures_data()
    {
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("second");
        QTest::newRow("one layer") << QByteArray() << QByteArray("");
        QTest::newRow("two layers") << QByteArray("layers.2.") << QByteArray("layers.10.");
    }
    void headsScoreTheImagesFeatures()
    {
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, second);
        constexpr std::int64_t kFeatures = 14, kHidden = 3;
        const at::Tensor last = at::linspace(-1, 2, first.isEmpty() ? kFeatures : kHidden).unsqueeze(0), offset = at::full({1}, 5.0);
        std::map<std::string, at::Tensor> head = {{(second + "weight").toStdString(), last}, {(second + "bias").toStdString(), offset}};
        at::Tensor x = engine::ClipModel(folder(), at::kCPU).imageEmbeddings(RewardSamples(3, 40, 33).batch.images);
        if (!first.isEmpty()) {
            const at::Tensor weight = at::linspace(0, 1, kHidden * kFeatures).view({kHidden, kFeatures});
            const at::Tensor bias = at::linspace(1, 3, kHidden);
            head.insert({{(first + "weight").toStdString(), weight}, {(first + "bias").toStdString(), bias}});
            x = at::matmul(x, weight.t()) + bias;
        }
        writeTensors(folder() / "aesthetic.safetensors", head);
        const at::Tensor scores = engine::loadAestheticReward("beauty", folder(), at::kCPU)->scores(RewardSamples(3, 40, 33).batch);
        QVERIFY(at::allclose(scores, at::matmul(x, last.t()).squeeze(1) + 5));
        QVERIFY(std::abs((scores[0] - scores[2]).item<double>()) > 1e-3);
    }

    void headsAreUntrusted_data()
    {
        QTest::addColumn<QByteArray>("names");  ///< of tensors of one row, with spaces between them
        QTest::addColumn<int>("features");
        QTest::addColumn<QByteArray>("cause");
        QTest::newRow("no bias") << QByteArray("weight") << 14 << QByteArray("layer 0 must have a weight for 14 features and a bias");
        QTest::newRow("other features") << QByteArray("bias weight") << 20 << QByteArray("layer 0 must have a weight for 14 features");
        QTest::newRow("twice") << QByteArray("0.bias 0.weight 0.x.weight") << 14 << QByteArray("the tensor \"0.x.weight\" is not the only");
        QTest::newRow("something else") << QByteArray("bias scale weight") << 14 << QByteArray("the tensor \"scale\" is not the only");
    }
    void headsAreUntrusted()
    {
        QFETCH(QByteArray, names);
        QFETCH(int, features);
        QFETCH(QByteArray, cause);
        std::map<std::string, at::Tensor> head;
        for (const QByteArray& name : names.split(' '))
            head[name.toStdString()] = name.endsWith("bias") ? at::full({1}, 1.0) : at::full({1, features}, 1.0);
        writeTensors(folder() / "aesthetic.safetensors", head);
        try {
            engine::loadAestheticReward("beauty", folder(), at::kCPU);
            QFAIL("no error");
        } catch (const engine::EngineError& error) {
            QVERIFY2(QByteArray(error.what()).contains("aesthetic.safetensors: " + cause), error.what());
        }
    }

    void imagesOfAnySizeAndNumberAreScored()
    {
        const auto reward = engine::loadClipReward("fit", folder(), at::kCPU);
        RewardSamples samples(2, 16, 200);
        samples.batch.images[1][0][0][0] = std::numeric_limits<double>::quiet_NaN();
        const at::Tensor both = reward->scores(samples.batch);
        QVERIFY(both.isfinite().all().item<bool>());
        const at::Tensor second = reward->scores({samples.batch.images.narrow(0, 1, 1), {samples.batch.prompts[1]}});
        QVERIFY(std::abs((second[0] - both[1]).item<double>()) < 1e-3);
        samples.prompt(0).text = std::string(5000, 'x');  // more tokens than the tower takes
        QVERIFY(reward->scores(samples.batch).isfinite().all().item<bool>());
    }
};

QTEST_APPLESS_MAIN(ClipRewardTest)
#include "tst_clip_reward.moc"
