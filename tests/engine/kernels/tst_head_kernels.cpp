// Splitting the rows of a projection into the heads of attention, and back, agrees with the ATen reference.
#include <ATen/ATen.h>

#include "engine/kernels/head_kernels.h"
#include "engine/kernels/reference/layer_kernels.h"
#include "tests/engine/kernels/kernel_check.h"
#include "tests/engine/test_device.h"

#include <QtTest>

using namespace tests;

class HeadKernelsTest : public QObject {
    Q_OBJECT

    engine::Arena m_arena {device()};

private Q_SLOTS:
    void init() { at::manual_seed(7); }

    void headsAreSplitAndJoined_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("isHalf");
        QTest::addColumn<bool>("norms");
        QTest::addColumn<bool>("rotates");
        for (const int width : {2, 14, 16, 40, 128}) {
            for (const bool isHalf : {false, true}) {
                for (const int form : {0, 1, 2, 3})
                    QTest::addRow("%s, width %d%s%s", isHalf ? "bfloat16" : "float32", width, form & 1 ? ", normed" : "",
                        form & 2 ? ", turned" : "")
                        << width << isHalf << bool(form & 1) << bool(form & 2);
            }
        }
    }
    void headsAreSplitAndJoined()
    {
        QFETCH(int, width);
        QFETCH(bool, isHalf);
        QFETCH(bool, norms);
        QFETCH(bool, rotates);
        const at::ScalarType dtype = isHalf ? at::kBFloat16 : at::kFloat;
        const std::int64_t heads = 2;
        // The middle one of three parts, and the last five of seven tokens.
        const at::Tensor projected = random({kSamples, kTokens, 3, heads, width}, dtype), x = projected.select(2, 1);
        const at::Tensor all = random({kSamples, heads, kTokens + 2, width}, dtype), out = all.narrow(2, 2, kTokens);
        const at::Tensor before = all.clone(), expected = at::empty_like(out);
        engine::HeadTransform form {.scale = 0.25, .epsilon = 1e-3};
        if (norms)
            form.weight = random({width}, dtype);
        if (rotates)
            form.rotary = engine::rotaryTable(random({kTokens, width / 2}), random({kTokens, width / 2}));
        engine::splitHeads(x, out, form);
        engine::reference::splitHeads(x, expected, form);
        compare(out, expected);
        QVERIFY(at::equal(all.narrow(2, 0, 2), before.narrow(2, 0, 2)));

        for (const bool adds : {false, true}) {
            const at::Tensor dAll = at::ones_like(projected), plainAll = at::ones_like(projected);
            const at::Tensor dWeight = norms ? at::ones({width}, x.options()) : at::Tensor(), plainWeight = norms ? dWeight.clone() : at::Tensor();
            engine::splitHeadsBackward(out, x, dAll.select(2, 1), adds, form, dWeight, m_arena);
            engine::reference::splitHeadsBackward(out, x, plainAll.select(2, 1), adds, form, plainWeight);
            compare(dAll, plainAll);
            if (norms)
                compare(dWeight, plainWeight);
        }
        const at::Tensor joined = at::empty_like(projected);
        engine::joinHeads(out, joined.select(2, 0), m_arena);
        QVERIFY(at::equal(joined.select(2, 0), out.transpose(1, 2)));
    }
};

QTEST_GUILESS_MAIN(HeadKernelsTest)
#include "tst_head_kernels.moc"
