// Adapters beside a real model's linears, from files of any form, compute what PEFT's do: on, off, in part and merged.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/contract/adapters/adapter_export.h"
#include "engine/contract/checkpoint/weights_export.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_checkpoint.h"
#include "tests/engine/goldens/golden_transformer.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstdio>

using engine::Tape;
using tests::GoldenTransformer;
using tests::ModelCase;

namespace {

namespace fs = std::filesystem;

/// The case's model with its adapter in its weights, as this project exports them.
void exportMerged(const fs::path& golden, const fs::path& checkpoint, const fs::path& folder)
{
    const tests::TransformerCase files(golden);
    tests::writeCheckpoint(files, checkpoint);
    const contract::CheckpointWeights trained(checkpoint, contract::ExportedWeights::Model);
    const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
    contract::exportComponent(files.base, contract::withAdapter(files.base, adapter, ""), folder, {});
}

/// @param merged folder of the model with its adapter in its weights
std::vector<std::string> problemsOf(
    ModelCase& golden, const fs::path& merged, engine::Mesh& mesh, const std::string& file, bool recomputes)
{
    std::vector<std::string> problems;
    const auto check = [&](const std::string& name, const at::Tensor& actual) {
        if (const std::string problem = golden.check(name, actual); !problem.empty())
            problems.push_back(problem);
    };
    const auto adapter = tests::readGoldenAdapter(golden.modelFolder(), golden.folder() / file, golden.json().at("adapter"));
    engine::ModelInput input = tests::modelInputOf(golden);
    const auto output = [&](GoldenTransformer& transformer) { return tests::squaresOf(golden, engine::predict(transformer.model(), transformer.units(), input)); };
    const auto recompute = *contract::UnitSelection::parse(recomputes ? "all" : "none");
    {
        GoldenTransformer transformer(merged, mesh.shard(), {});
        check("output_merged", output(transformer));
    }
    GoldenTransformer transformer(golden.modelFolder(), mesh.shard(), {.sequence = {.recompute = recompute, .recomputesLayers = recomputes}, .adapter = adapter});
    {
        const engine::Adapters::Scope off(transformer.adapters(), std::nullopt);
        check("output_disabled", output(transformer));
    }
    transformer.adapters().setWeight(0.5);
    check("output_adapter_weight_0.5", output(transformer));
    transformer.adapters().setWeight(1);

    engine::InputValues values;
    input.values = &values;
    {
        Tape tape(transformer.units(), Tape::Mode::Train);
        const engine::Var out = transformer.model().forward(tape, input);
        const at::Tensor& probe = golden.input("probe");
        const at::Tensor predicted = tests::squaresOf(golden, out->data);
        check("output", predicted);
        check("loss", (predicted * probe).mean().view({1}));
        tape.backward(out, tests::imageOf(golden, probe / static_cast<double>(probe.numel())));
        check("grad_input.hidden_states", tests::squaresOf(golden, tape.gradOf(values.latents)));
    }
    for (const std::string& name : transformer.trained())
        check("grad." + name, transformer.gradient(name) / mesh.data().size());
    for (const std::string& name : golden.unchecked())
        problems.push_back("nothing computes " + name);
    return problems;
}

}  // namespace

class ModelAdaptersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computeWhatPeftComputes_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("recomputes");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Adapter))) {
            const auto row = [&](const char* what, const char* file, int ranks, bool recomputes) {
                QTest::addRow("E-090 %s, %s", folder.filename().c_str(), what)
                    << QString::fromStdString(folder.string()) << QString::fromUtf8(file) << ranks << recomputes;
            };
            row("PEFT's file", "peft/adapter_model.safetensors", 1, false);
            row("diffusers' file of a model", "diffusers_model/pytorch_lora_weights.safetensors", 1, false);
            row("diffusers' file of a pipeline", "diffusers_pipeline/pytorch_lora_weights.safetensors", 1, false);
            row("2 ranks", "peft/adapter_model.safetensors", 2, false);
            row("4 ranks", "peft/adapter_model.safetensors", 4, false);
            row("2 ranks, E-009 blocks recomputed", "peft/adapter_model.safetensors", 2, true);
        }
    }
    void computeWhatPeftComputes()
    {
        QFETCH(QString, folder);
        QFETCH(QString, file);
        QFETCH(int, ranks);
        QFETCH(bool, recomputes);
        const QTemporaryDir root;
        const fs::path checkpoint = root.filePath("checkpoint").toStdString(), merged = root.filePath("merged").toStdString();
        fs::create_directories(checkpoint);
        fs::create_directories(merged);
        exportMerged(folder.toStdString(), checkpoint, merged);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            ModelCase golden(folder.toStdString());
            const auto problems = problemsOf(golden, merged, mesh, file.toStdString(), recomputes);
            for (const std::string& problem : problems)
                std::fprintf(stderr, "%s\n", problem.c_str());
            return problems.empty();
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }
};

QTEST_APPLESS_MAIN(ModelAdaptersTest)
#include "tst_model_adapters.moc"
