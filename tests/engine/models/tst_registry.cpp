// Builds models from experiments and configs; describing a model must not allocate its weights.
#include <ATen/ops/zeros.h>

#include "engine/comm/errors.h"
#include "engine/models/dit/dit.h"
#include "engine/models/registry.h"
#include "engine/tasks/new_model.h"
#include "tests/paths.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

namespace {

std::int64_t peakBytes()
{
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

}  // namespace

class RegistryTest : public QObject {
    Q_OBJECT

    /// Builds the model as a run does.
    static std::unique_ptr<engine::Model> built(const contract::Experiment& experiment)
    {
        const std::string name = experiment.text("model.name");
        if (name == "dit")
            return engine::buildModel(experiment, {});
        if (name == "diffusers")
            return engine::buildTransformer(contract::JsonConfig(ATELIER_SOURCE_DIR "/tests/goldens/models/sd3/model/config.json"));
        const QTemporaryDir folder;
        engine::describeNewModel(experiment, folder.path().toStdString());
        return engine::buildTransformer(contract::JsonConfig(folder.filePath("transformer/config.json").toStdString()));
    }

private Q_SLOTS:
    void everyModelThatAnExperimentCanNameIsKnown_data()
    {
        QTest::addColumn<QString>("name");
        for (const std::string_view name : contract::findOption("model.name")->choices)
            QTest::addRow("E-006 E-011 %s", name.data()) << QString::fromUtf8(name.data());
    }
    void everyModelThatAnExperimentCanNameIsKnown()
    {
        QFETCH(QString, name);
        contract::Experiment experiment;
        QVERIFY(!experiment.set("model.name", name.toStdString()));
        QVERIFY(!experiment.set("data.resolution", std::int64_t {32}));
        QVERIFY(!built(experiment)->units().empty());
    }

    void theConfigOfANewModelIsSortedAndIndented_E010()
    {
        const QTemporaryDir folder;
        engine::describeNewModel({}, folder.path().toStdString());
        QFile file(folder.filePath("transformer/config.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.isValidUtf8());
        const auto config = nlohmann::json::parse(text.toStdString());  // sorts keys
        QVERIFY(config.size() > 5);
        QCOMPARE(text, QByteArray::fromStdString(config.dump(4) + "\n"));
    }

    void eachBlockIsAUnitAndTheRestIsTheRoot_data()
    {
        QTest::addColumn<int>("depth");
        QTest::newRow("E-034 one block") << 1;
        QTest::newRow("E-034 12 blocks") << 12;
    }
    void eachBlockIsAUnitAndTheRestIsTheRoot()
    {
        QFETCH(int, depth);
        const engine::Dit model({.depth = depth});
        const auto units = model.units();
        QCOMPARE(units.size(), static_cast<std::size_t>(depth) + 1);
        QCOMPARE(units[0].name, std::string("root"));
        std::set<std::string> names;
        for (std::size_t i = 0; i < units.size(); ++i) {
            const std::string block = "blocks." + std::to_string(i == 0 ? 0 : i - 1);
            if (i > 0)
                QCOMPARE(units[i].name, block);
            QVERIFY(!units[i].parameters.empty());
            for (const engine::ParameterSpec& parameter : units[i].parameters) {
                QCOMPARE(parameter.name.starts_with(i == 0 ? "blocks." : block + "."), i > 0);
                QVERIFY2(names.insert(parameter.name).second, parameter.name.c_str());
            }
        }
        const auto again = model.units();  // a second call returns the same
        QCOMPARE(again.size(), units.size());
        for (std::size_t i = 0; i < units.size(); ++i)
            QCOMPARE(again[i].parameters.size(), units[i].parameters.size());
    }

    void theBlocksThatAModelDeclaresAreItsUnits_data()
    {
        QTest::addColumn<QByteArray>("className");
        QTest::addColumn<QStringList>("blocks");  // in order, with the number of layers that diffusers assumes
        QTest::newRow("E-033 SD3") << QByteArray("SD3Transformer2DModel") << QStringList {"transformer_blocks 18"};
        QTest::newRow("E-033 Flux") << QByteArray("FluxTransformer2DModel")
                                    << QStringList {"transformer_blocks 19", "single_transformer_blocks 38"};
        QTest::newRow("E-033 Qwen-Image") << QByteArray("QwenImageTransformer2DModel") << QStringList {"transformer_blocks 60"};
        QTest::newRow("E-033 Wan") << QByteArray("WanTransformer3DModel") << QStringList {"blocks 40"};
    }
    void theBlocksThatAModelDeclaresAreItsUnits()
    {
        QFETCH(QByteArray, className);
        QFETCH(QStringList, blocks);
        const std::string config = "{\"_class_name\": \"" + className.toStdString() + "\"}";
        const auto units = engine::buildTransformer(contract::JsonConfig("config.json", config))->units();
        QStringList expected = {"root"};
        for (const QString& each : blocks) {
            for (int i = 0; i < each.section(' ', 1).toInt(); ++i)
                expected << each.section(' ', 0, 0) + "." + QString::number(i);
        }
        QStringList names;
        for (const engine::UnitSpec& unit : units) {
            names << QString::fromStdString(unit.name);
            for (const engine::ParameterSpec& parameter : unit.parameters) {
                const QString name = QString::fromStdString(parameter.name);
                QVERIFY2(names.back() == "root" ? !name.contains("blocks.") || parameter.isOfBlock : name.startsWith(names.back() + "."),
                    parameter.name.c_str());
            }
        }
        QCOMPARE(names, expected);
    }

    void aModelIsDescribedWithoutMemoryForIt_data()
    {
        QTest::addColumn<qint64>("width");
        QTest::newRow("E-039 5 TB of weights") << qint64 {12288};
    }
    void aModelIsDescribedWithoutMemoryForIt()
    {
        QFETCH(qint64, width);
        const std::int64_t before = peakBytes();
        const engine::Dit model({.width = width, .depth = 512, .heads = 96});
        std::int64_t elements = 0;
        for (const engine::UnitSpec& unit : model.units()) {
            for (const engine::ParameterSpec& parameter : unit.parameters)
                elements += parameter.elements();
        }
        QVERIFY(elements > 18 * 512 * width * width);
        QVERIFY(model.forwardFlops({.latents = at::zeros({1, 1, 8, 8}), .sigmas = {}, .labels = {}}) > 2.0 * 12 * 512 * static_cast<double>(width * width));
        QVERIFY(peakBytes() - before < 50'000'000);
    }

    void operationsAreThoseOfTheInput_data()
    {
        QTest::addColumn<QByteArray>("className");
        QTest::addColumn<QList<qint64>>("latents");
        QTest::addColumn<int>("promptTokens");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("imageTokens");
        QTest::addColumn<int>("jointPasses");  // attentions over image and prompt
        QTest::addColumn<int>("imagePasses");  // over the image alone
        const auto row = [](const char* name, const char* model, const QList<qint64>& latents, int promptTokens, int width, int imageTokens,
                             int jointPasses, int imagePasses) {
            QTest::newRow(name) << QByteArray(model) << latents << promptTokens << width << imageTokens << jointPasses << imagePasses;
        };
        row("A-130 A-133 defect-11: SD3, 1024 x 1024", "SD3Transformer2DModel", {1, 16, 128, 128}, 333, 1152, 4096, 18, 0);
        row("defect-11: SD3, 3 of 512 x 768, a long prompt", "SD3Transformer2DModel", {3, 16, 64, 96}, 589, 1152, 1536, 18, 0);
        row("defect-11: Flux, 1024 x 1024", "FluxTransformer2DModel", {1, 16, 128, 128}, 512, 3072, 4096, 57, 0);
        row("defect-11: Flux, 2 of 512 x 512", "FluxTransformer2DModel", {2, 16, 64, 64}, 256, 3072, 1024, 57, 0);
        row("A-131 A-133 defect-11: Qwen-Image, 1328 x 1328", "QwenImageTransformer2DModel", {1, 16, 166, 166}, 40, 3072, 6889, 60, 0);
        row("defect-11: Qwen-Image, 512 x 512", "QwenImageTransformer2DModel", {1, 16, 64, 64}, 300, 3072, 1024, 60, 0);
        row("A-130 A-133 defect-11: Wan, 81 frames", "WanTransformer3DModel", {1, 16, 21, 60, 104}, 512, 5120, 32760, 0, 40);
        row("defect-11: Wan, 17 frames", "WanTransformer3DModel", {1, 16, 5, 60, 60}, 512, 5120, 4500, 0, 40);
    }
    /// Every weight multiplies the tokens of its stream; terms that depend on neither are below half a percent.
    void operationsAreThoseOfTheInput()
    {
        QFETCH(QByteArray, className);
        QFETCH(QList<qint64>, latents);
        QFETCH(int, promptTokens);
        QFETCH(int, width);
        QFETCH(int, imageTokens);
        QFETCH(int, jointPasses);
        QFETCH(int, imagePasses);
        const std::string config = "{\"_class_name\": \"" + className.toStdString() + "\"}";
        const auto model = engine::buildTransformer(contract::JsonConfig("config.json", config));
        const double image = imageTokens, prompt = promptTokens;
        const auto contains = [](const std::string& name, std::initializer_list<const char*> parts) {
            return std::ranges::any_of(parts, [&](const char* part) { return name.find(part) != std::string::npos; });
        };
        double products = 0;
        for (const engine::UnitSpec& unit : model->units()) {
            for (const engine::ParameterSpec& parameter : unit.parameters) {
                const std::string& name = parameter.name;
                const bool isMatrix = parameter.isLinear || contains(name, {"patch_embedding.weight", "pos_embed.proj.weight"});
                double rows = image;
                if (contains(name, {"time_text_embed", "norm1", ".norm.linear", "norm_out", "_mod.", "condition_embedder.time"}))
                    rows = 1;
                else if (contains(name, {"context_embedder", "add_", "ff_context", "txt_", "text_embedder"})
                    || (className.startsWith("Wan") && contains(name, {"attn2.to_k", "attn2.to_v"})))
                    rows = prompt;
                else if (contains(name, {"single_transformer_blocks"}))
                    rows = image + prompt;
                products += isMatrix ? rows * static_cast<double>(parameter.elements()) : 0;
            }
        }
        products += 2.0 * width * (jointPasses * (image + prompt) * (image + prompt) + imagePasses * (image * image + image * prompt));
        const auto ofSizes = [](const std::vector<std::int64_t>& sizes) { return at::zeros({1}).expand(sizes); };
        const engine::ModelInput input {.latents = ofSizes({latents.begin(), latents.end()}), .sigmas = {}, .labels = {}, .prompt = ofSizes({latents[0], promptTokens, 8})};
        const double expected = 2 * products * static_cast<double>(latents[0]), counted = model->forwardFlops(input);
        QVERIFY2(std::abs(counted / expected - 1) < 0.005, qPrintable(QString::number(counted / expected)));
    }

    void sizesThatDoNotFitAreNamed_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("imageSize");
        QTest::addColumn<QString>("said");
        QTest::newRow("E-025 width and heads") << 128 << 3 << 8 << "model.width = 128 must be a multiple of model.heads = 3";
        QTest::newRow("E-025 image and patch") << 128 << 4 << 9 << "the image size = 9 must be a multiple of model.patch = 2";
    }
    void sizesThatDoNotFitAreNamed()
    {
        QFETCH(int, width);
        QFETCH(int, heads);
        QFETCH(int, imageSize);
        QFETCH(QString, said);
        try {
            engine::Dit({.imageSize = imageSize, .width = width, .heads = heads});
            QFAIL("accepted");
        } catch (const engine::EngineError& error) {
            QCOMPARE(QString(error.what()), said);
        }
    }

    void diffusersConfigurationsAreUnderstoodOrRefused_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QByteArray>("problem");
        const auto row = [](const char* name, const char* config, const char* problem) {
            QTest::newRow(name) << QByteArray(config) << QByteArray(problem);
        };
        row("SD3 by its defaults", R"({"_class_name": "SD3Transformer2DModel", "_diffusers_version": "0.42.1"})", "");
        row("DiT by its defaults", R"({"_class_name": "DiTTransformer2DModel", "out_channels": null})", "");
        row("E-012 an unknown class", R"({"_class_name": "UNet2DConditionModel"})",
            "\"UNet2DConditionModel\", which is not supported; supported: DiTTransformer2DModel, FluxTransformer2DModel, "
            "QwenImageTransformer2DModel, SD3Transformer2DModel, WanTransformer3DModel");
        row("Flux by its defaults", R"({"_class_name": "FluxTransformer2DModel", "out_channels": null})", "");
        row("Qwen-Image by its defaults", R"({"_class_name": "QwenImageTransformer2DModel"})", "");
        row("Wan by its defaults", R"({"_class_name": "WanTransformer3DModel", "image_dim": null})", "");
        row("Flux with other patches", R"({"_class_name": "FluxTransformer2DModel", "patch_size": 2})", "patch_size");
        row("Flux with other outputs", R"({"_class_name": "FluxTransformer2DModel", "out_channels": 32})", "out_channels");
        row("Flux with half a square", R"({"_class_name": "FluxTransformer2DModel", "in_channels": 66})", "in_channels");
        row("axes that do not fill a head", R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [16, 56, 54]})", "axes_dims_rope");
        row("two axes", R"({"_class_name": "QwenImageTransformer2DModel", "axes_dims_rope": [64, 64]})", "axes_dims_rope");
        row("Qwen-Image-Edit", R"({"_class_name": "QwenImageTransformer2DModel", "zero_cond_t": true, "num_layers": 20})", "");
        row("layers of an image", R"({"_class_name": "QwenImageTransformer2DModel", "use_layer3d_rope": true})", "use_layer3d_rope");
        row("channels that do not fit", R"({"_class_name": "QwenImageTransformer2DModel", "in_channels": 60})", "in_channels");
        row("patches of nothing", R"({"_class_name": "WanTransformer3DModel", "patch_size": [1, 0, 2]})", "patch_size");
        row("an image to start from", R"({"_class_name": "WanTransformer3DModel", "image_dim": 1280})", "image_dim");
        row("norms of another kind", R"({"_class_name": "WanTransformer3DModel", "qk_norm": "rms_norm"})", "qk_norm");
        row("no class", R"({"num_layers": 2})", "_class_name");
        row("an unknown key", R"({"_class_name": "SD3Transformer2DModel", "sparse_blocks": 3})", "sparse_blocks");
        row("another norm", R"({"_class_name": "SD3Transformer2DModel", "qk_norm": "layer_norm"})", "\"layer_norm\", which is not supported; supported: rms_norm");
        row("widths that differ", R"({"_class_name": "SD3Transformer2DModel", "caption_projection_dim": 1536})", "1152");
        row("a block too many", R"({"_class_name": "SD3Transformer2DModel", "dual_attention_layers": [18]})", "names block 18, but the model has blocks 0 to 17");
        row("as many layers as fit no memory", R"({"_class_name": "SD3Transformer2DModel", "num_layers": 2000000000})", "num_layers");
        row("a width that overflows", R"({"_class_name": "DiTTransformer2DModel", "num_attention_heads": 1048576, "attention_head_dim": 1048576})", "num_attention_heads");
        row("text for a number", R"({"_class_name": "DiTTransformer2DModel", "patch_size": "two"})", "patch_size");
        row("dropout", R"({"_class_name": "DiTTransformer2DModel", "dropout": 0.1})", "dropout");
        row("another normalisation", R"({"_class_name": "DiTTransformer2DModel", "norm_type": "layer_norm"})", "norm_type");
    }
    void diffusersConfigurationsAreUnderstoodOrRefused()
    {
        QFETCH(QByteArray, config);
        QFETCH(QByteArray, problem);
        QByteArray message;
        try {
            const auto model = engine::buildTransformer(contract::JsonConfig("config.json", config.toStdString()));
            QVERIFY(model->units().size() > 18);
        } catch (const std::exception& error) {
            message = error.what();
        }
        QVERIFY2(problem.isEmpty() ? message.isEmpty() : message.contains(problem), message.constData());
    }

    /// Released models have the number of parameters that their model cards and configurations state.
    void releasedModelsHaveTheirSize_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<qint64>("parameters");
        const auto row = [](const char* name, const char* rest, qint64 parameters, const char* className = "SD3Transformer2DModel") {
            QTest::newRow(name) << QByteArray(R"({"_class_name": ")") + className + "\", " + rest + "}" << parameters;
        };
        row("FLUX.1 dev", R"("guidance_embeds": true)", 11901408320, "FluxTransformer2DModel");
        row("Qwen-Image", R"("pooled_projection_dim": 768)", 20430401088, "QwenImageTransformer2DModel");
        row("Wan 2.1, 1.3B", R"("num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30)", 1418996800, "WanTransformer3DModel");
        row("Wan 2.1, 14B", R"("num_layers": 40)", 14288491584, "WanTransformer3DModel");
        row("SD3 medium", R"("num_layers": 24, "num_attention_heads": 24, "caption_projection_dim": 1536, "pos_embed_max_size": 192)", 2028328000);
        row("SD3.5 medium", R"("num_layers": 24, "num_attention_heads": 24, "caption_projection_dim": 1536, "pos_embed_max_size": 384,
            "dual_attention_layers": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "qk_norm": "rms_norm")", 2243171520);
        row("SD3.5 large", R"("num_layers": 38, "num_attention_heads": 38, "caption_projection_dim": 2432, "pos_embed_max_size": 192,
            "qk_norm": "rms_norm")", 8056627520);
    }
    void releasedModelsHaveTheirSize()
    {
        QFETCH(QByteArray, config);
        QFETCH(qint64, parameters);
        const auto model = engine::buildTransformer(contract::JsonConfig("config.json", config.toStdString()));
        qint64 sum = 0;
        for (const auto& unit : model->units()) {
            for (const auto& parameter : unit.parameters)
                sum += parameter.elements();
        }
        QCOMPARE(sum, parameters);
    }
};

QTEST_APPLESS_MAIN(RegistryTest)
#include "tst_registry.moc"
