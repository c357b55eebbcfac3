#include <ATen/ATen.h>

#include "engine/rewards/built_in_rewards.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>

using engine::Prompt;

namespace {

/// @param value of a channel at a place, 0 to 255
at::Tensor image(std::int64_t width, std::int64_t height, const std::function<int(int channel, int x, int y)>& value)
{
    at::Tensor pixels = at::empty({3, height, width}, at::kFloat);
    auto each = pixels.accessor<float, 3>();
    for (int channel = 0; channel < 3; ++channel) {
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x)
                each[channel][y][x] = static_cast<float>(value(channel, x, y)) / 255;
        }
    }
    return pixels;
}

at::Tensor scored(const std::string& name, const at::Tensor& images)
{
    static const Prompt prompt {"a red heart"};
    const auto reward = engine::makeBuiltInReward(name);
    return reward->scores({images, std::vector(static_cast<std::size_t>(images.size(0)), &prompt)});
}

}  // namespace

class BuiltInRewardsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyNameHasItsReward()
    {
        const auto names = engine::builtInRewardNames();
        QVERIFY(std::ranges::is_sorted(names) && names.size() == 6);
        for (const std::string& name : names)
            QCOMPARE(engine::makeBuiltInReward(name)->name(), name);
        for (const char* name : {"", "bright", "Brightness", "brightness "})
            QVERIFY(!engine::makeBuiltInReward(name));
    }

    void coloursAreMeans_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QList<double>>("scores");  // of the two images below
        QTest::newRow("brightness") << QByteArray("brightness") << QList<double> {0.5, 0.2};
        QTest::newRow("redness") << QByteArray("redness") << QList<double> {0, 0.6};
        QTest::newRow("greenness") << QByteArray("greenness") << QList<double> {0, -0.3};
        QTest::newRow("blueness") << QByteArray("blueness") << QList<double> {0, -0.3};
    }
    /// Grey, of which half is black and half white; and a red of 0.6.
    void coloursAreMeans()
    {
        QFETCH(QByteArray, name);
        QFETCH(QList<double>, scores);
        const at::Tensor grey = image(4, 6, [](int, int x, int) { return x < 2 ? 0 : 255; });
        const at::Tensor red = image(4, 6, [](int channel, int, int) { return channel == 0 ? 153 : 0; });
        const at::Tensor actual = scored(name.toStdString(), at::stack({grey, red}));
        QVERIFY(actual.scalar_type() == at::kFloat && actual.sizes() == at::IntArrayRef(2));
        for (qsizetype i = 0; i < 2; ++i)
            QVERIFY2(std::abs(actual[i].item<double>() - scores[i]) < 1e-6, QByteArray::number(actual[i].item<double>()));
    }

    void sizesAreThoseOfPillow_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("bytes");  // Pillow 13.0: Image.save(…, "JPEG", quality=95)
        QTest::newRow("slopes") << 48 << 32 << 0 << 1451;
        QTest::newRow("grey") << 48 << 32 << 1 << 649;
        QTest::newRow("an odd size, noise") << 33 << 17 << 2 << 1322;
    }
    void sizesAreThoseOfPillow()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, kind);
        QFETCH(int, bytes);
        const at::Tensor one = image(width, height, [kind](int channel, int x, int y) {
            const int slopes[] = {4 * x, 7 * y, x * y % 256}, noise[] = {(x * 37 + y * 91) % 256, (x * x + y) % 256, 7 * x * y % 256};
            return kind == 0 ? slopes[channel] : kind == 1 ? 128 : noise[channel];
        }).unsqueeze(0);
        // Libraries of other versions may round another way.
        const double size = scored("jpeg_size_up", one).item<double>() * 1000;
        QVERIFY2(std::abs(size - bytes) <= 0.02 * bytes, QByteArray::number(size));
        QCOMPARE(scored("jpeg_size", one).item<float>(), -scored("jpeg_size_up", one).item<float>());
    }

    void simpleImagesAreSmaller()
    {
        const at::Tensor flat = at::full({3, 32, 32}, 0.5), noise = at::rand({3, 32, 32});
        const at::Tensor sizes = scored("jpeg_size_up", at::stack({flat, noise}).to(at::kFloat));
        QVERIFY(sizes[0].item<float>() < 0.7F && sizes[1].item<float>() > 2 * sizes[0].item<float>());
    }
};

QTEST_GUILESS_MAIN(BuiltInRewardsTest)
#include "tst_built_in_rewards.moc"
