#include <ATen/ATen.h>

#include "engine/data/image_tensor.h"

#include <QtTest>

class ImageTensorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tensorsHoldTheMiddleAtTheBucketsSize()
    {
        // Left third black, then white: the square in the middle of 12 × 4 is white alone.
        engine::Image image {12, 4, {}};
        for (int pixel = 0; pixel < 48; ++pixel)
            image.rgb.insert(image.rgb.end(), 3, pixel % 12 < 4 ? 0 : 255);
        const at::Tensor middle = imageTensor(image, {8, 8});
        QCOMPARE(middle.sizes(), at::IntArrayRef({3, 8, 8}));
        QVERIFY(middle.scalar_type() == at::kFloat);
        QVERIFY(at::allclose(middle, at::ones({3, 8, 8})));
        // The same size: the same values, channel by channel.
        const engine::Image colours {2, 1, {0, 51, 255, 255, 102, 0}};
        const at::Tensor same = imageTensor(colours, {2, 1});
        QVERIFY(at::allclose(same, at::tensor({-1.0F, 1.0F, -0.6F, -0.2F, 1.0F, -1.0F}).view({3, 1, 2}), 0, 1e-6));
        // Made smaller, a grid of lines becomes their mean: nothing is skipped.
        engine::Image lines {64, 64, {}};
        for (int pixel = 0; pixel < 64 * 64; ++pixel)
            lines.rgb.insert(lines.rgb.end(), 3, pixel % 2 == 0 ? 0 : 255);
        QVERIFY(imageTensor(lines, {8, 8}).abs().max().item<float>() < 0.1F);
    }

    void masksAreCutAlike()
    {
        engine::Image mask {4, 2, {}};
        for (const std::uint8_t value : std::initializer_list<std::uint8_t> {0, 255, 51, 0, 0, 255, 51, 0})
            mask.rgb.insert(mask.rgb.end(), {value, 7, 9});
        const at::Tensor middle = maskTensor(mask, {2, 2});
        QVERIFY(at::allclose(middle, at::tensor({1.0F, 0.2F, 1.0F, 0.2F}).view({1, 2, 2}), 0, 1e-6));
    }
};

QTEST_APPLESS_MAIN(ImageTensorTest)
#include "tst_image_tensor.moc"
