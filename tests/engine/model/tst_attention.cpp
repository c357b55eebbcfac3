// Attention of any length is the textbook's, and so are its gradients.
#include <ATen/ATen.h>

#include "engine/model/attention.h"

#include <QtTest>

using engine::Tape;

class AttentionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalsTheTextbook_data()
    {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<bool>("isHalf");
        for (const int tokens : {1, 16, 65, int(engine::kLongestMaterialised), int(engine::kLongestMaterialised) + 1}) {
            QTest::addRow("E-008 float32, %d tokens", tokens) << tokens << false;
            QTest::addRow("E-008 bfloat16, %d tokens", tokens) << tokens << true;
        }
    }
    void equalsTheTextbook()
    {
        QFETCH(int, tokens);
        QFETCH(bool, isHalf);
        const std::int64_t batch = 2, heads = 3, size = 16;
        at::manual_seed(1);
        const auto dtype = isHalf ? at::kBFloat16 : at::kFloat;
        const at::Tensor input = at::randn({batch, tokens, 3 * heads * size}).to(dtype);
        const at::Tensor gradient = at::randn({batch, tokens, heads * size}).to(dtype);

        const at::Tensor leaf = input.to(at::kDouble).requires_grad_(true);
        const auto parts = leaf.view({batch, tokens, 3, heads, size}).permute({2, 0, 3, 1, 4}).unbind(0);
        const at::Tensor weights = at::softmax(at::matmul(parts[0], parts[1].transpose(2, 3)) / 4.0, -1);
        const at::Tensor expected = at::matmul(weights, parts[2]).transpose(1, 2).reshape({batch, tokens, heads * size});
        expected.backward(gradient.to(at::kDouble));

        engine::LoneGroup group;
        engine::BufferPool pool(group, c10::Device(c10::DeviceType::CPU));
        engine::UnitSequence units({{"root", {{"unused", {16}, 0, false}}}}, group, pool, {}, {}, 0);
        Tape tape(units, Tape::Mode::Train);
        const engine::Var qkv = tape.input(input);
        qkv->needsGrad = true;
        const engine::Var out = engine::selfAttention(tape, qkv, heads);
        tape.backward(out, gradient.clone());
        const double tolerance = isHalf ? 2e-2 : 1e-5;
        const auto error = [](const at::Tensor& got, const at::Tensor& wanted) {
            return ((got.to(at::kDouble) - wanted).abs().max() / wanted.abs().max()).item<double>();
        };
        QVERIFY2(error(out->data, expected.detach()) < tolerance, qPrintable(QString::number(error(out->data, expected.detach()))));
        QVERIFY2(error(tape.gradOf(qkv), leaf.grad()) < tolerance, qPrintable(QString::number(error(tape.gradOf(qkv), leaf.grad()))));
    }
};

QTEST_GUILESS_MAIN(AttentionTest)
#include "tst_attention.moc"
