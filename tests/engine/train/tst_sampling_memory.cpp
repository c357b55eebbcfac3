// What only samples need is not in memory while a model trains.
#include <ATen/ATen.h>

#include "engine/contract/safetensors_set.h"
#include "engine/data/png.h"
#include "engine/model/registry.h"
#include "engine/train/generation.h"
#include "engine/train/picture_task.h"
#include "engine/train/run_setup.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/support/live_memory.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace {

namespace fs = std::filesystem;

const fs::path kPipeline = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";

std::int64_t elements(const char* component, const char* tensor)
{
    const contract::SafetensorsSet files(kPipeline / component);
    return static_cast<std::int64_t>(files.items().at(tensor).tensor->elements());
}

contract::Experiment experimentIn(const fs::path& pictures)
{
    contract::Experiment experiment;
    experiment.set("model.name", std::string("diffusers"));
    experiment.set("model.folder", kPipeline.string());
    experiment.set("data.folder", pictures.string());
    experiment.set("data.resolution", std::int64_t {48});
    experiment.set("engine.compute_dtype", std::string("bf16"));
    experiment.set("sample.prompts", std::string("a red heart | a blue square"));
    experiment.set("sample.steps", std::int64_t {2});
    experiment.set("batch.global", std::int64_t {1});
    experiment.set("batch.micro", std::int64_t {1});
    return experiment;
}

bool holds(bool isTrue, const char* what)
{
    if (!isTrue)
        std::fprintf(stderr, "not so: %s\n", what);
    return isTrue;
}

}  // namespace

class SamplingMemoryTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase()
    {
        fs::create_directories(fs::path(m_folder.path().toStdString()) / "pictures");
        for (const char* name : {"one", "two"}) {
            const std::string base = m_folder.path().toStdString() + "/pictures/" + name;
            engine::writePng(base + ".png", engine::imageGrid(at::linspace(-1, 1, 3 * 48 * 48).view({1, 3, 48, 48}), 1, 1, 0), {});
            std::ofstream(base + ".txt") << "a picture called " << name;
        }
    }

    /// E-212: encoders and the autoencoder are there while they work, before training and for each round of samples.
    void samplersMemoryComesAndGoes()
    {
        const fs::path root = m_folder.path().toStdString();
        const auto body = [&](engine::Mesh& mesh) {
            const contract::Experiment experiment = experimentIn(root / "pictures");
            const engine::TaskPlace place {mesh, c10::Device(c10::DeviceType::CPU), root / "run", root / "cache", [](const std::string&) {}, [](const std::string&) {}};
            // Sizes of weights that nothing else has: the autoencoder's in float32, the text encoders' in the compute dtype.
            const std::int64_t encoder = 4 * elements("vae", "encoder.conv_in.weight"), decoder = 4 * elements("vae", "decoder.conv_in.weight");
            const std::int64_t text = 2 * elements("text_encoder", "text_model.encoder.layers.0.mlp.fc1.weight");
            const tests::LiveMemory memory;
            const auto none = [&] { return memory.blocks(encoder) + memory.blocks(decoder) + memory.blocks(text) == 0; };

            engine::PictureTask task(experiment, place);
            bool isRight = holds(memory.everBlocks(encoder) > 0 && memory.everBlocks(text) > 0, "pictures and prompts were encoded");
            isRight &= holds(none(), "and then the encoders left");
            engine::BufferPool pool(mesh.shard(), place.device);
            engine::UnitSequence units(task.units(), mesh.shard(), pool, engine::unitOptions(experiment, mesh, nullptr), {}, 7);
            task.begin(units);
            task.loadWeights();
            const at::Tensor first = task.samples(engine::Weights::Master);
            const std::int64_t drawn = memory.everBlocks(decoder);
            isRight &= holds(drawn > 0 && none(), "the decoder came for the samples and left");
            isRight &= holds(at::equal(task.samples(engine::Weights::Master), first), "it comes back and draws the same");
            return isRight & holds(memory.everBlocks(decoder) > drawn && none(), "and leaves again");
        };
        QCOMPARE(tests::runRanks({.world = 1, .shard = 1}, engine::Exchange::SharedMemory, body), std::vector<int> {0});
    }

    void drawingKeepsWeightsInTheComputeDtypeOnly_data()
    {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<int>("bytes");
        QTest::newRow("float32") << "fp32" << 4;
        QTest::newRow("bfloat16") << "bf16" << 2;
    }
    void drawingKeepsWeightsInTheComputeDtypeOnly()
    {
        QFETCH(QString, dtype);
        QFETCH(int, bytes);
        engine::LoneGroup group;
        engine::BufferPool pool(group, c10::Device(c10::DeviceType::CPU));
        const engine::UnitSequence units(engine::buildTransformer(contract::JsonConfig(kPipeline / "transformer" / "config.json"))->units(), group, pool, {}, {}, 7);
        std::int64_t length = 0;  // of a block's parameters, as they lie in memory
        for (const engine::Unit* unit : units.parts())
            length = std::max(length, unit->layout().length());

        contract::ImageRequest request;
        request.model = kPipeline.string();
        request.prompts = {"a red heart"};
        request.width = request.height = 32;
        request.steps = 1;
        request.dtype = dtype.toStdString();
        request.device = "cpu";
        request.folder = m_folder.path().toStdString();
        const tests::LiveMemory memory;
        engine::generateImages(request, {}, [](const std::string&) {});
        for (const int each : {2, 4})
            QCOMPARE(memory.everBlocks(each * length), std::int64_t {each == bytes ? 1 : 0});  // once, and in no other dtype
    }
};

QTEST_GUILESS_MAIN(SamplingMemoryTest)
#include "tst_sampling_memory.moc"
