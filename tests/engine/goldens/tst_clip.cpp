// CLIP with both towers, and the reward that it gives, against what transformers computed.
#include "engine/models/clip/clip_model.h"
#include "engine/rewards/clip_reward.h"
#include "engine/weights/file_weights.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/model_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>

#include <QtTest>

using tests::ModelCase;

namespace {

std::vector<std::string> promptsOf(const ModelCase& golden) { return golden.json().at("prompts").get<std::vector<std::string>>(); }

/// Image @p k as a reward gets it, [1, 3, H, W].
at::Tensor imageOf(const ModelCase& golden, std::size_t k)
{
    return golden.input("image." + std::to_string(k)).to(at::kFloat).div(255).unsqueeze(0);
}

engine::ClipModel modelOf(const ModelCase& golden) { return {golden.modelFolder(), tests::device()}; }

double largest(const at::Tensor& difference) { return difference.abs().max().item<double>(); }

}  // namespace

class ClipTest : public QObject {
    Q_OBJECT

    static void addCases()
    {
        QTest::addColumn<QString>("path");
        for (const auto& path : tests::rowsOf(tests::modelCases(tests::CaseKind::Clip)))
            QTest::newRow(path.filename().c_str()) << QString::fromStdString(path.string());
    }

private Q_SLOTS:
    void theTowersGiveTheSame_data() { addCases(); }
    void theTowersGiveTheSame()
    {
        QFETCH(QString, path);
        ModelCase golden(path.toStdString());
        const c10::InferenceMode guard;
        const engine::ClipModel model = modelOf(golden);
        std::map<std::string, at::Tensor> outputs;
        const auto keep = [&](std::int64_t k, const at::Tensor& state) { outputs["hidden_states." + std::to_string(k)] = state; };
        outputs["pooled"] = model.imageEncoder().encode(golden.expectedTensor("pixel_values"), keep);
        outputs["text_embeds"] = model.textEmbeddings(promptsOf(golden));
        QVERIFY(outputs.size() > 3);
        for (const auto& [name, output] : outputs)
            QCOMPARE(golden.check(name, output), std::string());
    }

    void imagesBecomeWhatPillowMakesOfThem_data() { addCases(); }
    void imagesBecomeWhatPillowMakesOfThem()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const engine::ClipModel model = modelOf(golden);
        const at::Tensor expected = golden.expectedTensor("pixel_values");
        const at::Tensor level = at::tensor({0.26862954, 0.26130258, 0.27577711}, at::kFloat).reciprocal().div(255).view({1, 3, 1, 1}).to(expected.device());
        double others = 0;
        for (std::size_t k = 0; k < promptsOf(golden).size(); ++k) {
            const at::Tensor prepared = tests::onDevice(model.imageProcessor().prepared(imageOf(golden, k)));
            const at::Tensor levels = (prepared - expected.narrow(0, static_cast<std::int64_t>(k), 1)) / level;
            QVERIFY2(largest(levels) < 2.01, QByteArray::number(largest(levels)));
            others += levels.abs().gt(0.01).sum().item<double>();
        }
        QVERIFY2(others < 0.01 * static_cast<double>(expected.numel()), QByteArray::number(others));
    }

    /// Together those of one prompt and one size; a level that Pillow rounds otherwise changes the score by some thousandths.
    void theRewardIsTheModelsLogit_data() { addCases(); }
    void theRewardIsTheModelsLogit()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const auto reward = engine::loadClipReward("fit", golden.modelFolder(), tests::device());
        QCOMPARE(reward->name(), "fit");
        const at::Tensor expected = golden.expectedTensor("scores");
        const auto prompts = promptsOf(golden);
        for (std::size_t k = 0; k < prompts.size(); ++k) {
            const engine::Prompt prompt {prompts[k]}, other {prompts[(k + 1) % prompts.size()]};
            const at::Tensor image = imageOf(golden, k), scores = reward->scores({at::cat({image, at::ones_like(image), image, image}),
                {&prompt, &prompt, &other, &prompt}});
            QCOMPARE(scores.sizes(), at::IntArrayRef({4}));
            QVERIFY(scores.scalar_type() == at::kFloat);
            for (const std::int64_t row : {0, 3}) {
                const double error = (scores[row] - expected[static_cast<std::int64_t>(k)]).item<double>();
                QVERIFY2(std::abs(error) < 0.02, QByteArray::number(error));
            }
            QVERIFY(std::abs((scores[1] - scores[0]).item<double>()) > 0.1);
            QVERIFY(std::abs((scores[2] - scores[0]).item<double>()) > 0.1);
        }
    }
};

QTEST_APPLESS_MAIN(ClipTest)
#include "tst_clip.moc"
