// The files of tests/goldens/models, written by the public Python libraries, as this project reads them.
#include "engine/contract/adapters/adapter_config.h"
#include "engine/contract/adapters/adapter_names.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/contract/formats/safetensors_set.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_folders.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using contract::SafetensorsSet;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

namespace {

/// Folders with a case.json; everyCaseHasItsTest() speaks of the others.
std::vector<fs::path> caseFolders()
{
    auto folders = tests::modelFolders();
    std::erase_if(folders, [](const fs::path& folder) { return !fs::exists(folder / "case.json"); });
    return folders;
}

void addFolders(const std::vector<fs::path>& folders, const std::string& row = {})
{
    QTest::addColumn<QByteArray>("folder");
    for (const fs::path& folder : tests::rowsOf(folders))
        QTest::newRow((row + folder.filename().string()).c_str()) << QByteArray(folder.c_str());
}

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
    void everyCaseHasItsTest_data() { addFolders(tests::modelFolders()); }
    void everyCaseHasItsTest()
    {
        QFETCH(QByteArray, folder);
        const fs::path path(folder.toStdString());
        QVERIFY2(fs::exists(path / "case.json"), (path.filename().string() + " has no case.json").c_str());
        const Json json = tests::caseJson(path);
        const std::string className = json.value("class", "nameless class");
        QVERIFY2(tests::caseKind(json), (path.filename().string() + ": no test knows cases of a " + className).c_str());
    }

    void noTestKnowsOtherClasses()
    {
        using tests::caseKind;
        QVERIFY(caseKind({{"model", "model"}, {"class", "WanTransformer3DModel"}}) == tests::CaseKind::Transformer);
        QVERIFY(!caseKind({{"model", "model"}, {"class", "PixArtTransformer2DModel"}}));
        QVERIFY(!caseKind({{"model", "model"}, {"class", "AutoencoderKL"}, {"adapter", Json::object()}}));
        QVERIFY(!caseKind({{"model", "model"}, {"class", "WanTransformer3DModel"}, {"steps", 10}}));
        QVERIFY(!caseKind({{"class", "WanTransformer3DModel"}}));
        QVERIFY(!caseKind({{"model", "model"}}));
    }

    void tensorsAreThoseOfTheCase_data() { addFolders(caseFolders()); }
    void tensorsAreThoseOfTheCase()
    {
        QFETCH(QByteArray, folder);
        const fs::path path(folder.toStdString());
        const Json json = tests::caseJson(path);
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
        auto folders = caseFolders();
        const auto isTokenizer = [](const fs::path& folder) { return tests::caseKind(tests::caseJson(folder)) == tests::CaseKind::Tokenizer; };
        std::erase_if(folders, isTokenizer);  // which is no model
        addFolders(folders);
    }
    void modelsAreOfTheirClass()
    {
        QFETCH(QByteArray, folder);
        const fs::path path(folder.toStdString());
        const Json json = tests::caseJson(path);
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

    void adaptersAreTheSameInEveryForm_data() { addFolders(tests::modelCases(tests::CaseKind::Adapter), "E-091, E-105 "); }
    void adaptersAreTheSameInEveryForm()
    {
        QFETCH(QByteArray, folder);
        const fs::path path(folder.toStdString());
        const Json json = tests::caseJson(path);
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
            QVERIFY(config.targets.matching(modules) == matched);
        }
    }
};

QTEST_APPLESS_MAIN(ModelFilesTest)
#include "tst_goldens_model_files.moc"
