// Reward models that PyTorch has compiled with AOTInductor score images.
#include "engine/comm/errors.h"
#include "engine/rewards/script_reward.h"
#include "tests/engine/rewards/reward_samples.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/tensor.h>

#include <QTemporaryDir>
#include <QtTest>

using engine::EngineError;
using tests::RewardSamples;

class RewardPackagesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::unique_ptr<engine::Reward> load(const char* file) const
    {
        return engine::loadPackageReward("compiled", m_folder.filePath(file).toStdString());
    }

private Q_SLOTS:
    void initTestCase()
    {
        int exitCode = 0;
        const QString python = QString::fromUtf8(tests::outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {}, &exitCode)).trimmed();
        QCOMPARE(exitCode, 0);
        tests::outputOf(python, {ATELIER_SOURCE_DIR "/tests/peers/make_reward_packages.py", m_folder.path()}, &exitCode);
        QCOMPARE(exitCode, 0);
    }

    void batchesOfAnySizeAreScored()
    {
        const auto reward = load("any.pt2");
        QCOMPARE(reward->name(), "compiled");
        QVERIFY(at::allclose(reward->scores(RewardSamples(3).batch), at::tensor({0.0F, 0.2F, 0.4F})));
        QVERIFY(at::allclose(reward->scores(RewardSamples(1).batch), at::tensor({0.0F})));
    }

    void modelsOfOneBatchSizeRefuseOthers()
    {
        const auto reward = load("four.pt2");
        QVERIFY(at::allclose(reward->scores(RewardSamples(4).batch), at::tensor({0.0F, 0.2F, 0.4F, 0.6F})));
        try {
            reward->scores(RewardSamples(3).batch);
            QFAIL("no error");
        } catch (const EngineError& error) {
            const QByteArray cause = error.what();
            QVERIFY2(cause.startsWith("the reward model \"" + m_folder.path().toUtf8() + "/four.pt2\" "), cause);
            QVERIFY2(!cause.contains('\n'), cause);
        }
    }
};

QTEST_GUILESS_MAIN(RewardPackagesTest)
#include "tst_reward_packages.moc"
