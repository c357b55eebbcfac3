// Layers of an adapter file: ranks come from the matrices, alpha from several sources; hostile files are rejected.
#include "engine/contract/adapters/adapter_file.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using contract::SafetensorsTensor;

class AdapterFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path file() const { return fs::path(m_root.path().toStdString()) / "lora.safetensors"; }
    /// Writes a file of zeros except for @p lastBytes, the last bytes of the values, and reads it.
    contract::AdapterFile read(const std::vector<SafetensorsTensor>& tensors, const std::string& lastBytes = {}, const contract::SafetensorsMetadata& metadata = {}) const
    {
        std::uint64_t bytes = 0;
        for (const SafetensorsTensor& tensor : tensors)
            bytes += tensor.bytes();
        contract::SafetensorsWriter writer(file(), tensors, metadata);
        const std::string zeros(bytes - lastBytes.size(), '\0');
        writer.write(zeros.data(), zeros.size());
        writer.write(lastBytes.data(), lastBytes.size());
        writer.finish();
        return contract::readAdapter(file(), {"a", "b.c"});
    }
    std::string refusal(const std::vector<SafetensorsTensor>& tensors, const std::string& lastBytes = {}) const
    {
        try {
            read(tensors, lastBytes);
            return {};
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    }

private Q_SLOTS:
    void alphaComesFromWhoeverSaysIt()
    {
        const std::vector<SafetensorsTensor> matrices = {{"a.lora_A.weight", "F32", {4, 3}}, {"a.lora_B.weight", "F32", {5, 4}}};
        auto layers = read(matrices).layers;
        QCOMPARE(layers.size(), 1U);
        QVERIFY(layers[0].module == "a");
        QCOMPARE(layers[0].rank, 4);
        QCOMPARE(layers[0].scale, 1.0);  // alpha is given nowhere: it equals the rank
        layers = read(matrices, {}, {{"lora_adapter_metadata", R"({"r": 4, "lora_alpha": 12, "use_rslora": true})"}}).layers;
        QCOMPARE(layers[0].scale, 6.0);
        layers = read(matrices, {}, {{"lora_adapter_metadata", R"({"r": 9, "lora_alpha": 12})"}}).layers;
        QCOMPARE(layers[0].scale, 3.0);  // the rank comes from the matrices
        layers = read({{"lora_unet_b_c.lora_down.weight", "BF16", {2, 3}}, {"lora_unet_b_c.lora_up.weight", "BF16", {5, 2}}, {"lora_unet_b_c.alpha", "BF16", {}}}, std::string("\xc0\x3f", 2)).layers;
        QVERIFY(layers[0].module == "b.c");
        QCOMPARE(layers[0].scale, 0.75);
    }

    void whatIsNoAdapterIsRefused_data()
    {
        QTest::addColumn<QByteArray>("dtype");
        QTest::addColumn<std::vector<std::int64_t>>("down");
        QTest::addColumn<std::vector<std::int64_t>>("up");
        QTest::addColumn<QByteArray>("message");
        using Shape = std::vector<std::int64_t>;
        QTest::newRow("two ranks") << QByteArray("F32") << Shape({4, 3}) << Shape({5, 2}) << QByteArray("are not matrices of shape [rank, in] and [out, rank]");
        QTest::newRow("convolution") << QByteArray("F32") << Shape({4, 3, 1, 1}) << Shape({5, 4, 1, 1}) << QByteArray("are not matrices");
        QTest::newRow("rank 0") << QByteArray("F32") << Shape({0, 3}) << Shape({5, 0}) << QByteArray("are not matrices");
        QTest::newRow("no numbers") << QByteArray("U8") << Shape({4, 3}) << Shape({5, 4}) << QByteArray("is of dtype U8");
    }
    void whatIsNoAdapterIsRefused()
    {
        QFETCH(QByteArray, dtype);
        QFETCH(std::vector<std::int64_t>, down);
        QFETCH(std::vector<std::int64_t>, up);
        QFETCH(QByteArray, message);
        const std::string error = refusal({{"a.lora_A.weight", dtype.toStdString(), down}, {"a.lora_B.weight", dtype.toStdString(), up}});
        QVERIFY2(error.find("lora.safetensors: tensor \"a.lora_A.weight\" ") != std::string::npos && error.find(message.toStdString()) != std::string::npos, error.c_str());
    }

    void anotherModelsAdapterSaysItsModel_data()
    {
        QTest::addColumn<QString>("layer");
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("model");
        QTest::newRow("defect-50: FLUX.1") << "transformer.single_transformer_blocks.3.attn.to_q" << QByteArray() << "it was made for FLUX.1";
        QTest::newRow("defect-50: Wan") << "blocks.0.attn2.to_q" << QByteArray() << "it was made for Wan";
        QTest::newRow("defect-50: a U-Net") << "down_blocks.0.attn2.to_q" << QByteArray() << "it was made for a Stable Diffusion with a U-Net";
        QTest::newRow("defect-50: what its configuration says")
            << "base_model.model.blocks.0.attn2.to_q" << QByteArray(R"({"base_model_name_or_path": "me/my-model"})") << R"(it was made for "me/my-model")";
        QTest::newRow("defect-50: unknown") << "blocks.0.attn.to_q" << QByteArray(R"({"base_model_name_or_path": null})") << "(read as diffusers, of a model)";
    }
    void anotherModelsAdapterSaysItsModel()
    {
        QFETCH(QString, layer);
        QFETCH(QByteArray, config);
        QFETCH(QString, model);
        const fs::path configFile = file().parent_path() / "adapter_config.json";
        if (!config.isEmpty())
            std::ofstream(configFile) << config.toStdString();
        const std::string error = refusal({{layer.toStdString() + ".lora_A.weight", "F32", {4, 3}}, {layer.toStdString() + ".lora_B.weight", "F32", {5, 4}}});
        fs::remove(configFile);
        QVERIFY2(error.find("is for a layer that the model does not have") != std::string::npos && error.find(model.toStdString()) != std::string::npos, error.c_str());
    }

    void aFileWithoutTensorsIsRefused_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::newRow("fuzz: no tensors") << QByteArray();
        QTest::newRow("fuzz: no tensors, but a model") << QByteArray("flux-1-dev");
    }
    void aFileWithoutTensorsIsRefused()
    {
        QFETCH(QByteArray, model);
        try {
            read({}, {}, {{"modelspec.architecture", model.toStdString()}});
            QFAIL("read");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QByteArray(error.what()).startsWith((file().string() + ": ").c_str()), error.what());
        }
    }

    void anAlphaThatIsNoneIsRefused()
    {
        const std::vector<SafetensorsTensor> matrices = {{"a.lora_A.weight", "F32", {4, 3}}, {"a.lora_B.weight", "F32", {5, 4}}};
        auto with = matrices;
        with.push_back({"a.alpha", "F32", {2}});
        QVERIFY(refusal(with).find("\"a.alpha\" is not a single number") != std::string::npos);
        with.back().shape = {};
        QVERIFY(refusal(with, std::string("\0\0\x80\x7f", 4)).find("\"a.alpha\" is not a finite number") != std::string::npos);
        with.back().dtype = "I64";
        QVERIFY(refusal(with).find("\"a.alpha\" is of dtype I64") != std::string::npos);
        QVERIFY(refusal({{"d.lora_A.weight", "F32", {4, 3}}}).find("lora.safetensors: tensor \"d.lora_A.weight\" is for a layer that the model does not have") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(AdapterFileTest)
#include "tst_adapter_file.moc"
