// The files of tests/goldens/models, written by the public Python libraries, as this project reads them.
#include "engine/contract/adapter_config.h"
#include "engine/contract/adapter_names.h"
#include "engine/contract/model_folder.h"
#include "engine/contract/safetensors_set.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using contract::SafetensorsSet;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

namespace {

/// Folders of the cases, in order.
std::vector<fs::path> caseFolders()
{
    const char* elsewhere = std::getenv("ATELIER_GOLDENS");
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator((elsewhere ? fs::path(elsewhere) : fs::path(ATELIER_SOURCE_DIR "/tests/goldens")) / "models")) {
        if (fs::exists(entry.path() / "case.json"))
            folders.push_back(entry.path());
    }
    std::ranges::sort(folders);
    return folders;
}

Json caseOf(const fs::path& folder) { return Json::parse(std::ifstream(folder / "case.json")); }

/// "float32" of a safetensors dtype.
std::string numpyName(const std::string& dtype)
{
    static const std::map<std::string, std::string> names = {{"F32", "float32"}, {"F64", "float64"}, {"BF16", "bfloat16"}, {"F16", "float16"}, {"I64", "int64"}, {"I32", "int32"}, {"U8", "uint8"}, {"BOOL", "bool"}};
    return names.at(dtype);
}

Names namesOf(const SafetensorsSet& set)
{
    Names names;
    for (const auto& [name, item] : set.items())
        names.push_back(name);
    return names;
}

/// Paths of the layers that have a matrix for a weight: at least the linear ones.
Names modulesWithMatrices(const SafetensorsSet& model)
{
    Names modules;
    for (const auto& [name, item] : model.items()) {
        if (name.ends_with(".weight") && item.tensor->shape.size() == 2)
            modules.push_back(name.substr(0, name.size() - 7));
    }
    return modules;
}

}  // namespace

class ModelFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tensorsAreThoseOfTheCase_data()
    {
        QTest::addColumn<QByteArray>("folder");
        for (const fs::path& folder : caseFolders())
            QTest::newRow(folder.filename().c_str()) << QByteArray(folder.c_str());
    }
    void tensorsAreThoseOfTheCase()
    {
        QFETCH(QByteArray, folder);
        const fs::path path(folder.toStdString());
        const Json json = caseOf(path);
        for (const char* part : {"inputs", "expected", "intermediates"}) {
            const fs::path file = path / (std::string(part) + ".safetensors");
            if (!fs::exists(file))
                continue;
            const SafetensorsSet set(file);
            Json found = Json::object();
            for (const auto& [name, item] : set.items())
                found[name] = {{"dtype", numpyName(item.tensor->dtype)}, {"shape", item.tensor->shape}};
            QVERIFY2(found == json.at(part), (std::string(part) + " are " + found.dump()).c_str());
        }
    }

    void modelsAreOfTheirClass_data()
    {
        QTest::addColumn<QByteArray>("folder");
        for (const fs::path& folder : caseFolders()) {
            if (!fs::exists(folder / "tokenizer"))  // which is no model
                QTest::newRow(folder.filename().c_str()) << QByteArray(folder.c_str());
        }
    }
    void modelsAreOfTheirClass()
    {
        QFETCH(QByteArray, folder);
        const fs::path path(folder.toStdString());
        const Json json = caseOf(path);
        const fs::path model = path / json.value("model", "pipeline");
        const contract::ModelFolder opened(model);
        QVERIFY2(opened.className() == json.at("class").get<std::string>(), opened.className().c_str());
        for (const auto& [name, component] : opened.components()) {
            if (name.starts_with("tokenizer") || name == "scheduler")
                continue;
            QVERIFY(contract::classNameOf(opened.config(name)) == component.className);
            const SafetensorsSet weights(opened.component(name));
            QVERIFY(!weights.items().empty());
            if (json.contains("weights_dtype"))
                QVERIFY(std::ranges::all_of(weights.items(), [&](const auto& item) { return numpyName(item.second.tensor->dtype) == json.at("weights_dtype").get<std::string>(); }));
        }
    }

    void adaptersAreTheSameInEveryForm_data()
    {
        QTest::addColumn<QByteArray>("folder");
        for (const fs::path& folder : caseFolders()) {
            if (caseOf(folder).contains("adapter"))
                QTest::newRow(("E-091, E-105 " + folder.filename().string()).c_str()) << QByteArray(folder.c_str());
        }
    }
    void adaptersAreTheSameInEveryForm()
    {
        QFETCH(QByteArray, folder);
        const fs::path path(folder.toStdString());
        const Json json = caseOf(path);
        const Json& adapter = json.at("adapter");
        const SafetensorsSet model(path / json.at("model").get<std::string>());
        const Names modules = modulesWithMatrices(model);
        const auto matched = adapter.at("matched_modules").get<Names>();
        const auto targets = adapter.at("target_modules").is_string() ? contract::AdapterTargets::ofText(adapter.at("target_modules").get<std::string>())
                                                                      : contract::AdapterTargets::ofList(adapter.at("target_modules").get<Names>());
        QVERIFY(contract::matchedModules(modules, targets, {}) == matched);

        using contract::AdapterForm;
        for (const auto& [file, form] : std::map<std::string, AdapterForm> {{"peft/adapter_model.safetensors", AdapterForm::Peft},
                 {"diffusers_model/pytorch_lora_weights.safetensors", AdapterForm::DiffusersModel},
                 {"diffusers_pipeline/pytorch_lora_weights.safetensors", AdapterForm::DiffusersPipeline}}) {
            const contract::SafetensorsFile opened(path / file);
            const auto names = contract::readAdapterNames(namesOf(SafetensorsSet(path / file)), modules);
            QVERIFY2(names.form == form, file.c_str());
            std::set<std::string> adapted;
            for (const auto& [tensor, name] : names.tensors) {
                adapted.insert(tensor.module);
                QVERIFY(contract::adapterTensorName(form, tensor) == name);
            }
            QVERIFY(Names(adapted.begin(), adapted.end()) == matched);

            const auto config = form == AdapterForm::Peft ? contract::readAdapterConfig(contract::JsonConfig(path / "peft" / "adapter_config.json"))
                                                          : contract::adapterConfigIn(opened.metadata(), opened.path()).value();
            QCOMPARE(config.rank, adapter.at("r").get<std::int64_t>());
            QCOMPARE(config.scale(matched.front()), adapter.at("scaling").get<double>());
            QVERIFY(config.targets.among(modules) == matched);
        }
    }
};

QTEST_APPLESS_MAIN(ModelFilesTest)
#include "tst_goldens_model_files.moc"
