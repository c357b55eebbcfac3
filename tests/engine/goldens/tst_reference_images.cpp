// Row E-014: images that the drawn one begins from. Their tokens follow its own in one sequence, and the prediction is of its own.
#include <ATen/ATen.h>

#include "engine/comm/errors.h"
#include "engine/diffusion/guided_sampler.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/goldens/golden_transformer.h"
#include "tests/paths.h"
#include "tests/support/tiny_pipelines.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cstdio>

using engine::ModelInput;
using engine::Tape;
using tests::GoldenTransformer;

namespace {

namespace fs = std::filesystem;

at::Tensor wavy(at::IntArrayRef shape, double step)
{
    return at::arange(1, c10::multiply_integers(shape) + 1, at::kDouble).mul(step).sin().to(at::kFloat).view(shape);
}

/// 12 tokens of the drawn image, 20 of the others: so ranks of a sequence have both kinds, or one.
ModelInput inputOf(double sigma, std::int64_t batch = 2)
{
    ModelInput input;
    input.latents = wavy({batch, 4, 6, 8}, 0.7);
    input.sigmas = at::full({batch}, sigma);
    input.prompt = wavy({batch, 5, 24}, 0.3);
    input.references = {wavy({batch, 4, 4, 8}, 1.1), wavy({batch, 4, 12, 4}, 1.3)};
    return input;
}

at::Tensor predicted(GoldenTransformer& transformer, const ModelInput& input)
{
    return engine::predict(transformer.model(), transformer.units(), input);
}

/// Of mean(prediction · probe), for all that trains; summed over the ranks.
std::map<std::string, at::Tensor> gradients(GoldenTransformer& transformer, const ModelInput& input)
{
    transformer.units().zeroGrad();
    {
        Tape tape(transformer.units(), Tape::Mode::Train);
        const engine::Var output = transformer.model().forward(tape, input);
        const at::Tensor probe = wavy(output->data.sizes(), 0.9);
        tape.backward(output, probe / static_cast<double>(probe.numel()));
    }
    std::map<std::string, at::Tensor> all;
    for (const std::string& name : transformer.trained())
        all[name] = transformer.gradient(name);
    return all;
}

bool holds(bool isTrue, const std::string& what)
{
    if (!isTrue)
        std::fprintf(stderr, "not so: %s\n", what.c_str());
    return isTrue;
}

/// Up to rounding, where numbers near zero are differences of those as large as the largest.
bool isNear(const at::Tensor& a, const at::Tensor& b)
{
    return at::allclose(a, b, 1e-4, 1e-6 * std::max(1.0, b.abs().max().item<double>()));
}

/// @return what is wrong with an input, in one sentence
template <typename Action>
QByteArray refusal(Action action)
{
    try {
        action();
    } catch (const engine::EngineError& error) {
        return error.what();
    }
    return "not refused";
}

}  // namespace

class ReferenceImagesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path folder(bool isTimeless) const { return m_folder.path().toStdString() + (isTimeless ? "/edit-timeless" : "/edit"); }
    /// On one rank.
    void alone(const std::function<bool(engine::Mesh&)>& body) const
    {
        QCOMPARE(tests::runRanks({.world = 1, .shard = 1}, engine::Exchange::SharedMemory, body), std::vector<int> {0});
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const bool isTimeless : {false, true})
            tests::makeEditTransformer(m_folder.path().toStdString(), isTimeless);
    }

    void thePredictionIsOfTheDrawnImage_data()
    {
        QTest::addColumn<bool>("isTimeless");
        QTest::newRow("E-014 all at one time") << false;
        QTest::newRow("E-014 references at time 0") << true;
    }
    void thePredictionIsOfTheDrawnImage()
    {
        QFETCH(bool, isTimeless);
        alone([&](engine::Mesh& mesh) {
            GoldenTransformer transformer(folder(isTimeless), mesh.shard(), {});
            ModelInput input = inputOf(0.6);
            const at::Tensor both = predicted(transformer, input);
            bool isRight = holds(both.sizes() == input.latents.sizes(), "its shape is the latents'");
            std::swap(input.references[0], input.references[1]);
            const at::Tensor swapped = predicted(transformer, input);
            isRight &= holds(!isNear(swapped, both), "the order of references matters");
            input.references.pop_back();
            isRight &= holds(!isNear(predicted(transformer, input), swapped), "each reference matters");
            // Places within images of one size are the same: their order alone tells them apart.
            input.references = {wavy({2, 4, 4, 4}, 1.1), wavy({2, 4, 4, 4}, 1.3)};
            const at::Tensor inOrder = predicted(transformer, input);
            std::swap(input.references[0], input.references[1]);
            isRight &= holds(!isNear(predicted(transformer, input), inOrder), "so it does for those of one size");
            input.references.clear();
            isRight &= holds(predicted(transformer, input).sizes() == input.latents.sizes(), "it draws without one");
            return isRight;
        });
    }

    void timelessReferencesDifferWhileThereIsNoise()
    {
        alone([&](engine::Mesh& mesh) {
            GoldenTransformer timed(folder(false), mesh.shard(), {}), timeless(folder(true), mesh.shard(), {});
            const auto isSame = [&](const ModelInput& input) { return isNear(predicted(timed, input), predicted(timeless, input)); };
            ModelInput none = inputOf(0.6);
            none.references.clear();
            return holds(isSame(inputOf(0)), "E-014: at time 0 all are told the same") & holds(!isSame(inputOf(0.6)), "E-014: but not before")
                & holds(isSame(none), "E-014: nor does it matter without references");
        });
    }

    void ranksDivideTheWholeSequence_data()
    {
        QTest::addColumn<int>("ring");
        QTest::addColumn<int>("ulysses");
        QTest::addColumn<bool>("isTimeless");
        QTest::addColumn<bool>("isRecomputed");
        for (const bool isTimeless : {false, true}) {
            const char* kind = isTimeless ? "references at time 0" : "all at one time";
            QTest::addRow("E-014 ulysses 2, %s", kind) << 1 << 2 << isTimeless << false;
            QTest::addRow("E-014 ring 2, recomputed, %s", kind) << 2 << 1 << isTimeless << true;
            QTest::addRow("E-014 ulysses 2, ring 2, %s", kind) << 2 << 2 << isTimeless << false;
        }
    }
    void ranksDivideTheWholeSequence()
    {
        QFETCH(int, ring);
        QFETCH(int, ulysses);
        QFETCH(bool, isTimeless);
        QFETCH(bool, isRecomputed);
        const int ranks = ring * ulysses;
        const auto body = [&](engine::Mesh& mesh) {
            GoldenTransformer whole(folder(isTimeless), mesh.shard(), {}),
                divided(folder(isTimeless), mesh.shard(),
                    {.sequence = {.recompute = *contract::UnitSelection::parse(isRecomputed ? "all" : "none")},
                        .setup = {.sequence = {&mesh.ring(), &mesh.ulysses()}}});
            const ModelInput input = inputOf(0.6);
            bool isRight = holds(isNear(predicted(divided, input), predicted(whole, input)), "the prediction is the same");
            const auto expected = gradients(whole, input), actual = gradients(divided, input);
            for (const auto& [name, gradient] : expected)
                isRight &= holds(isNear(actual.at(name) * ranks, gradient), "so is the gradient of " + name);
            return isRight;
        };
        QCOMPARE(tests::runRanks({.world = ranks, .shard = ranks, .ring = ring, .ulysses = ulysses}, engine::Exchange::SharedMemory, body),
            std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void gradientsAreSlopes()
    {
        alone([&](engine::Mesh& mesh) {
            GoldenTransformer transformer(folder(true), mesh.shard(), {});
            const ModelInput input = inputOf(0.6);
            const auto loss = [&] {
                const at::Tensor prediction = predicted(transformer, input);
                return (prediction * wavy(prediction.sizes(), 0.9)).to(at::kDouble).mean().item<double>();
            };
            const auto slopes = gradients(transformer, input);
            bool isRight = true;
            for (const char* module : {"img_in", "transformer_blocks.0.img_mod.1", "transformer_blocks.1.img_mod.1", "transformer_blocks.0.txt_mod.1",
                     "transformer_blocks.0.attn.to_k", "transformer_blocks.1.img_mlp.net.0.proj", "time_text_embed.timestep_embedder.linear_2"}) {
                const std::string name = std::string(module) + ".weight";
                const at::Tensor before = transformer.weight(name).clone(), direction = wavy(before.sizes(), 1.7) * 2e-3;
                const auto lossAt = [&](double step) {
                    transformer.setWeight(name, before + direction * step);
                    return loss();
                };
                const double measured = (lossAt(1) - lossAt(-1)) / 2, expected = (slopes.at(name) * direction).sum().item<double>();
                transformer.setWeight(name, before);
                isRight &= holds(std::abs(measured - expected) < 0.02 * std::abs(expected) + 1e-6,
                    "E-014: " + name + " has the slope " + std::to_string(measured) + ", its gradient says " + std::to_string(expected));
            }
            return isRight;
        });
    }

    /// Guidance begins both of its passes from the same images.
    void bothConditionsHaveThem()
    {
        alone([&](engine::Mesh& mesh) {
            GoldenTransformer transformer(folder(true), mesh.shard(), {});
            const ModelInput given = inputOf(0, 1);
            ModelInput positive, negative;
            positive.prompt = given.prompt;
            negative.prompt = wavy({1, 5, 24}, 0.5);
            const auto velocity = [&](const ModelInput& condition) {
                ModelInput input = condition;
                input.latents = given.latents;
                input.sigmas = at::ones({1});
                input.references = given.references;
                return predicted(transformer, input);
            };
            const engine::NoiseLevels levels = engine::noiseLevels({}, engine::Spacing::Sigmas, 1, 0);  // from 1 to 0 at once
            constexpr double kScale = 3;
            const at::Tensor drawn = engine::sampleGuided(transformer.model(), transformer.units(), given.latents, {positive, negative, given.references},
                levels, {engine::Guidance::Classifier, kScale});
            const at::Tensor expected = given.latents - (velocity(negative) + (velocity(positive) - velocity(negative)) * kScale);
            return holds(at::allclose(drawn, expected, 1e-4, 1e-5), "E-014: a step along what the two say together");
        });
    }

    void whatDoesNotFitIsRefused()
    {
        alone([&](engine::Mesh& mesh) {
            GoldenTransformer transformer(folder(true), mesh.shard(), {});
            const auto told = [&](std::vector<at::Tensor> references) {
                ModelInput input = inputOf(0.6);
                input.references = std::move(references);
                return refusal([&] { predicted(transformer, input); });
            };
            const auto says = [](const QByteArray& sentence, const char* words) {
                return holds(sentence.contains(words), "E-014: \"" + sentence.toStdString() + "\" says \"" + words + "\"");
            };
            bool isRight = says(told({at::zeros({2, 4, 4, 4}), {}}), "reference image 2 is missing; the input has latents, sigmas, prompt");
            isRight &= says(told({at::zeros({2, 16, 4})}), "reference image 1 has latents of shape [2, 16, 4]");
            isRight &= says(told({at::zeros({1, 4, 4, 4})}), "it must be [2, 4, height, width]");
            isRight &= says(told({at::zeros({2, 3, 4, 4})}), "it must be [2, 4, height, width]");
            isRight &= says(told({at::zeros({2, 4, 4, 5})}), "both multiples of 2");

            const engine::NoiseLevels levels = engine::noiseLevels({}, engine::Spacing::Sigmas, 1, 0);
            const auto sampled = [&](const engine::Denoiser& denoiser, const ModelInput& positive) {
                return refusal([&] { engine::sampleGuided(denoiser, at::zeros({1, 4, 4, 4}), {positive, {}}, levels, {}); });
            };
            const auto echo = [](const ModelInput& input, double) { return input.latents; };
            const auto shorter = [](const ModelInput& input, double) { return input.latents.narrow(2, 0, 2); };
            isRight &= says(sampled(echo, inputOf(0, 1)), "for both conditions together");
            isRight &= says(sampled(shorter, {}), "prediction has shape [1, 4, 2, 4], the latents have [1, 4, 4, 4]");
            isRight &= says(sampled(echo, {}), "not refused");

            GoldenTransformer other(fs::path(ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline/transformer"), mesh.shard(), {});
            ModelInput input;
            input.latents = at::zeros({1, 16, 4, 4});
            input.references = {at::zeros({1, 16, 4, 4})};
            return isRight & says(refusal([&] { predicted(other, input); }), "this model takes no reference images");
        });
    }

    void theSequenceIsDividedEvenly()
    {
        const auto body = [&](engine::Mesh& mesh) {
            GoldenTransformer transformer(folder(true), mesh.shard(), {.setup = {.sequence = {&mesh.ring(), &mesh.ulysses()}}});
            ModelInput input = inputOf(0.6);
            input.references = {at::zeros({2, 4, 2, 2})};
            const QByteArray sentence = refusal([&] { predicted(transformer, input); });
            return holds(sentence.contains("= 13 must be a multiple of the ranks of a sequence = 2"), "E-014: " + sentence.toStdString());
        };
        QCOMPARE(tests::runRanks({.world = 2, .shard = 2, .ring = 1, .ulysses = 2}, engine::Exchange::SharedMemory, body), std::vector<int>({0, 0}));
    }
};

QTEST_GUILESS_MAIN(ReferenceImagesTest)
#include "tst_reference_images.moc"
