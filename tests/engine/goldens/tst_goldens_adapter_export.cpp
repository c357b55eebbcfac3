// Adapters of checkpoints in every form of file, and added to the weights, against the files that the public libraries wrote.
#include "engine/contract/adapters/adapter_export.h"
#include "engine/contract/adapters/adapter_file.h"
#include "engine/contract/checkpoint/weights_export.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_checkpoint.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using contract::AdapterForm;
using contract::SafetensorsSet;
using tests::TransformerCase;
using Names = std::vector<std::string>;

namespace {

std::string bytesOf(const SafetensorsSet::Item& item)
{
    const auto view = item.file->view(*item.tensor);
    return {reinterpret_cast<const char*>(view.data()), view.size()};
}

/// Of numbers of four bytes.
std::string bytesIn(const SafetensorsSet& files, const contract::MatrixWindow& window)
{
    const auto& item = *files.find(window.name);
    const std::string all = bytesOf(item);
    std::string bytes;
    for (std::int64_t i = 0; i < window.rows; ++i) {
        const std::int64_t row = window.firstRow + (window.swapsHalves ? (i + window.rows / 2) % window.rows : i);
        bytes += all.substr(static_cast<std::size_t>(4 * (row * item.tensor->shape[1] + window.firstColumn)), static_cast<std::size_t>(4 * window.columns));
    }
    return bytes;
}

std::vector<float> floatsOf(const SafetensorsSet::Item& item)
{
    std::vector<float> values(item.tensor->elements());
    item.file->read(*item.tensor, 0, values.data(), item.tensor->bytes());
    return values;
}

constexpr char kFileOfForm[][64] = {"peft/adapter_model.safetensors", "diffusers_model/pytorch_lora_weights.safetensors", "diffusers_pipeline/pytorch_lora_weights.safetensors"};

}  // namespace

class AdapterExportTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path checkpoint() const { return fs::path(m_root.path().toStdString()) / "step-3"; }
    fs::path exported() const { return fs::path(m_root.path().toStdString()) / "exported"; }

    static void addCases(const std::string& row)
    {
        QTest::addColumn<QByteArray>("folder");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Adapter)))
            QTest::newRow((row + " " + folder.filename().string()).c_str()) << QByteArray(folder.c_str());
    }

private Q_SLOTS:
    void init()
    {
        fs::remove_all(checkpoint());
        fs::remove_all(exported());
        fs::create_directories(checkpoint());
        fs::create_directories(exported());
    }

    void everyFormIsWrittenAndRead_data() { addCases("E-105"); }
    void everyFormIsWrittenAndRead()
    {
        QFETCH(QByteArray, folder);
        const TransformerCase golden(folder.toStdString());
        tests::writeCheckpoint(golden, checkpoint());
        const contract::CheckpointWeights trained(checkpoint(), contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
        const SafetensorsSet matrices(golden.path / kFileOfForm[0]);
        for (const AdapterForm form : {AdapterForm::Peft, AdapterForm::DiffusersModel, AdapterForm::DiffusersPipeline, AdapterForm::Kohya}) {
            const std::string word(contract::formName(form));
            const fs::path to = exported() / word;
            fs::create_directories(to);
            contract::exportAdapter(adapter, golden.names, to, form, "");
            const auto read = contract::readAdapter(to, golden.modules);
            QVERIFY2(read.names.form == form, word.c_str());
            if (form != AdapterForm::Kohya) {
                const SafetensorsSet theirs(golden.path / kFileOfForm[static_cast<std::size_t>(form)]);
                QCOMPARE(read.files.items().size(), theirs.items().size());
                for (const auto& [name, item] : theirs.items())
                    QVERIFY2(read.files.find(name) && bytesOf(*read.files.find(name)) == bytesOf(item), name.c_str());
            }
            for (const auto& [tensor, window] : read.matrices)
                QVERIFY2(bytesIn(read.files, window) == bytesOf(*matrices.find(contract::adapterTensorName(AdapterForm::Peft, tensor))), window.name.c_str());
            Names modules;
            for (const auto& layer : read.layers) {
                modules.push_back(layer.module);
                const double scale = golden.json.at("adapter").at("scaling");
                if (form == AdapterForm::Kohya)  // whose alpha is scale · rank
                    QVERIFY(std::abs(layer.scale - scale) <= std::numeric_limits<double>::epsilon() * scale);
                else
                    QCOMPARE(layer.scale, scale);
                QCOMPARE(layer.rank, golden.json.at("adapter").at("r").get<std::int64_t>());
            }
            QVERIFY(modules == golden.json.at("adapter").at("matched_modules").get<Names>());
        }
        const auto config = contract::readAdapterConfig(contract::JsonConfig(exported() / "PEFT" / "adapter_config.json"));
        QVERIFY(config.targets.matching(golden.modules) == golden.json.at("adapter").at("matched_modules").get<Names>());
    }

    void theLibrariesFilesAreRead_data() { addCases("E-092"); }
    void theLibrariesFilesAreRead()
    {
        QFETCH(QByteArray, folder);
        const TransformerCase golden(folder.toStdString());
        for (const char* file : kFileOfForm) {
            const auto read = contract::readAdapter(golden.path / file, golden.modules);
            QCOMPARE(read.layers.size(), golden.json.at("adapter").at("matched_modules").size());
            for (const auto& layer : read.layers) {
                QCOMPARE(layer.scale, golden.json.at("adapter").at("scaling").get<double>());
                QCOMPARE(layer.rank, golden.json.at("adapter").at("r").get<std::int64_t>());
            }
        }
    }

    void mergedWeightsAreThoseOfTheLibraries_data() { addCases("E-130"); }
    void mergedWeightsAreThoseOfTheLibraries()
    {
        QFETCH(QByteArray, folder);
        const TransformerCase golden(folder.toStdString());
        tests::writeCheckpoint(golden, checkpoint());
        const contract::CheckpointWeights trained(checkpoint(), contract::ExportedWeights::Model);
        const contract::TrainedAdapter adapter(trained, "default", contract::adapterConfigOf(trained.manifest()));
        contract::exportComponent(golden.base, contract::withAdapter(golden.base, adapter, ""), exported(), {});
        const SafetensorsSet merged(exported());
        QVERIFY(fs::exists(exported() / "config.json"));
        QCOMPARE(merged.items().size(), golden.base.items().size());
        std::set<std::string> changed;
        for (const std::string& module : adapter.modules())
            changed.insert(module + ".weight");
        for (const auto& [name, item] : golden.base.items())
            QVERIFY2((bytesOf(*merged.find(name)) == bytesOf(item)) != changed.contains(name), name.c_str());
        const SafetensorsSet theirFile(golden.path / "merged.safetensors");
        for (const auto& [name, item] : theirFile.items()) {
            const auto ours = floatsOf(*merged.find(name)), theirs = floatsOf(item);
            for (std::size_t i = 0; i < ours.size(); ++i)
                QVERIFY2(std::abs(ours[i] - theirs[i]) <= 1e-6F + 1e-5F * std::abs(theirs[i]), name.c_str());
        }
    }

    void whatIsNotThereIsNamed_data() { addCases("E-105"); }
    void whatIsNotThereIsNamed()
    {
        QFETCH(QByteArray, folder);
        const TransformerCase golden(folder.toStdString());
        tests::writeCheckpoint(golden, checkpoint());
        const contract::CheckpointWeights trained(checkpoint(), contract::ExportedWeights::Model);
        const auto told = [](const auto& ask) {
            try {
                ask();
                return std::string();
            } catch (const std::runtime_error& error) {
                return std::string(error.what());
            }
        };
        const std::string none = told([&] { contract::TrainedAdapter(trained, "best", {}); });
        QVERIFY2(none.find("step-3: holds no adapter \"best\"") != std::string::npos, none.c_str());
        const std::string unsaid = told([] { contract::adapterConfigOf({}); });
        QVERIFY2(unsaid.find("lora.alpha") != std::string::npos, unsaid.c_str());
        const std::string empty = told([&] { contract::readAdapter(exported(), golden.modules); });
        QVERIFY2(empty.find("exported: holds no adapter (looked for") != std::string::npos, empty.c_str());
    }
};

QTEST_APPLESS_MAIN(AdapterExportTest)
#include "tst_goldens_adapter_export.moc"
