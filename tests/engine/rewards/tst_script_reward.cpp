// Rewards of TorchScript models, which the test writes itself.
#include "engine/comm/errors.h"
#include "engine/rewards/script_reward.h"
#include "tests/engine/rewards/reward_samples.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/tensor.h>
#include <torch/script.h>

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using tests::RewardSamples;

class ScriptRewardTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path file() const { return m_folder.filePath("model.pt").toStdString(); }

    /// Writes a model with one weight, 2, and the given methods.
    fs::path model(const char* methods) const
    {
        torch::jit::Module module("Model");
        module.register_parameter("weight", at::tensor({2.0F}).set_requires_grad(true), /*is_buffer=*/false);
        module.register_attribute("training", c10::BoolType::get(), true);
        module.define(methods);
        module.save(file().string());
        return file();
    }

    QByteArray causeOf(const std::function<void()>& act) const
    {
        try {
            act();
        } catch (const engine::EngineError& error) {
            return QByteArray(error.what()).replace(m_folder.path().toUtf8(), "FOLDER");
        }
        return "no error";
    }

private Q_SLOTS:
    void scoresImages_data()
    {
        QTest::addColumn<QByteArray>("methods");
        QTest::addColumn<at::Tensor>("expected");
        QTest::newRow("images") << QByteArray("def forward(self, images):\n  return images.mean([1, 2, 3]) * self.weight\n")
                                << at::tensor({0.0F, 0.2F, 0.4F});
        QTest::newRow("a column of doubles")
            << QByteArray("def forward(self, images):\n  return images.mean([2, 3]).sum(1, keepdim=True).double()\n")
            << at::tensor({0.0F, 0.3F, 0.6F});
        QTest::newRow("images and prompts")
            << QByteArray("def forward(self, images, prompts: List[str]):\n"
                          "  return torch.tensor([float(len(p)) for p in prompts]) + images.amax([1, 2, 3])\n")
            << at::tensor({8.0F, 8.1F, 8.2F});
        QTest::newRow("in evaluation mode") << QByteArray("def forward(self, images):\n"
                                                          "  return images.mean([1, 2, 3]) + float(self.training)\n")
                                            << at::tensor({0.0F, 0.1F, 0.2F});
    }
    void scoresImages()
    {
        QFETCH(QByteArray, methods);
        QFETCH(at::Tensor, expected);
        const auto reward = engine::loadScriptReward("mean", model(methods.constData()));
        QCOMPARE(reward->name(), "mean");
        const at::Tensor scores = reward->scores(RewardSamples(3).batch);
        QCOMPARE(scores.scalar_type(), at::kFloat);
        QVERIFY(scores.sizes() == expected.sizes() && at::allclose(scores, expected));
        QVERIFY(!scores.requires_grad() && at::GradMode::is_enabled());
    }

    void failuresNameTheFile_data()
    {
        QTest::addColumn<QByteArray>("methods");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("another shape") << QByteArray("def forward(self, images):\n  return images.mean([2, 3])\n") << QByteArray(
            "the reward model \"FOLDER/model.pt\" returned a tensor of shape [2, 3] for 2 images; it must return one score each");
        QTest::newRow("too few") << QByteArray("def forward(self, images):\n  return images[0, 0, 0, :1]\n") << QByteArray(
            "the reward model \"FOLDER/model.pt\" returned a tensor of shape [1] for 2 images; it must return one score each");
        QTest::newRow("a number") << QByteArray("def forward(self, images):\n  return 1.0\n") << QByteArray(
            "the reward model \"FOLDER/model.pt\" returned something else than a tensor");
        QTest::newRow("NaN") << QByteArray("def forward(self, images):\n  return images.mean([1, 2, 3]) / 0.0\n") << QByteArray(
            "the reward model \"FOLDER/model.pt\" returned a score that is not finite");
        QTest::newRow("an exception") << QByteArray("def forward(self, images):\n  assert images.size(2) == 224, 'wants 224 pixels'\n"
                                                    "  return images.mean([1, 2, 3])\n") << QByteArray("wants 224 pixels");
        QTest::newRow("no arguments") << QByteArray("def forward(self):\n  return self.weight\n") << QByteArray(
            "the reward model \"FOLDER/model.pt\" has no forward(images) or forward(images, prompts)");
        QTest::newRow("no forward") << QByteArray("def score(self, images):\n  return images\n") << QByteArray(
            "the reward model \"FOLDER/model.pt\" has no forward(images) or forward(images, prompts)");
    }
    void failuresNameTheFile()
    {
        QFETCH(QByteArray, methods);
        QFETCH(QByteArray, expected);
        const fs::path file = model(methods.constData());
        const QByteArray cause = causeOf([&] { engine::loadScriptReward("x", file)->scores(RewardSamples(2).batch); });
        QVERIFY2(cause.startsWith("the reward model \"FOLDER/model.pt\" ") && cause.contains(expected), cause);
        QVERIFY2(!cause.contains('\n') && cause.size() < 400, cause);
    }

    void damagedFilesAreNamed_data()
    {
        QTest::addColumn<bool>("isPackage");
        QTest::newRow("TorchScript") << false;
        QTest::newRow("AOTInductor") << true;
    }
    void damagedFilesAreNamed()
    {
        QFETCH(bool, isPackage);
        const auto load = [&](const char* name, const fs::path& from) {
            return isPackage ? engine::loadPackageReward(name, from) : engine::loadScriptReward(name, from);
        };
        std::ofstream(file()) << "no model";
        const QByteArray damaged = causeOf([&] { load("x", file()); });
        QVERIFY2(damaged.startsWith("the reward model \"FOLDER/model.pt\" cannot be loaded: "), damaged);
        fs::remove(file());
        const QByteArray missing = causeOf([&] { load("x", file()); });
        QVERIFY2(missing.startsWith("the reward model \"FOLDER/model.pt\" cannot be loaded: "), missing);
    }
};

QTEST_GUILESS_MAIN(ScriptRewardTest)
#include "tst_script_reward.moc"
