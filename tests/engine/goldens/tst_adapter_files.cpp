// A model's folder and adapters of every form of file in the shards of several ranks.
#include <ATen/ATen.h>

#include "engine/comm/errors.h"
#include "engine/lora/adapter_source.h"
#include "engine/models/registry.h"
#include "engine/weights/weights_loader.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/model_case.h"

#include <QtTest>

#include <cstdio>
#include <set>

namespace fs = std::filesystem;
using engine::Mesh;
using tests::ModelCase;

namespace {

/// The first parameter that is not what @p values has for it, whole; empty when there is none. Collective.
std::string difference(engine::UnitSequence& units, const std::map<std::string, at::Tensor>& values)
{
    std::string first;
    for (engine::Unit* unit : units.parts()) {
        unit->startGather(engine::Weights::Master);
        unit->finishGather();
        for (std::size_t p = 0; p < unit->spec().parameters.size(); ++p) {
            const std::string& name = unit->spec().parameters[p].name;
            if (first.empty() && !at::equal(unit->ownParameter(p).value, values.at(name)))
                first = name + " is not what the file has";
        }
        unit->reshard();
    }
    return first;
}

/// What is wrong with the model and an adapter that were loaded from files. Collective.
std::string problemOf(const ModelCase& golden, const fs::path& file, Mesh& mesh)
{
    const auto model = engine::buildTransformer(contract::JsonConfig(golden.modelFolder() / "config.json"));
    auto specs = model->units();
    const contract::AdapterFile adapter = contract::readAdapter(file, engine::linearModules(specs));
    engine::declareAdapters(specs, engine::adapterLayers(adapter), {"default", "old"});
    engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
    engine::UnitSequence units(std::move(specs), mesh.shard(), pool, {}, {}, 0);

    std::set<std::string> buffers;
    for (const engine::ModelBuffer& buffer : model->buffers())
        buffers.insert(buffer.name);
    const engine::WeightsSource base(
        contract::SafetensorsSet(golden.modelFolder()), [&](const std::string& name) { return buffers.contains(name) ? std::string() : name; });
    std::map<std::string, at::Tensor> expected;
    for (const std::string& name : base.names())
        expected[name] = base.view(name);
    engine::loadWeights(units, mesh, base, true, [](const std::string& name) { return !engine::isOfAdapter(name); });

    // "old" keeps what it was drawn with until it is loaded.
    const engine::WeightsSource first = engine::adapterSource(adapter, "default");
    engine::loadWeights(units, mesh, first, true, [](const std::string& name) { return engine::isOfAdapter(name, "default"); });
    for (const std::string& name : first.names()) {
        expected[name] = first.view(name);
        expected[name.substr(0, name.size() - 14) + "old.weight"] = first.view(name);
    }
    if (difference(units, expected).find(".lora_A.old.weight is not") == std::string::npos)
        return "another adapter has the values of the one that was loaded";
    engine::loadWeights(units, mesh, engine::adapterSource(adapter, "old"), true, [](const std::string& name) { return engine::isOfAdapter(name, "old"); });
    return difference(units, expected);
}

}  // namespace

class AdapterFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRankHasItsShardsOfTheFiles_data()
    {
        QTest::addColumn<QByteArray>("folder");
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("shard");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Adapter))) {
            for (const char* file : {"peft", "diffusers_model", "diffusers_pipeline"})
                for (const auto& [world, shard] : {std::pair(1, 1), std::pair(2, 2), std::pair(3, 3), std::pair(2, 1)})
                    QTest::addRow("E-092 %s %s on %d ranks, shards of %d", folder.filename().c_str(), file, world, shard)
                        << QByteArray(folder.c_str()) << QByteArray(file) << world << shard;
        }
    }
    void everyRankHasItsShardsOfTheFiles()
    {
        QFETCH(QByteArray, folder);
        QFETCH(QByteArray, file);
        QFETCH(int, world);
        QFETCH(int, shard);
        const ModelCase golden(folder.toStdString());
        const auto codes = tests::runRanks({.world = world, .shard = shard}, engine::Exchange::Automatic, [&](Mesh& mesh) {
            const std::string problem = problemOf(golden, golden.folder() / file.toStdString(), mesh);
            mesh.world().barrier("at the end");
            if (!problem.empty())
                std::fprintf(stderr, "rank %d: %s\n", mesh.world().rank(), problem.c_str());
            return problem.empty();
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(world), 0));
    }
};

QTEST_APPLESS_MAIN(AdapterFilesTest)
#include "tst_adapter_files.moc"
