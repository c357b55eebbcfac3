// Model folders in the layout of diffusers and of the Hugging Face cache.
#include "engine/contract/formats/model_folder.h"
#include "engine/contract/formats/safetensors_set.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

namespace fs = std::filesystem;
using contract::ModelFolder;

class ModelFolderTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path root() const { return fs::path(m_root.path().toStdString()) / "models"; }
    static void writeText(const fs::path& file, const std::string& text)
    {
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }
    /// Writes a minimal pipeline without weights.
    static void writePipeline(const fs::path& folder)
    {
        writeText(folder / "model_index.json", R"({"_class_name": "StableDiffusion3Pipeline", "_diffusers_version": "0.30",
            "transformer": ["diffusers", "SD3Transformer2DModel"], "vae": ["diffusers", "AutoencoderKL"], "image_encoder": [null, null],
            "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"], "boundary_ratio": 0.9, "force_zeros": true})");
        writeText(folder / "transformer" / "config.json", R"({"_class_name": "SD3Transformer2DModel", "num_layers": 2})");
        writeText(folder / "scheduler" / "scheduler_config.json", R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 3.0})");
    }
    static std::string refusal(const fs::path& path)
    {
        try {
            const ModelFolder folder(path);
            return {};
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    }
    static void requireRefused(const fs::path& path, const char* part)
    {
        const std::string message = refusal(path);
        QVERIFY2(message.starts_with(path.string()) && message.find(part) != std::string::npos, message.c_str());
    }

private Q_SLOTS:
    void init()
    {
        fs::remove_all(root());
        fs::create_directories(root());
    }

    void aPipelineListsItsComponents()
    {
        writePipeline(root());
        const ModelFolder folder(root());
        QVERIFY(folder.isPipeline());
        QVERIFY(folder.className() == "StableDiffusion3Pipeline");
        QCOMPARE(folder.components().size(), 3U);
        QVERIFY(folder.components().at("vae").className == "AutoencoderKL");
        QVERIFY(folder.components().at("transformer").library == "diffusers");
        QVERIFY(folder.component("transformer") == root() / "transformer");
        QCOMPARE(folder.config("transformer").integer("num_layers"), 2);
        QCOMPARE(folder.config("scheduler").real("shift"), 3.0);
        const auto errorFor = [&folder](const char* name) {
            try {
                folder.component(name);
                return std::string();
            } catch (const std::runtime_error& error) {
                return std::string(error.what());
            }
        };
        QVERIFY(errorFor("image_encoder").find("StableDiffusion3Pipeline has no image_encoder; it has: scheduler, transformer, vae") != std::string::npos);
        QVERIFY(errorFor("vae").find("vae: is missing, although model_index.json lists it") != std::string::npos);
    }

    void aLoneComponentIsAModelToo()
    {
        writeText(root() / "config.json", R"({"_class_name": "WanTransformer3DModel"})");
        const ModelFolder folder(root());
        QVERIFY(!folder.isPipeline() && folder.has("transformer") && folder.component("transformer") == root());
        writeText(root() / "config.json", R"({"architectures": ["T5EncoderModel"], "d_model": 8})");
        QVERIFY(ModelFolder(root()).className() == "T5EncoderModel");
        QVERIFY(ModelFolder(root()).components().at("text_encoder").library == "transformers");
        writeText(root() / "config.json", R"({"_class_name": "AutoencoderKL"})");
        QVERIFY(ModelFolder(root()).has("vae"));
        writeText(root() / "config.json", R"({"d_model": 8})");
        requireRefused(root(), "does not say which model it describes");
    }

    void defect48_aComponentMayComeFromElsewhere()
    {
        const fs::path pipeline = root() / "pipeline", alone = root() / "alone", another = root() / "another";
        writePipeline(pipeline);
        writePipeline(another);
        writeText(alone / "config.json", R"({"_class_name": "SD3Transformer2DModel", "num_layers": 5})");
        ModelFolder folder(pipeline);
        folder.replaceComponent("transformer", alone);
        QVERIFY(folder.component("transformer") == alone && folder.config("transformer").integer("num_layers") == 5);
        QCOMPARE(folder.config("scheduler").real("shift"), 3.0);
        folder.replaceComponent("transformer", another);
        QVERIFY(folder.component("transformer") == another / "transformer");
        fs::remove_all(pipeline / "transformer");  // it is not needed any more
        ModelFolder(pipeline).replaceComponent("transformer", alone);
        const auto errorFor = [&](const char* name, const fs::path& from) {
            try {
                ModelFolder(pipeline).replaceComponent(name, from);
                return std::string();
            } catch (const std::runtime_error& error) {
                return std::string(error.what());
            }
        };
        QVERIFY(errorFor("transformer_2", alone).find("has no transformer_2; it has: ") != std::string::npos);
        writeText(alone / "config.json", R"({"_class_name": "WanTransformer3DModel"})");
        QVERIFY(errorFor("transformer", alone).find("is a WanTransformer3DModel and cannot replace the transformer of ") != std::string::npos);
        QVERIFY(errorFor("transformer", root()).find("is not a model folder") != std::string::npos);
    }

    void aCacheFolderIsItsMainSnapshot()
    {
        const fs::path cache = root() / "models--some--model";
        writePipeline(cache / "snapshots" / "aaa1");
        QVERIFY(ModelFolder(cache).root() == cache / "snapshots" / "aaa1");  // the only one
        writePipeline(cache / "snapshots" / "bbb2");
        requireRefused(cache, "has 2 snapshots and no refs/main");
        writeText(cache / "refs" / "main", "bbb2");
        QVERIFY(ModelFolder(cache).root() == cache / "snapshots" / "bbb2");
        QVERIFY(ModelFolder(cache / "snapshots" / "aaa1").root() == cache / "snapshots" / "aaa1");  // a snapshot given directly
        writeText(cache / "refs" / "main", "ccc3\n");
        requireRefused(cache, "refs/main names the snapshot \"ccc3\", which is missing");
        writePipeline(root() / "elsewhere");
        writeText(cache / "refs" / "main", "../../elsewhere");
        requireRefused(cache, "refs/main names the snapshot");
    }

    void weightsOfTheCacheAreLinks()
    {
        const fs::path cache = root() / "models--some--model";
        const fs::path component = cache / "snapshots" / "aaa1" / "transformer";
        writePipeline(cache / "snapshots" / "aaa1");
        tests::writeTensors(cache / "blobs" / "0123", {{"a", {1, 2}}});
        fs::create_symlink("../../../blobs/0123", component / "diffusion_pytorch_model.safetensors");
        QCOMPARE(contract::SafetensorsSet(ModelFolder(cache).component("transformer")).items().size(), 1U);
        fs::remove(cache / "blobs" / "0123");
        try {
            const contract::SafetensorsSet set(component);
            QFAIL("a link to nothing was taken");
        } catch (const std::runtime_error& error) {
            QVERIFY2(std::string(error.what()).find("is a link to a file that is missing; the download is not complete") != std::string::npos, error.what());
        }
    }

    void whatIsNoModelIsRefused()
    {
        requireRefused(root() / "none", "does not exist");
        requireRefused(root(), "neither model_index.json nor config.json");
        writeText(root() / "file", "");
        requireRefused(root() / "file", "is not a folder");
        writeText(root() / "model_index.json", R"({"_class_name": "P", "../vae": ["diffusers", "AutoencoderKL"]})");
        requireRefused(root(), "is not a valid name for a component's folder");
        writeText(root() / "model_index.json", R"({"_class_name": "P", "vae": ["diffusers", 3]})");
        requireRefused(root(), "\"vae\" must be a list of strings");
        writeText(root() / "model_index.json", "[]");
        requireRefused(root(), "is not a JSON object");
    }
};

QTEST_APPLESS_MAIN(ModelFolderTest)
#include "tst_model_folder.moc"
