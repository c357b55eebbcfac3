// Reads tensors of every dtype from safetensors files, mapped and converted.
#include "engine/weights/weights_source.h"

#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using engine::WeightsSource;

class WeightsSourceTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    fs::path file() const { return fs::path(m_root.path().toStdString()) / "model.safetensors"; }
    WeightsSource written(const std::vector<std::pair<contract::SafetensorsTensor, std::string>>& tensors, const WeightsSource::NameRule& rule = {}) const
    {
        std::vector<contract::SafetensorsTensor> entries;
        for (const auto& [entry, bytes] : tensors)
            entries.push_back(entry);
        contract::SafetensorsWriter writer(file(), entries, {});
        for (const auto& [entry, bytes] : tensors)
            writer.write(bytes.data(), bytes.size());
        writer.finish();
        return WeightsSource(contract::SafetensorsSet(file()), rule);
    }
    static std::string bytesOf(const at::Tensor& tensor) { return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}; }

private Q_SLOTS:
    /// The expected numbers are computed by hand from the definitions of the formats.
    void valuesAreWhatTheirBitsMean_data()
    {
        QTest::addColumn<QByteArray>("dtype");
        QTest::addColumn<QByteArray>("bits");  // little-endian
        QTest::addColumn<double>("value");
        const auto row = [](const char* dtype, std::vector<std::uint8_t> bits, double value) {
            QTest::addRow("%s %g", dtype, value) << QByteArray(dtype) << QByteArray(reinterpret_cast<const char*>(bits.data()), static_cast<qsizetype>(bits.size())) << value;
        };
        row("F64", {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 1.5);
        row("F32", {0, 0, 0xc0, 0xbf}, -1.5);
        row("F16", {0x00, 0x3e}, 1.5);
        row("F16", {0xff, 0x7b}, 65504);
        row("F16", {0x01, 0x00}, std::ldexp(1, -24));
        row("BF16", {0xc0, 0x3f}, 1.5);
        row("F8_E4M3", {0x3c}, 1.5);
        row("F8_E4M3", {0x7e}, 448);
        row("F8_E4M3", {0x81}, -std::ldexp(1, -9));
        row("F8_E5M2", {0x3e}, 1.5);
        row("F8_E5M2", {0x7b}, 57344);
        row("F8_E5M2", {0x01}, std::ldexp(1, -16));
        row("I64", {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, -2);
        row("I32", {7, 0, 0, 0}, 7);
        row("I16", {7, 1}, 263);
        row("I8", {0xff}, -1);
        row("U8", {0xff}, 255);
        row("BOOL", {7}, 1);
        row("BOOL", {0}, 0);
    }
    void valuesAreWhatTheirBitsMean()
    {
        QFETCH(QByteArray, dtype);
        QFETCH(QByteArray, bits);
        QFETCH(double, value);
        const WeightsSource source = written({{{"a", dtype.toStdString(), {1, 1}}, bits.toStdString()}});
        const at::Tensor view = source.view("a");
        QVERIFY(view.sizes() == at::IntArrayRef({1, 1}));
        QCOMPARE(view.to(at::kDouble).item<double>(), value);
        QVERIFY(view.scalar_type() == source.dtype("a"));
        QVERIFY(view.scalar_type() != at::kBool || *static_cast<const std::uint8_t*>(view.const_data_ptr()) == static_cast<std::uint8_t>(value));
        const at::Tensor converted = source.tensor("a", at::kFloat);
        QVERIFY(converted.scalar_type() == at::kFloat && converted.dim() == 2);
        QCOMPARE(static_cast<double>(converted.item<float>()), value);
    }

    void viewsKeepTheirFileOpen()
    {
        at::Tensor view;
        {
            const WeightsSource source = written({{{"a", "F32", {3}}, bytesOf(at::arange(3, at::kFloat))}});
            view = source.view("a");
        }
        QVERIFY(at::equal(view, at::arange(3, at::kFloat)));
    }

    void misalignedTensorsAreReadToo()
    {
        const at::Tensor values = at::arange(5, at::kFloat);
        const WeightsSource source = written({{{"a", "U8", {1}}, std::string(1, '\1')}, {{"b", "F32", {5}}, bytesOf(values)}});
        const at::Tensor view = source.view("b");
        QVERIFY(at::equal(view, values));
        QCOMPARE(reinterpret_cast<std::uintptr_t>(view.const_data_ptr()) % 4, std::uintptr_t(0));
        QVERIFY(at::equal(source.tensor("b", at::kFloat), values));
    }

    void rangesOfMoreThanAPortion_data()
    {
        QTest::addColumn<int>("stored");
        QTest::addColumn<int>("wanted");
        for (const at::ScalarType stored : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble})
            for (const at::ScalarType wanted : {at::kFloat, at::kBFloat16})
                QTest::addRow("%s as %s", c10::toString(stored), c10::toString(wanted)) << int(stored) << int(wanted);
    }
    void rangesOfMoreThanAPortion()
    {
        QFETCH(int, stored);
        QFETCH(int, wanted);
        const auto in = static_cast<at::ScalarType>(stored), out = static_cast<at::ScalarType>(wanted);
        const std::map<at::ScalarType, std::string> names = {{at::kFloat, "F32"}, {at::kBFloat16, "BF16"}, {at::kHalf, "F16"}, {at::kDouble, "F64"}};
        constexpr std::int64_t kCount = 1'200'007;  // several portions of each dtype, the last one shorter
        const at::Tensor values = at::arange(kCount, at::kDouble).sub(600'000).div(1024).to(in);
        const WeightsSource source = written({{{"a", names.at(in), {kCount}}, bytesOf(values)}});
        at::Tensor into = at::full({kCount - 10}, -7, out);
        source.read("a", 3, into.narrow(0, 2, kCount - 20));
        QVERIFY(at::equal(into.narrow(0, 2, kCount - 20), values.narrow(0, 3, kCount - 20).to(out)));
        QVERIFY(at::equal(into.narrow(0, 0, 2), at::full({2}, -7, out)) && at::equal(into.narrow(0, kCount - 18, 8), at::full({8}, -7, out)));
        QVERIFY(at::equal(source.tensor("a", out), values.to(out)));
    }

    void namesAreTheModels()
    {
        const auto drop = [](const std::string& name) { return name == "position_ids" ? std::string() : engine::withoutPrefix("transformer.")(name); };
        const std::string one(1, '\1');
        const WeightsSource source = written({{{"transformer.a", "U8", {}}, one}, {{"b", "U8", {}}, one}, {{"position_ids", "U8", {}}, one}}, drop);
        QVERIFY(source.names() == std::vector<std::string>({"a", "b"}));
        QVERIFY(source.has("a") && !source.has("transformer.a") && !source.has("position_ids"));
        try {
            written({{{"transformer.a", "U8", {}}, one}, {{"a", "U8", {}}, one}}, drop);
            QFAIL("two tensors of one name were taken");
        } catch (const std::runtime_error& error) {
            QVERIFY2(std::string(error.what()).find("model.safetensors: two tensors map to the name a, one of them transformer.a") != std::string::npos, error.what());
        }
        try {
            source.view("c");
            QFAIL("a tensor that is not there was given");
        } catch (const std::runtime_error& error) {
            QVERIFY2(std::string(error.what()).find("model.safetensors: has no tensor \"c\"") != std::string::npos, error.what());
        }
    }
};

QTEST_APPLESS_MAIN(WeightsSourceTest)
#include "tst_weights_source.moc"
