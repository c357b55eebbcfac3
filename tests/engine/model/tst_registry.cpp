// What a model is built from, and that describing one costs nothing.
#include "engine/comm/errors.h"
#include "engine/model/dit.h"
#include "engine/model/registry.h"
#include "engine/train/new_model.h"

#include <QtTest>

#include <sys/resource.h>

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

    /// As a run builds it.
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

    void eachBlockIsAUnitAndTheRestIsTheRoot_data()
    {
        QTest::addColumn<int>("depth");
        QTest::newRow("E-033 E-034 one block") << 1;
        QTest::newRow("E-033 E-034 12 blocks") << 12;
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
        const auto again = model.units();  // asking changes nothing
        QCOMPARE(again.size(), units.size());
        for (std::size_t i = 0; i < units.size(); ++i)
            QCOMPARE(again[i].parameters.size(), units[i].parameters.size());
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
        QVERIFY(model.forwardFlops() > 2.0 * 12 * 512 * static_cast<double>(width * width));
        QVERIFY(peakBytes() - before < 50'000'000);
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
        row("E-033 SD3 by its defaults", R"({"_class_name": "SD3Transformer2DModel", "_diffusers_version": "0.42.1"})", "");
        row("E-033 DiT by its defaults", R"({"_class_name": "DiTTransformer2DModel", "out_channels": null})", "");
        row("E-012 an unknown class", R"({"_class_name": "UNet2DConditionModel"})",
            "\"UNet2DConditionModel\", which is not known here; known: DiTTransformer2DModel, FluxTransformer2DModel, "
            "QwenImageTransformer2DModel, SD3Transformer2DModel, WanTransformer3DModel");
        row("E-033 Flux by its defaults", R"({"_class_name": "FluxTransformer2DModel", "out_channels": null})", "");
        row("E-033 Qwen-Image by its defaults", R"({"_class_name": "QwenImageTransformer2DModel"})", "");
        row("E-033 Wan by its defaults", R"({"_class_name": "WanTransformer3DModel", "image_dim": null})", "");
        row("Flux with other patches", R"({"_class_name": "FluxTransformer2DModel", "patch_size": 2})", "patch_size");
        row("Flux with other outputs", R"({"_class_name": "FluxTransformer2DModel", "out_channels": 32})", "out_channels");
        row("Flux with half a square", R"({"_class_name": "FluxTransformer2DModel", "in_channels": 66})", "in_channels");
        row("axes that do not fill a head", R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [16, 56, 54]})", "axes_dims_rope");
        row("two axes", R"({"_class_name": "QwenImageTransformer2DModel", "axes_dims_rope": [64, 64]})", "axes_dims_rope");
        row("Qwen-Image-Edit", R"({"_class_name": "QwenImageTransformer2DModel", "zero_cond_t": true, "num_layers": 20})", "");
        row("layers of a picture", R"({"_class_name": "QwenImageTransformer2DModel", "use_layer3d_rope": true})", "use_layer3d_rope");
        row("channels that do not fit", R"({"_class_name": "QwenImageTransformer2DModel", "in_channels": 60})", "in_channels");
        row("patches of nothing", R"({"_class_name": "WanTransformer3DModel", "patch_size": [1, 0, 2]})", "patch_size");
        row("a picture to start from", R"({"_class_name": "WanTransformer3DModel", "image_dim": 1280})", "image_dim");
        row("norms of another kind", R"({"_class_name": "WanTransformer3DModel", "qk_norm": "rms_norm"})", "qk_norm");
        row("no class", R"({"num_layers": 2})", "_class_name");
        row("an unknown key", R"({"_class_name": "SD3Transformer2DModel", "sparse_blocks": 3})", "sparse_blocks");
        row("another norm", R"({"_class_name": "SD3Transformer2DModel", "qk_norm": "layer_norm"})", "\"layer_norm\", which is not known here; known: rms_norm");
        row("widths that differ", R"({"_class_name": "SD3Transformer2DModel", "caption_projection_dim": 1536})", "1152");
        row("a block too many", R"({"_class_name": "SD3Transformer2DModel", "dual_attention_layers": [18]})", "block 18 of 18");
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

    /// Released models: parameters as their cards and configurations say.
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
