// What an adapter's file says of its layers: ranks by the matrices, alpha by whoever says it, nothing hostile taken.
#include "engine/contract/adapter_file.h"

#include <QTemporaryDir>
#include <QtTest>

#include <string>
#include <vector>

namespace fs = std::filesystem;
using contract::SafetensorsTensor;

class AdapterFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path file() const { return fs::path(m_root.path().toStdString()) / "lora.safetensors"; }
    /// @param alpha bits of its only element, where there is one
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
        QCOMPARE(layers[0].scale, 1.0);  // nobody: alpha is the rank
        layers = read(matrices, {}, {{"lora_adapter_metadata", R"({"r": 4, "lora_alpha": 12, "use_rslora": true})"}}).layers;
        QCOMPARE(layers[0].scale, 6.0);
        layers = read(matrices, {}, {{"lora_adapter_metadata", R"({"r": 9, "lora_alpha": 12})"}}).layers;
        QCOMPARE(layers[0].scale, 3.0);  // the rank is that of the matrices
        layers = read({{"lora_unet_b_c.lora_down.weight", "BF16", {2, 3}}, {"lora_unet_b_c.lora_up.weight", "BF16", {5, 2}}, {"lora_unet_b_c.alpha", "BF16", {}}}, std::string("\xc0\x3f", 2)).layers;
        QVERIFY(layers[0].module == "b.c");
        QCOMPARE(layers[0].scale, 0.75);
    }

    void whatIsNoAdapterIsRefused_data()
    {
        QTest::addColumn<QByteArray>("dtype");
        QTest::addColumn<std::vector<std::int64_t>>("down");
        QTest::addColumn<std::vector<std::int64_t>>("up");
        QTest::addColumn<QByteArray>("told");
        using Shape = std::vector<std::int64_t>;
        QTest::newRow("two ranks") << QByteArray("F32") << Shape({4, 3}) << Shape({5, 2}) << QByteArray("are no matrices [rank, in] and [out, rank]");
        QTest::newRow("convolution") << QByteArray("F32") << Shape({4, 3, 1, 1}) << Shape({5, 4, 1, 1}) << QByteArray("are no matrices");
        QTest::newRow("rank 0") << QByteArray("F32") << Shape({0, 3}) << Shape({5, 0}) << QByteArray("are no matrices");
        QTest::newRow("no numbers") << QByteArray("U8") << Shape({4, 3}) << Shape({5, 4}) << QByteArray("is of U8");
    }
    void whatIsNoAdapterIsRefused()
    {
        QFETCH(QByteArray, dtype);
        QFETCH(std::vector<std::int64_t>, down);
        QFETCH(std::vector<std::int64_t>, up);
        QFETCH(QByteArray, told);
        const std::string error = refusal({{"a.lora_A.weight", dtype.toStdString(), down}, {"a.lora_B.weight", dtype.toStdString(), up}});
        QVERIFY2(error.find("lora.safetensors: tensor \"a.lora_A.weight\" ") != std::string::npos && error.find(told.toStdString()) != std::string::npos, error.c_str());
    }

    void anAlphaThatIsNoneIsRefused()
    {
        const std::vector<SafetensorsTensor> matrices = {{"a.lora_A.weight", "F32", {4, 3}}, {"a.lora_B.weight", "F32", {5, 4}}};
        auto with = matrices;
        with.push_back({"a.alpha", "F32", {2}});
        QVERIFY(refusal(with).find("\"a.alpha\" is no single number") != std::string::npos);
        with.back().shape = {};
        QVERIFY(refusal(with, std::string("\0\0\x80\x7f", 4)).find("\"a.alpha\" is no finite number") != std::string::npos);
        with.back().dtype = "I64";
        QVERIFY(refusal(with).find("\"a.alpha\" is of I64") != std::string::npos);
        QVERIFY(refusal({{"d.lora_A.weight", "F32", {4, 3}}}).find("lora.safetensors: tensor \"d.lora_A.weight\" is for a layer that the model does not have") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(AdapterFileTest)
#include "tst_adapter_file.moc"
