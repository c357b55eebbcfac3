// Conversions of 8- and 16-bit floats, compared bit by bit with LibTorch's.
#include "engine/contract/formats/float_formats.h"

#include <ATen/ATen.h>

#include <QtTest>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace {

/// Every bit pattern of a format, ascending.
template <typename Bits>
std::vector<Bits> allBits()
{
    std::vector<Bits> bits(std::size_t {1} << (8 * sizeof(Bits)));
    std::iota(bits.begin(), bits.end(), Bits {0});
    return bits;
}

/// The first index at which they differ, treating NaNs as equal; -1 when they are equal.
std::int64_t firstDifference(const float* ours, const at::Tensor& theirs)
{
    const float* const other = theirs.const_data_ptr<float>();
    for (std::int64_t i = 0; i < theirs.numel(); ++i) {
        const bool isSame = std::isnan(other[i]) ? std::isnan(ours[i]) : std::memcmp(ours + i, other + i, sizeof(float)) == 0;
        if (!isSame)
            return i;
    }
    return -1;
}

template <typename Bits>
std::int64_t differenceReading(const char* dtype, at::ScalarType type)
{
    auto bits = allBits<Bits>();
    std::vector<float> ours(bits.size());
    contract::toFloats(dtype, bits.data(), bits.size(), ours.data());
    return firstDifference(ours.data(), at::from_blob(bits.data(), {static_cast<std::int64_t>(bits.size())}, type).to(at::kFloat));
}

}  // namespace

class FloatFormatsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyNumberIsRead()
    {
        QCOMPARE(differenceReading<std::uint16_t>("F16", at::kHalf), -1);
        QCOMPARE(differenceReading<std::uint16_t>("BF16", at::kBFloat16), -1);
        QCOMPARE(differenceReading<std::uint8_t>("F8_E4M3", at::kFloat8_e4m3fn), -1);
        QCOMPARE(differenceReading<std::uint8_t>("F8_E5M2", at::kFloat8_e5m2), -1);
        const double doubles[] = {1.5, 0.1, 1e300, -0.0};
        float floats[4];
        contract::toFloats("F64", doubles, 4, floats);
        QCOMPARE(floats[0], 1.5F);
        QCOMPARE(floats[1], 0.1F);
        QVERIFY(std::isinf(floats[2]) && std::signbit(floats[3]));
    }

    /// Tests the numbers of a format, their midpoints and the neighbours of the midpoints.
    void everyRoundingIsToNearestEven_data()
    {
        QTest::addColumn<QByteArray>("dtype");
        QTest::addColumn<int>("type");
        QTest::newRow("E-135 BF16") << QByteArray("BF16") << int(at::kBFloat16);
        QTest::newRow("E-135 F16") << QByteArray("F16") << int(at::kHalf);
    }
    void everyRoundingIsToNearestEven()
    {
        QFETCH(QByteArray, dtype);
        QFETCH(int, type);
        std::vector<std::uint16_t> bits = allBits<std::uint16_t>();
        const std::vector<float> numbers = [&] {
            std::vector<float> exact(bits.size());
            contract::toFloats(dtype.constData(), bits.data(), bits.size(), exact.data());
            return exact;
        }();
        std::vector<float> floats;
        for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
            const float half = static_cast<float>((static_cast<double>(numbers[i]) + static_cast<double>(numbers[i + 1])) / 2);
            for (const float value : {numbers[i], half, std::nextafter(half, 0.0F), std::nextafter(half, std::numeric_limits<float>::infinity())})
                floats.push_back(value);
        }
        for (const float value : {65504.0F, 65519.996F, 65520.0F, 1e30F, -1e30F, 1e-30F, std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()})
            floats.push_back(value);
        std::vector<std::uint16_t> ours(floats.size());
        contract::fromFloats(dtype.constData(), floats.data(), floats.size(), ours.data());
        const auto size = static_cast<std::int64_t>(floats.size());
        const at::Tensor theirs = at::from_blob(floats.data(), {size}, at::kFloat).to(static_cast<at::ScalarType>(type));
        std::vector<float> back(floats.size());
        contract::toFloats(dtype.constData(), ours.data(), ours.size(), back.data());
        const std::int64_t difference = firstDifference(back.data(), theirs.to(at::kFloat));
        QVERIFY2(difference < 0, difference < 0 ? "" : std::to_string(floats[static_cast<std::size_t>(difference)]).c_str());
    }

    void otherWordsAreRefused()
    {
        char bytes[8] = {};
        float value = 0;
        QVERIFY_EXCEPTION_THROWN(contract::toFloats("I64", bytes, 1, &value), std::invalid_argument);
        QVERIFY_EXCEPTION_THROWN(contract::fromFloats("F8_E4M3", &value, 1, bytes), std::invalid_argument);
        QVERIFY(contract::isFloatDtype("F8_E5M2") && !contract::isFloatDtype("BOOL") && !contract::isFloatDtype("F31"));
    }
};

QTEST_APPLESS_MAIN(FloatFormatsTest)
#include "tst_float_formats.moc"
