// Models that only sampling needs are not in memory during training.
#include <ATen/ATen.h>

#include "engine/contract/formats/safetensors_set.h"
#include "engine/data/png.h"
#include "engine/models/registry.h"
#include "engine/tasks/engine_options.h"
#include "engine/tasks/image_task.h"
#include "engine/worker/generation.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/paths.h"
#include "tests/support/live_memory.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>

namespace {

namespace fs = std::filesystem;

const fs::path kPipeline = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";

std::int64_t elements(const char* component, const char* tensor)
{
    const contract::SafetensorsSet files(kPipeline / component);
    return static_cast<std::int64_t>(files.items().at(tensor).tensor->elements());
}

contract::Experiment experimentIn(const fs::path& images)
{
    contract::Experiment experiment;
    experiment.set("model.name", std::string("diffusers"));
    experiment.set("model.folder", kPipeline.string());
    experiment.set("data.folder", images.string());
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
        fs::create_directories(fs::path(m_folder.path().toStdString()) / "images");
        for (const char* name : {"one", "two"}) {
            const std::string base = m_folder.path().toStdString() + "/images/" + name;
            engine::writePng(base + ".png", engine::imageGrid(at::linspace(-1, 1, 3 * 48 * 48).view({1, 3, 48, 48}), 1, 1, 0), {});
            std::ofstream(base + ".txt") << "an image called " << name;
        }
    }

    /// E-212: encoders and the autoencoder are in memory only while used: before training and for each round of samples.
    void samplersMemoryComesAndGoes()
    {
        const fs::path root = m_folder.path().toStdString();
        const auto body = [&](engine::Mesh& mesh) {
            const contract::Experiment experiment = experimentIn(root / "images");
            std::function<void()> whenIdle = [] {};
            const engine::TaskContext place {mesh, c10::Device(c10::DeviceType::CPU), root / "run", root / "cache", [](const std::string&) {},
                [](const std::string&) {}, [] { return false; }, {}, [&] { whenIdle(); }};
            // Sizes of weights that nothing else has: the autoencoder's in float32, the text encoders' in the compute dtype.
            const std::int64_t encoder = 4 * elements("vae", "encoder.conv_in.weight"), decoder = 4 * elements("vae", "decoder.conv_in.weight");
            const std::int64_t text = 2 * elements("text_encoder", "text_model.encoder.layers.0.mlp.fc1.weight");
            const tests::LiveMemory memory;
            const auto none = [&] { return memory.blocks(encoder) + memory.blocks(decoder) + memory.blocks(text) == 0; };

            engine::ImageTask task(experiment, place);
            bool isRight = holds(memory.everBlocks(encoder) > 0 && memory.everBlocks(text) > 0, "images and prompts were encoded");
            isRight &= holds(none(), "and then the encoders left");
            engine::BufferPool pool(mesh.shard(), place.device);
            engine::UnitSequence units(task.units(), mesh.shard(), pool, engine::unitOptions(experiment, mesh, nullptr), {}, 7);
            task.begin(units);
            task.loadWeights();
            // defect-35: the weights are idle before the decoder comes.
            int idle = 0;
            whenIdle = [&] {
                ++idle;
                isRight &= holds(memory.blocks(decoder) == 0, "the weights are idle before the decoder comes");
                for (engine::Unit* const unit : units.parts())
                    isRight &= holds(unit->state() == engine::Unit::State::Sharded, "nothing is gathered");
            };
            const at::Tensor first = task.samples(engine::Weights::Master).at(0).images;
            whenIdle = [] {};
            isRight &= holds(idle == 1, "the weights were idle once");
            const std::int64_t drawn = memory.everBlocks(decoder);
            isRight &= holds(drawn > 0 && none(), "the decoder came for the samples and left");
            isRight &= holds(at::equal(task.samples(engine::Weights::Master).at(0).images, first), "it comes back and draws the same");
            return isRight & holds(memory.everBlocks(decoder) > drawn && none(), "and leaves again");
        };
        QCOMPARE(tests::runRanks({.world = 1, .shard = 1}, engine::Exchange::SharedMemory, body), std::vector<int> {0});
    }

    void theDecoderIsThereOnlyWhileARoundIsScored_E212()
    {
        const fs::path root = m_folder.path().toStdString();
        const auto body = [&](engine::Mesh& mesh) {
            contract::Experiment experiment = experimentIn(root / "images");
            experiment.set("algorithm.name", std::string("flow_grpo"));
            experiment.set("reward.functions", std::string("brightness"));
            experiment.set("rollout.prompts", std::int64_t {1});
            experiment.set("rollout.samples_per_prompt", std::int64_t {2});
            experiment.set("rollout.steps", std::int64_t {2});
            const engine::TaskContext place {mesh, c10::Device(c10::DeviceType::CPU), root / "run", root / "cache", [](const std::string&) {},
                [](const std::string&) {}};
            engine::ImageTask task(experiment, place);
            engine::BufferPool pool(mesh.shard(), place.device);
            engine::UnitSequence units(task.units(), mesh.shard(), pool, engine::unitOptions(experiment, mesh, nullptr), {}, 7);
            task.begin(units);
            task.loadWeights();
            const std::int64_t decoder = 4 * elements("vae", "decoder.conv_in.weight");
            const tests::LiveMemory memory;
            const bool isScored = holds(task.startRound(0).value().contains("critic/brightness/mean"), "samples were scored");
            return isScored & holds(memory.everBlocks(decoder) > 0 && memory.blocks(decoder) == 0, "the decoder came and left");
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
