// Qwen-Image-Edit's transformer, which begins from images: Atelier's and diffusers' predictions and gradients (row E-014).
#include <ATen/ATen.h>

#include "engine/contract/formats/safetensors.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/goldens/golden_transformer.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"
#include "tests/support/tiny_pipelines.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

at::Tensor wavy(at::IntArrayRef shape, double step)
{
    return at::arange(1, c10::multiply_integers(shape) + 1, at::kDouble).mul(step).sin().to(at::kFloat).view(shape);
}

engine::ModelInput inputOf()
{
    engine::ModelInput input;
    input.latents = wavy({2, 4, 6, 10}, 0.7);
    input.sigmas = at::full({2}, 0.6);
    input.prompt = wavy({2, 5, 24}, 0.3);
    input.references = {wavy({2, 4, 4, 8}, 1.1), wavy({2, 4, 14, 4}, 1.3)};
    return input;
}

const at::Tensor& probe()
{
    static const at::Tensor values = wavy({2, 4, 6, 10}, 0.9);
    return values;
}

void writeTensors(const fs::path& file, const std::map<std::string, at::Tensor>& tensors)
{
    std::vector<contract::SafetensorsTensor> header;
    for (const auto& [name, tensor] : tensors)
        header.push_back({name, "F32", tensor.sizes().vec()});
    contract::SafetensorsWriter writer(file, header, {});
    for (const auto& [name, tensor] : tensors)
        writer.write(tensor.const_data_ptr<float>(), tensor.nbytes());
    writer.finish();
}

/// What is not as diffusers has it, on standard error.
bool isAsTheirs(const fs::path& folder, engine::Mesh& mesh, const std::map<std::string, at::Tensor>& theirs)
{
    tests::GoldenTransformer transformer(folder, mesh.shard(), {});
    bool isRight = true;
    const auto compare = [&](const std::string& name, const at::Tensor& ours, double tolerance) {
        const double spread = theirs.at(name).abs().max().item<double>();
        const double difference = (ours - theirs.at(name)).abs().max().item<double>();
        if (difference <= tolerance * spread)
            return;
        std::fprintf(stderr, "%s: %s is off by %g of %g\n", folder.c_str(), name.c_str(), difference, spread);
        isRight = false;
    };
    {
        engine::Tape tape(transformer.units(), engine::Tape::Mode::Train);
        const engine::Var output = transformer.model().forward(tape, inputOf());
        compare("prediction", output->data, 1e-4);
        tape.backward(output, probe() / static_cast<double>(probe().numel()));
    }
    std::size_t compared = 1;
    for (const std::string& name : transformer.trained()) {
        if (!theirs.contains(name))
            continue;  // the last block's prompt leads nowhere
        compare(name, transformer.gradient(name), 1e-3);
        ++compared;
    }
    return isRight && compared == theirs.size();
}

}  // namespace

class PeerEditsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void diffusersPredictsTheSame()
    {
        int exitCode = 0;
        const QString python = QString::fromUtf8(tests::outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {}, &exitCode)).trimmed();
        QCOMPARE(exitCode, 0);
        const fs::path root = m_folder.path().toStdString();
        const engine::ModelInput input = inputOf();
        writeTensors(root / "inputs.safetensors", {{"latents", input.latents}, {"references.0", input.references[0]}, {"references.1", input.references[1]},
            {"times", input.sigmas}, {"prompt", input.prompt}, {"probe", probe()}});
        Json jobs = Json::array();
        const std::vector<fs::path> folders = {tests::makeEditTransformer(root, false), tests::makeEditTransformer(root, true)};
        for (const fs::path& folder : folders)
            jobs.push_back({{"folder", folder.string()}, {"inputs", (root / "inputs.safetensors").string()}, {"outputs", folder.string() + ".safetensors"}});
        std::ofstream(root / "jobs.json") << jobs;
        const QByteArray told = tests::outputOf(python, {ATELIER_SOURCE_DIR "/tests/peers/predict_edits.py", QString::fromStdString((root / "jobs.json").string())}, &exitCode);
        QVERIFY2(exitCode == 0, told);
        for (const fs::path& folder : folders) {
            const auto theirs = tests::tensorsOf(folder.string() + ".safetensors");
            QVERIFY(theirs.size() > 50);
            QCOMPARE(tests::runRanks({.world = 1, .shard = 1}, engine::Exchange::SharedMemory,
                         [&](engine::Mesh& mesh) { return isAsTheirs(folder, mesh, theirs); }),
                std::vector<int> {0});
        }
    }
};

QTEST_GUILESS_MAIN(PeerEditsTest)
#include "tst_edits.moc"
