// Attention over a sequence that is divided over several ranks equals that of one rank, with the kernel of each length.
#include <ATen/ATen.h>

#include "engine/nn/attention/attention.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/layers.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/test_device.h"

#include <QtTest>

#include <cstdio>

using engine::Exchange;
using engine::Tape;

namespace {

constexpr std::int64_t kSamples = 2, kJointHeads = 4, kJointSize = 8;

struct Result {
    at::Tensor out, gradient;
};

/// Attention and the gradient of its input, computed on a tape of their own. @param gradient undefined: a pass without gradients
Result attend(const at::Tensor& qkv, const at::Tensor& gradient, const engine::SequenceGroups& groups)
{
    engine::LoneGroup lone;
    engine::BufferPool pool(lone, tests::device());
    engine::UnitSequence units({{"root", {{"unused", {16}, 0, false}}}}, lone, pool, {}, {}, 0);
    Tape tape(units, gradient.defined() ? Tape::Mode::Train : Tape::Mode::Evaluate);
    const engine::Var input = tape.input(qkv.contiguous());
    input->needsGrad = true;
    const engine::Var out = engine::attention(tape, input, kJointHeads, groups);
    const at::Tensor mixed = out->data.clone();
    if (!gradient.defined())
        return {mixed, {}};
    tape.backward(out, gradient.contiguous().clone());
    return {mixed, tape.gradOf(input).clone()};
}

constexpr std::int64_t kImage = 32, kPrompt = 6;

/// One rank's inputs of a joint attention over an image and a prompt, and the gradients of its outputs.
struct JointInput {
    at::Tensor image, prompt;                  ///< [B, tokens, 3 · H · d]
    at::Tensor imageGradient, promptGradient;  ///< of the outputs
};

struct JointResult {
    at::Tensor image, prompt, dImage, dPrompt, dNorm;
};

/// Number of masked keys in the second sample: the image's first ones and the prompt's last ones.
struct Masked {
    int image = 0, prompt = 0;
};

/// JointInput attention with norms, rotations and a mask; the prompt is the first or the last stream.
JointResult attendJointly(const JointInput& joint, bool isPromptFirst, const Masked& masked, const engine::SequenceGroups& groups)
{
    engine::LoneGroup lone;
    engine::BufferPool pool(lone, tests::device());
    engine::UnitSequence units({{"root", {{"norm", {kJointSize}, 0.5, false}}}}, lone, pool, {}, {}, 3);
    Tape tape(units, Tape::Mode::Train);
    const auto input = [&](const at::Tensor& x) {
        const engine::Var value = tape.input(x.contiguous());
        value->needsGrad = true;
        return value;
    };
    const engine::Var image = input(joint.image), prompt = input(joint.prompt);
    engine::Parameter& norm = tape.root().parameter(0);
    engine::AttentionStream imageStream = engine::AttentionStream::of(image, &norm, &norm),
                            promptStream = engine::AttentionStream::of(prompt, &norm, nullptr);
    imageStream.isDivided = true;
    const at::Tensor angles = tests::onDevice(at::arange(kImage + kPrompt).unsqueeze(1) * at::arange(1, kJointSize / 2 + 1) * 0.2);
    at::Tensor mask = at::ones({kSamples, kImage + kPrompt}, image->data.options().dtype(at::kBool));
    const std::int64_t ofPrompt = isPromptFirst ? 0 : kImage, ofImage = isPromptFirst ? kPrompt : 0;
    mask.select(0, 1).narrow(0, ofPrompt + kPrompt - masked.prompt, masked.prompt).fill_(false);
    mask.select(0, 1).narrow(0, ofImage, masked.image).fill_(false);
    const engine::AttentionForm form {.heads = kJointHeads, .headSize = kJointSize,
        .rotary = engine::rotaryTable(angles.cos(), angles.sin()), .keyBias = engine::keyBias(mask)};
    const auto streams = isPromptFirst ? std::vector {promptStream, imageStream} : std::vector {imageStream, promptStream};
    auto out = engine::attend(tape, streams, form, groups);
    if (isPromptFirst)
        std::swap(out[0], out[1]);
    const JointResult values {out[0]->data.clone(), out[1]->data.clone(), {}, {}, {}};
    tape.backward(engine::concatenated(tape, out, 1), at::cat({joint.imageGradient, joint.promptGradient}, 1));
    return {values.image, values.prompt, tape.gradOf(image).clone(), tape.gradOf(prompt).clone(), units[0].gradShard.clone()};
}

bool areClose(const char* what, const at::Tensor& got, const at::Tensor& truth)
{
    const double error = ((got - truth).abs().max() / truth.abs().max()).item<double>();
    if (error >= 1e-5)
        std::fprintf(stderr, "%s: off by %g\n", what, error);
    return error < 1e-5;
}

}  // namespace

class SequenceAttentionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalsThatOfOneRank_data()
    {
        QTest::addColumn<int>("ring");
        QTest::addColumn<int>("ulysses");
        QTest::addColumn<int>("tokens");
        for (const int tokens : {32, int(engine::kLongestMaterialised) * 2 + 16}) {
            QTest::addRow("Ulysses of 2, %d tokens", tokens) << 1 << 2 << tokens;
            QTest::addRow("Ulysses of 4, %d tokens", tokens) << 1 << 4 << tokens;
            QTest::addRow("ring of 2, %d tokens", tokens) << 2 << 1 << tokens;
            QTest::addRow("ring of 2 times Ulysses of 2, %d tokens", tokens) << 2 << 2 << tokens;
        }
    }
    void equalsThatOfOneRank()
    {
        QFETCH(int, ring);
        QFETCH(int, ulysses);
        QFETCH(int, tokens);
        const int world = ring * ulysses;
        const auto body = [&](engine::Mesh& mesh) {
            at::manual_seed(1);
            const at::Tensor qkv = tests::onDevice(at::randn({kSamples, tokens, 3 * kJointHeads * kJointSize})),
                             gradient = tests::onDevice(at::randn({kSamples, tokens, kJointHeads * kJointSize}));
            const Result whole = attend(qkv, gradient, {});
            const engine::SequenceGroups groups {&mesh.ring(), &mesh.ulysses()};
            const std::int64_t here = tokens / world;
            const auto own = [&](const at::Tensor& x) { return x.narrow(1, groups.rank() * here, here); };
            const Result part = attend(own(qkv), own(gradient), groups);
            return areClose("attention", part.out, own(whole.out)) & areClose("its gradient", part.gradient, own(whole.gradient));
        };
        QCOMPARE(tests::runRanks({.world = world, .shard = world, .ring = ring, .ulysses = ulysses}, Exchange::Automatic, body),
            std::vector<int>(static_cast<std::size_t>(world), 0));
    }

    void passesWithoutGradientsAreTheSame_data()
    {
        QTest::addColumn<int>("ring");
        QTest::addColumn<int>("ulysses");
        QTest::newRow("defect-36: ring of 2") << 2 << 1;
        QTest::newRow("defect-36: ring of 2 times Ulysses of 2") << 2 << 2;
    }
    /// As in samples, validation, and the forward pass of blocks that backward recomputes.
    void passesWithoutGradientsAreTheSame()
    {
        QFETCH(int, ring);
        QFETCH(int, ulysses);
        const int world = ring * ulysses;
        const auto body = [&](engine::Mesh& mesh) {
            at::manual_seed(1);
            const at::Tensor qkv = tests::onDevice(at::randn({kSamples, 32, 3 * kJointHeads * kJointSize}));
            const engine::SequenceGroups groups {&mesh.ring(), &mesh.ulysses()};
            const std::int64_t here = 32 / world;
            const auto own = [&](const at::Tensor& x) { return x.narrow(1, groups.rank() * here, here); };
            return areClose("attention", attend(own(qkv), {}, groups).out, own(attend(qkv, {}, {}).out));
        };
        QCOMPARE(tests::runRanks({.world = world, .shard = world, .ring = ring, .ulysses = ulysses}, Exchange::Automatic, body),
            std::vector<int>(static_cast<std::size_t>(world), 0));
    }

    void joinsAPromptThatAllRanksHave_data()
    {
        QTest::addColumn<int>("ring");
        QTest::addColumn<int>("ulysses");
        QTest::addColumn<bool>("isPromptFirst");
        QTest::addColumn<int>("maskedOfImage");
        QTest::addColumn<int>("maskedOfPrompt");
        const auto addRows = [](const char* what, const Masked& masked) {
            for (const auto& [ring, ulysses] : std::initializer_list<std::pair<int, int>> {{1, 2}, {2, 1}, {4, 1}, {2, 2}}) {
                for (const bool isPromptFirst : {true, false})
                    QTest::addRow("ring of %d, Ulysses of %d, the prompt %s, %s", ring, ulysses, isPromptFirst ? "first" : "last", what)
                        << ring << ulysses << isPromptFirst << masked.image << masked.prompt;
            }
        };
        addRows("padding", {0, kPrompt - 2});
        addRows("a prompt of padding alone", {0, kPrompt});
        addRows("that and half of the image", {kImage / 2, kPrompt});
    }
    void joinsAPromptThatAllRanksHave()
    {
        QFETCH(int, ring);
        QFETCH(int, ulysses);
        QFETCH(bool, isPromptFirst);
        QFETCH(int, maskedOfImage);
        QFETCH(int, maskedOfPrompt);
        const Masked masked {maskedOfImage, maskedOfPrompt};
        const int world = ring * ulysses;
        const auto body = [&](engine::Mesh& mesh) {
            const c10::InferenceMode noAutograd;
            at::manual_seed(5);
            const auto random = [](std::int64_t tokens, std::int64_t parts) { return tests::onDevice(at::randn({kSamples, tokens, parts * kJointHeads * kJointSize})); };
            const JointInput all {random(kImage, 3), random(kPrompt, 3), random(kImage, 1), random(kPrompt, 1)};
            const JointResult whole = attendJointly(all, isPromptFirst, masked, {});
            const engine::SequenceGroups groups {&mesh.ring(), &mesh.ulysses()};
            const std::int64_t here = kImage / world;
            const auto own = [&](const at::Tensor& x) { return x.narrow(1, groups.rank() * here, here); };
            // Only rank 1's loss uses the prompt's output: gradients of replicated streams are partial on each rank.
            const at::Tensor ofPrompt = groups.rank() == 1 ? all.promptGradient : at::zeros_like(all.promptGradient);
            JointResult part = attendJointly({own(all.image), all.prompt, own(all.imageGradient), ofPrompt}, isPromptFirst, masked, groups);
            mesh.world().allReduceSum(part.dPrompt, "the prompt's gradient");
            mesh.world().allReduceSum(part.dNorm, "the norm's gradient");
            return areClose("image", part.image, own(whole.image)) & areClose("prompt", part.prompt, whole.prompt)
                & areClose("image's gradient", part.dImage, own(whole.dImage))
                & areClose("prompt's gradient", part.dPrompt, whole.dPrompt) & areClose("norm's gradient", part.dNorm, whole.dNorm);
        };
        QCOMPARE(tests::runRanks({.world = world, .shard = world, .ring = ring, .ulysses = ulysses}, Exchange::Automatic, body),
            std::vector<int>(static_cast<std::size_t>(world), 0));
    }

    void aSampleWithoutKeysGetsZerosInARing_data()
    {
        QTest::addColumn<int>("ring");
        QTest::addColumn<int>("ulysses");
        for (const auto& [ring, ulysses] : std::initializer_list<std::pair<int, int>> {{2, 1}, {4, 1}, {2, 2}})
            QTest::addRow("ring of %d, Ulysses of %d", ring, ulysses) << ring << ulysses;
    }
    void aSampleWithoutKeysGetsZerosInARing()
    {
        QFETCH(int, ring);
        QFETCH(int, ulysses);
        const int world = ring * ulysses;
        const auto body = [&](engine::Mesh& mesh) {
            const c10::InferenceMode noAutograd;
            at::manual_seed(6);
            const auto random = [](std::int64_t tokens, std::int64_t parts) { return tests::onDevice(at::randn({kSamples, tokens, parts * kJointHeads * kJointSize})); };
            const std::int64_t here = kImage / world;
            const JointInput own {random(here, 3), random(kPrompt, 3), random(here, 1), random(kPrompt, 1)};
            const engine::SequenceGroups groups {&mesh.ring(), &mesh.ulysses()};
            const JointResult result = attendJointly(own, true, {kImage, kPrompt}, groups);
            bool isRight = result.dNorm.isfinite().all().item<bool>();
            for (const at::Tensor& values : {result.image, result.prompt, result.dImage, result.dPrompt})
                isRight &= values[1].eq(0).all().item<bool>() && values[0].ne(0).any().item<bool>() && values.isfinite().all().item<bool>();
            return isRight;
        };
        QCOMPARE(tests::runRanks({.world = world, .shard = world, .ring = ring, .ulysses = ulysses}, Exchange::Automatic, body),
            std::vector<int>(static_cast<std::size_t>(world), 0));
    }
};

QTEST_APPLESS_MAIN(SequenceAttentionTest)
#include "tst_sequence_attention.moc"
