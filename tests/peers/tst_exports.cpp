// What Atelier exports, loaded by diffusers and PEFT, which compute with it what they compute with the golden cases' own files.
#include "engine/contract/adapters/adapter_export.h"
#include "engine/contract/checkpoint/weights_export.h"
#include "tests/engine/goldens/golden_checkpoint.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using contract::AdapterForm;
using tests::TransformerCase;
using Json = nlohmann::json;

class ExportsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    Json m_jobs = Json::array();

    fs::path root() const { return m_root.path().toStdString(); }
    static fs::path made(const fs::path& folder)
    {
        fs::create_directories(folder);
        return folder;
    }
    void addJob(const TransformerCase& golden, const char* kind, const fs::path& folder, const fs::path& reference = {})
    {
        m_jobs.push_back({{"reference", (reference.empty() ? golden.path / "peft" : reference).string()}, {"kind", kind}, {"class", golden.json.at("class")}, {"folder", folder.string()},
            {"base", fs::canonical(golden.baseFolder()).string()}, {"case", golden.path.string()}});
    }
    /// The case's model with nothing but zeros where it is trained: what is right in the export is the checkpoint's.
    static fs::path emptyBase(const TransformerCase& golden, const fs::path& folder)
    {
        std::vector<contract::SafetensorsTensor> tensors;
        for (const auto& [name, item] : golden.base.items())
            tensors.push_back(*item.tensor);
        contract::SafetensorsWriter writer(folder / "diffusion_pytorch_model.safetensors", tensors, {{"format", "pt"}});
        for (const auto& [name, item] : golden.base.items()) {
            std::vector<char> bytes(item.tensor->bytes(), 0);
            if (tests::isTable(name))
                item.file->read(*item.tensor, 0, bytes.data(), bytes.size());
            writer.write(bytes.data(), bytes.size());
        }
        writer.finish();
        fs::copy_file(golden.baseFolder() / "config.json", folder / "config.json");
        return folder;
    }
    void exportFull(const TransformerCase& golden, const fs::path& folder)
    {
        tests::writeCheckpoint(golden, made(folder / "checkpoint"));
        const contract::CheckpointWeights trained(folder / "checkpoint", contract::ExportedWeights::Model);
        const contract::SafetensorsSet base(emptyBase(golden, made(folder / "base")));
        contract::exportComponent(base, contract::withTrained(base, trained.tensors()), made(folder / "full"), {.maxFileBytes = 100'000});
        addJob(golden, "full", folder / "full");
    }
    void exportAdapters(const TransformerCase& golden, const fs::path& folder)
    {
        tests::writeCheckpoint(golden, made(folder / "checkpoint"));
        const contract::CheckpointWeights trained(folder / "checkpoint", contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
        contract::exportComponent(golden.base, contract::withAdapter(golden.base, adapter, ""), made(folder / "merged"), {});
        addJob(golden, "merged", folder / "merged");
        const auto add = [&](const char* kind, AdapterForm form) {
            contract::exportAdapter(adapter, golden.names, made(folder / kind), form, "");
            addJob(golden, kind, folder / kind);
        };
        add("peft", AdapterForm::Peft);
        add("diffusers_model", AdapterForm::DiffusersModel);
        add("diffusers_pipeline", AdapterForm::DiffusersPipeline);
        if (golden.json.at("class") == "QwenImageTransformer2DModel")
            add("kohya", AdapterForm::Kohya);  // diffusers reads these names for other models in their first authors' spelling only
    }
    /// A form is checked against PEFT's export of the same matrices, where no case has an adapter.
    void exportAdapterOfBlocks(const TransformerCase& golden, const char* kind, AdapterForm form, bool (*isMeant)(const std::string&), const fs::path& folder)
    {
        std::vector<std::string> modules;
        std::ranges::copy_if(golden.modules, std::back_inserter(modules), isMeant);
        tests::writeAdapterCheckpoint(golden, modules, made(folder / "matrices"));
        const contract::CheckpointWeights trained(folder / "matrices", contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
        contract::exportAdapter(adapter, golden.names, made(folder / "peft"), AdapterForm::Peft, "");
        contract::exportAdapter(adapter, golden.names, made(folder / kind), form, "");
        addJob(golden, kind, folder / kind, folder / "peft");
    }

private Q_SLOTS:
    void diffusersAndPeftComputeTheSame_E105_E130_E132_E134()
    {
        auto folders = tests::modelCases(tests::CaseKind::Transformer);
        std::ranges::copy(tests::modelCases(tests::CaseKind::Adapter), std::back_inserter(folders));
        for (const fs::path& folder : folders) {
            const TransformerCase golden(folder);
            if (golden.json.at("class") == "DiTTransformer2DModel")
                continue;  // diffusers' pipeline of it loads no adapters
            if (golden.hasAdapter())
                exportAdapters(golden, root() / folder.filename());
            else
                exportFull(golden, root() / folder.filename());
            if (golden.json.at("class") == "WanTransformer3DModel") {
                for (const auto& [kind, form] : {std::pair("kohya", AdapterForm::Kohya), std::pair("second", AdapterForm::DiffusersPipeline)})
                    exportAdapterOfBlocks(golden, kind, form, [](const std::string& module) { return module.starts_with("blocks."); }, root() / folder.filename());
            }
            // diffusers takes Flux's fused single layers for those of the published model's width alone.
            if (golden.json.at("class") == "FluxTransformer2DModel")
                exportAdapterOfBlocks(golden, "fused", AdapterForm::Kohya, [](const std::string& module) { return module.starts_with("transformer_blocks.") || module.ends_with(".proj_out"); }, root() / folder.filename());
        }
        QVERIFY(m_jobs.size() >= folders.size());
        std::ofstream(root() / "jobs.json") << m_jobs;

        int exitCode = 0;
        const QString python = QString::fromUtf8(tests::outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {}, &exitCode)).trimmed();
        QCOMPARE(exitCode, 0);
        const QByteArray told = tests::outputOf(python, {ATELIER_SOURCE_DIR "/tests/peers/load_exports.py", QString::fromStdString((root() / "jobs.json").string())}, &exitCode);
        QVERIFY2(exitCode == 0, told);
        QCOMPARE(told.count(" is the same\n"), static_cast<qsizetype>(m_jobs.size()));
    }
};

QTEST_GUILESS_MAIN(ExportsTest)
#include "tst_exports.moc"
