// Names of adapter tensors in the four file forms (row E-105).
#include "engine/contract/adapters/adapter_names.h"

#include <QtTest>

#include <map>
#include <string>
#include <vector>

using contract::AdapterForm;
using contract::AdapterNames;
using contract::AdapterPart;
using contract::AdapterTensor;
using Names = std::vector<std::string>;

namespace {

const Names kModules = {"context_embedder", "transformer_blocks.0.attn.to_q", "transformer_blocks.0.attn.to_out.0", "transformer_blocks.0.ff.net.2"};

std::string refusal(const Names& names, const Names& modules = kModules)
{
    try {
        contract::readAdapterNames(names, modules);
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

}  // namespace

class AdapterNamesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesOfAForm_data()
    {
        QTest::addColumn<AdapterForm>("form");
        QTest::addColumn<QByteArray>("down");
        QTest::addColumn<QByteArray>("up");
        QTest::addColumn<QByteArray>("alpha");
        const auto row = [](const char* name, AdapterForm form, const char* start, const char* down, const char* up) {
            QTest::newRow(name) << form << start + QByteArray(down) << start + QByteArray(up) << start + QByteArray(".alpha");
        };
        row("E-105 PEFT", AdapterForm::Peft, "base_model.model.transformer_blocks.0.attn.to_out.0", ".lora_A.weight", ".lora_B.weight");
        row("diffusers, a model", AdapterForm::DiffusersModel, "transformer_blocks.0.attn.to_out.0", ".lora_A.weight", ".lora_B.weight");
        row("diffusers, a pipeline", AdapterForm::DiffusersPipeline, "transformer.transformer_blocks.0.attn.to_out.0", ".lora_A.weight", ".lora_B.weight");
        row("Kohya", AdapterForm::Kohya, "lora_unet_transformer_blocks_0_attn_to_out_0", ".lora_down.weight", ".lora_up.weight");
    }
    void namesOfAForm()
    {
        QFETCH(AdapterForm, form);
        QFETCH(QByteArray, down);
        QFETCH(QByteArray, up);
        QFETCH(QByteArray, alpha);
        const std::string module = "transformer_blocks.0.attn.to_out.0";
        QVERIFY(contract::adapterTensorName(form, {module, AdapterPart::A}) == down.toStdString());
        QVERIFY(contract::adapterTensorName(form, {module, AdapterPart::B}) == up.toStdString());
        QVERIFY(contract::adapterTensorName(form, {module, AdapterPart::Alpha}) == alpha.toStdString());
        const AdapterNames read = contract::readAdapterNames({down.toStdString(), up.toStdString(), alpha.toStdString()}, kModules);
        QVERIFY(read.form == form && read.others.empty());
        QVERIFY((read.tensors == std::map<AdapterTensor, std::string> {{{module, AdapterPart::A}, down.toStdString()},
                     {{module, AdapterPart::B}, up.toStdString()}, {{module, AdapterPart::Alpha}, alpha.toStdString()}}));
    }

    void otherSpellingsAreTaken_data()
    {
        QTest::addColumn<QByteArray>("start");
        QTest::addColumn<QByteArray>("down");
        QTest::addColumn<QByteArray>("up");
        const auto row = [](const char* name, const char* start, const char* down, const char* up) { QTest::newRow(name) << QByteArray(start) << QByteArray(down) << QByteArray(up); };
        row("E-105 with the adapter's name", "base_model.model.transformer_blocks.0.attn.to_q", ".lora_A.default.weight", ".lora_B.default.weight");
        row("E-105 with wrappers", "base_model.model._fsdp_wrapped_module.transformer_blocks.0._fsdp_wrapped_module.attn.to_q", ".lora_A.weight", ".lora_B.weight");
        row("lora_transformer_", "lora_transformer_transformer_blocks_0_attn_to_q", ".lora_down.weight", ".lora_up.weight");
        row("dots kept", "diffusion_model.transformer_blocks.0.attn.to_q", ".lora_A.weight", ".lora_B.weight");
        row("down and up of a pipeline", "transformer.transformer_blocks.0.attn.to_q", ".lora_down.weight", ".lora_up.weight");
    }
    void otherSpellingsAreTaken()
    {
        QFETCH(QByteArray, start);
        QFETCH(QByteArray, down);
        QFETCH(QByteArray, up);
        const AdapterNames read = contract::readAdapterNames({(start + up).toStdString(), (start + down).toStdString(), "lora_te1_text_model_encoder.lora_up.weight", "text_encoder.x.lora_A.weight"}, kModules);
        QCOMPARE(read.tensors.size(), 2U);
        QVERIFY(read.tensors.at({"transformer_blocks.0.attn.to_q", AdapterPart::A}) == (start + down).toStdString());
        QVERIFY(read.tensors.at({"transformer_blocks.0.attn.to_q", AdapterPart::B}) == (start + up).toStdString());
        QCOMPARE(read.others.size(), 2U);
    }

    void modulesHaveTheirAuthorsNames_data()
    {
        QTest::addColumn<QByteArray>("module");
        QTest::addColumn<QByteArray>("original");
        QTest::newRow("self-attention") << QByteArray("blocks.3.attn1.to_q") << QByteArray("blocks_3_self_attn_q");
        QTest::newRow("self-attention's output") << QByteArray("blocks.3.attn1.to_out.0") << QByteArray("blocks_3_self_attn_o");
        QTest::newRow("attention to the text") << QByteArray("blocks.0.attn2.to_v") << QByteArray("blocks_0_cross_attn_v");
        QTest::newRow("attention to an image") << QByteArray("blocks.0.attn2.add_k_proj") << QByteArray("blocks_0_cross_attn_k_img");
        QTest::newRow("first of the MLP") << QByteArray("blocks.12.ffn.net.0.proj") << QByteArray("blocks_12_ffn_0");
        QTest::newRow("second of the MLP") << QByteArray("blocks.12.ffn.net.2") << QByteArray("blocks_12_ffn_2");
    }
    void modulesHaveTheirAuthorsNames()  // names of Wan, as in diffusers' own conversion
    {
        QFETCH(QByteArray, module);
        QFETCH(QByteArray, original);
        const Names modules = {"blocks.0.attn1.to_q", "blocks.0.attn2.to_q", module.toStdString()};
        QVERIFY(contract::adapterTensorName(AdapterForm::Kohya, {contract::OriginalNames(modules).layerFor(module.toStdString()).name, AdapterPart::A}) == "lora_unet_" + original.toStdString() + ".lora_down.weight");
        for (const std::string& start : {"lora_unet_" + original.toStdString(), "lora_unet_" + QByteArray(module).replace('.', '_').toStdString()}) {
            const AdapterNames read = contract::readAdapterNames({start + ".lora_down.weight", start + ".lora_up.weight"}, modules);
            QVERIFY(read.tensors.contains({module.toStdString(), AdapterPart::A}));
        }
        // With dots, as in "diffusion_model.blocks.0.self_attn.q.lora_A.weight".
        const AdapterNames dotted = contract::readAdapterNames({"diffusion_model." + original.toStdString() + ".lora_A.weight", "diffusion_model." + original.toStdString() + ".lora_B.weight"}, modules);
        QVERIFY(dotted.tensors.contains({module.toStdString(), AdapterPart::B}));
    }

    /// A model may itself have modules below "transformer".
    void aModelsOwnTransformerIsNoPrefix()
    {
        const AdapterNames read = contract::readAdapterNames({"transformer.a.lora_A.weight", "transformer.a.lora_B.weight"}, {"transformer.a"});
        QVERIFY(read.form == AdapterForm::DiffusersModel);
        QVERIFY(read.tensors.contains({"transformer.a", AdapterPart::A}));
    }

    void whatIsNoAdapterOfThisModelIsRefused_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* what, const char* name, const char* message) { QTest::newRow(what) << QByteArray(name) << QByteArray(message); };
        row("another tensor", "context_embedder.weight", "\"context_embedder.weight\" does not belong to a LoRA adapter");
        row("DoRA", "context_embedder.lora_magnitude_vector", "belongs to a DoRA adapter");
        row("DoRA in Kohya's words", "lora_unet_context_embedder.dora_scale", "belongs to a DoRA adapter");
        row("LoHa", "lora_unet_context_embedder.hada_w1_a", "belongs to a LyCORIS adapter");
        row("a bias", "context_embedder.lora_B.bias", "a bias?");
        row("another model's layer", "context_embedder2.lora_A.weight", "for a layer that the model does not have (read as diffusers, of a model)");
        row("another layer in Kohya's words", "lora_unet_joint_blocks_0_x.lora_up.weight", "does not have (read as Kohya)");
        row("no B", "context_embedder.lora_A.weight", "has no B (up) for the same layer");
        row("no A", "context_embedder.lora_B.weight", "has no A (down) for the same layer");
        row("alpha alone", "context_embedder.alpha", "has no A (down) for the same layer");
    }
    void whatIsNoAdapterOfThisModelIsRefused()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, message);
        const std::string error = refusal({name.toStdString()});
        QVERIFY2(error.find(message.toStdString()) != std::string::npos, error.c_str());
    }

    void whatIsAmbiguousIsRefused()
    {
        const std::string two = refusal({"lora_unet_a_b.lora_up.weight"}, {"a.b", "a_b"});
        QVERIFY2(two.find("could be for a.b or for a_b") != std::string::npos, two.c_str());
        const std::string twice = refusal({"context_embedder.lora_A.weight", "context_embedder.lora_down.weight"});
        QVERIFY2(twice.find("is for the same layer as \"context_embedder.lora_A.weight\"") != std::string::npos, twice.c_str());
        QVERIFY(refusal({}).find("holds no adapter") != std::string::npos);
        QVERIFY(refusal({"text_encoder.x.lora_A.weight"}).find("holds no adapter") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(AdapterNamesTest)
#include "tst_adapter_names.moc"
