// Adapters that a reward has trained: exported, diffusers loads them into its own pipelines and draws what Atelier draws.
#include "tests/app/atelier_program.h"
#include "tests/engine/goldens/model_case.h"
#include "tests/paths.h"
#include "tests/peers/drawings.h"

#include <QTemporaryDir>
#include <QtTest>

namespace fs = std::filesystem;
using tests::AtelierProgram;
using tests::Drawing;

class PeerRewardAdaptersTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path root() const { return m_folder.path().toStdString(); }

    /// Trains an adapter for brighter images and exports it. @return what to draw with it
    static Drawing trained(AtelierProgram& atelier, const std::string& name, const char* golden, const QStringList& settings, const fs::path& root)
    {
        const fs::path model = fs::path(ATELIER_SOURCE_DIR "/tests/goldens/models") / golden / "pipeline";
        QStringList arguments = {"run", atelier.writeFile("experiment.toml", "[run]\nname = \"" + QByteArray::fromStdString(name) + "\"\n")};
        for (const char* setting : {"model.name=diffusers", "data.resolution=32", "run.device=cpu", "rollout.prompts=3", "rollout.samples_per_prompt=8",
                 "rollout.steps=4", "batch.micro=4", "reward.functions=brightness", "lora.rank=4", "optim.lr=5e-3", "sample.every=0", "run.total_steps=6",
                 "run.threads=1"})
            arguments << "--set" << setting;
        arguments << "--set" << QString::fromStdString("model.folder=" + model.string()) << "--set"
                  << "rollout.prompt_file=" + atelier.writeFile("prompts.txt", "a red heart\nghost\na green apple\n");
        for (const QString& setting : settings)
            arguments << "--set" << setting;
        const QString run = QString::fromStdString(name);
        const fs::path adapter = root / (name + "-adapter"), transformer = root / (name + "-transformer"), pipeline = root / (name + "-merged");
        const auto exported = [&](const char* format, const fs::path& to) {
            return atelier.runWell({"checkpoints", "export", run, "--format", format, "--model", QString::fromStdString(model.string()), "--to",
                QString::fromStdString(to.string())}).exitCode == 0;
        };
        if (atelier.runWell(arguments).exitCode != 0 || !exported("diffusers", adapter) || !exported("merged", transformer))
            qFatal("no adapter");
        fs::copy(model, pipeline, fs::copy_options::recursive);
        fs::remove_all(pipeline / "transformer");
        fs::copy(transformer, pipeline / "transformer", fs::copy_options::recursive);
        return {name, pipeline, 48, 64, 1, 3.0, model, adapter};
    }

private Q_SLOTS:
    /// Issue's "loads in diffusers and draws the same", and without the adapter it does not.
    void diffusersDrawsTheSameWithTheAdapter()
    {
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        std::vector<Drawing> drawings;
        for (const auto& [prefix, golden] : {std::pair("sd3", "pipeline_sd3"), std::pair("qwen-image", "pipeline_qwen_image")}) {
            drawings.push_back(trained(atelier, std::string(prefix) + "-grpo", golden, {"algorithm.name=flow_grpo", "launch.ranks=1"}, root()));
            drawings.push_back(trained(atelier, std::string(prefix) + "-nft", golden, {"algorithm.name=diffusion_nft", "launch.ranks=2"}, root()));
        }
        const QString python = tests::peersPython();
        tests::drawTwice(drawings, python, root());
        if (QTest::currentTestFailed())
            return;
        tests::compareDrawings(drawings, root());

        std::vector<Drawing> untrained = drawings;
        for (Drawing& drawing : untrained) {
            drawing.name += "-untrained";
            drawing.folder = drawing.peerFolder;
            drawing.peerAdapter.clear();
        }
        tests::drawTwice(untrained, python, root());
        for (std::size_t i = 0; i < drawings.size(); ++i) {
            const auto images = [&](const Drawing& drawing) { return tests::tensorsOf(root() / (drawing.name + "-theirs.safetensors")).at("images"); };
            const double gain = (images(drawings[i]) - images(untrained[i])).mean().item<double>();
            QVERIFY2(gain > 0.005, qPrintable(QString("%1 is brighter by %2 only").arg(drawings[i].name.c_str()).arg(gain)));
        }
    }
};

QTEST_GUILESS_MAIN(PeerRewardAdaptersTest)
#include "tst_reward_adapters.moc"
