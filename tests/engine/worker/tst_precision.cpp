// The dtypes in which values are stored, computed and reduced; float16 with its loss scale.
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/median.h>

#include "engine/shard/unit.h"
#include "tests/engine/worker/reference_training.h"
#include "tests/engine/worker/worker_run.h"
#include "tests/support/whole_test.h"

#include <QtTest>

#include <cmath>

using tests::WorkerRun;

class PrecisionTest : public QObject {
    Q_OBJECT

    static contract::Experiment float16(int ranks)
    {
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("engine.compute_dtype", std::string("fp16"));
        return experiment;
    }

private Q_SLOTS:
    void gradientsOfMicroBatchesAddUpInFloat32_E044()
    {
        engine::LoneGroup lone;
        engine::BufferPool pool(lone, c10::Device(c10::DeviceType::CPU));
        engine::Unit unit({"block", {{"weight", {64, 64}, 0.02, true}}}, lone, pool, {.computeDtype = at::kBFloat16}, 1);
        unit.finishGather();
        QCOMPARE(unit.parameter(0).value.scalar_type(), at::kBFloat16);
        QCOMPARE(unit.master.scalar_type(), at::kFloat);
        unit.zeroGrad();
        for (int pass = 0; pass < 65; ++pass) {
            unit.beginBackward();
            unit.parameter(0).grad.fill_(pass == 0 ? 256.0 : 0.25);  // bfloat16 has eight bits: 256 + 0.25 is 256
            unit.parameter(0).isGradWritten = true;
            unit.startReduce(engine::Reduction::All);
            unit.finishReduce();
        }
        QCOMPARE(unit.gradShard.scalar_type(), at::kFloat);
        QVERIFY(unit.gradShard.narrow(0, 0, 4096).eq(272.0).all().item<bool>());
    }

    void gradientsTravelInTheReduceDtype_data()
    {
        QTest::addColumn<QByteArray>("dtype");
        QTest::newRow("E-044 fp32") << QByteArray("fp32");
        QTest::newRow("E-044 bf16") << QByteArray("bf16");
    }
    void gradientsTravelInTheReduceDtype()
    {
        QFETCH(QByteArray, dtype);
        auto experiment = tests::smallExperiment(2);
        experiment.set("run.total_steps", std::int64_t {1});
        experiment.set("engine.exchange", std::string("gloo"));
        experiment.set("engine.reduce_dtype", dtype.toStdString());
        experiment.set("optim.clip_norm", 0.0);
        experiment.set("optim.beta1", 0.0);  // the first moment is then the gradient itself, half the sum over ranks
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        const at::Tensor gradient = run.checkpoint(1).at("exp_avg/final.weight");
        QVERIFY(gradient.abs().max().item<double>() > 0);
        QCOMPARE(at::equal(gradient, gradient.to(at::kBFloat16).to(at::kFloat)), dtype == "bf16");
    }

    void mastersStayFloat32_data()
    {
        QTest::addColumn<QByteArray>("dtype");
        QTest::newRow("E-005 E-045 E-185 not set") << QByteArray();
        QTest::newRow("E-045, E-185 bf16") << QByteArray("bf16");
        QTest::newRow("E-045, E-185 fp16") << QByteArray("fp16");
    }
    void mastersStayFloat32()
    {
        QFETCH(QByteArray, dtype);
        auto experiment = tests::smallExperiment(1);
        experiment.reset("engine.compute_dtype");
        if (!dtype.isEmpty())
            experiment.set("engine.compute_dtype", dtype.toStdString());
        experiment.set("run.total_steps", std::int64_t {8});
        experiment.set("optim.lr", 1e-6);  // far below what bfloat16 can add to a weight of 0.02
        experiment.set("optim.weight_decay", 0.0);
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        experiment.set("run.total_steps", std::int64_t {1});
        WorkerRun shorter(experiment);
        QCOMPARE(shorter.run(), std::vector<int>(1, 0));
        const at::Tensor moved = (run.checkpoint(8).at("model/embed.weight") - shorter.checkpoint(1).at("model/embed.weight")).abs();
        // Also the large weights, whose neighbours in bfloat16 are 6e-5 away.
        QVERIFY(moved.median().item<double>() > 1e-6 && moved.max().item<double>() < 1e-5);
    }

    void float16ComputesCloseToFloat32_data()
    {
        QTest::addColumn<int>("ranks");
        if (tests::isWhole())
            QTest::newRow("E-188 1 rank") << 1;
        QTest::newRow("E-188 2 ranks") << 2;
    }
    void float16ComputesCloseToFloat32()
    {
        QFETCH(int, ranks);
        auto experiment = float16(ranks);
        const tests::DrawnCheckpoint drawn(experiment);
        experiment.set("checkpoint.init_from", drawn.path());
        experiment.set("optim.eps", 1e-3);         // updates depend on the size of a gradient, not on its sign alone
        experiment.set("scaler.initial", 1024.0);  // gradients are of the order of 1, and float16 ends at 65504
        const auto reference = tests::trainPlainly(experiment, 24, {.weights = drawn.weights()});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        // Rounding to float16 changes a number by up to 2⁻¹¹ of it; norms also have the rounding of the backward.
        constexpr double kLossLimit = 1.0 / 2048, kNormLimit = 4 * kLossLimit;
        const double loss = tests::relativeDifference(reference.losses, run.series("loss"));
        const double norm = tests::relativeDifference(reference.gradNorms, run.series("grad_norm"));
        QVERIFY2(loss <= kLossLimit && norm <= kNormLimit,
            qPrintable(QStringLiteral("losses differ by %1, norms by %2").arg(loss).arg(norm)));
        QCOMPARE(run.series("loss_scale"), std::vector<double>(20, 1024.0));
    }

    void anOverflowSkipsTheStepAndShrinksTheScale_E172_E185_E188()
    {
        auto experiment = float16(2);
        experiment.set("scaler.initial", 4e9);  // gradients of 1 and more become infinite
        experiment.set("scaler.max", 4e9);
        experiment.set("scaler.backoff", 0.0625);
        experiment.set("schedule.warmup_steps", std::int64_t {4});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        const auto scales = run.metric("loss_scale"), skipped = run.metric("skipped_steps"), lr = run.metric("lr");
        QCOMPARE(scales.at(1), 4e9);
        QCOMPARE(scales.at(2), 4e9);  // hysteresis: one overflow is none
        QCOMPARE(scales.at(3), 2.5e8);
        QVERIFY(skipped.at(20) >= 2 && skipped.at(20) < 10);
        // The schedule stands still while steps are skipped.
        const auto last = static_cast<std::int64_t>(skipped.at(20));
        QCOMPARE(lr.at(last + 1), 0.0);
        QCOMPARE(lr.at(last + 2), 0.25e-3);
        QVERIFY(run.metric("loss").at(20) < run.metric("loss").at(1));
    }

    void theScaleIsPartOfACheckpoint_E187_E189()
    {
        auto experiment = float16(2);
        experiment.set("run.total_steps", std::int64_t {9});
        experiment.set("scaler.growth_interval", std::int64_t {3});
        experiment.set("checkpoint.every", std::int64_t {4});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        const auto whole = run.metric("loss_scale");
        QCOMPARE(whole.at(4), 131072.0);
        QCOMPARE(whole.at(7), 262144.0);
        const auto expected = run.checkpoint(9);
        run.prepareAttempt(experiment, 4);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        for (const auto& [step, scale] : run.metric("loss_scale"))
            QCOMPARE(scale, whole.at(step));
        for (const auto& [name, tensor] : run.checkpoint(9))
            QVERIFY2(at::equal(tensor, expected.at(name)), name.c_str());
    }

    void aCheckpointWithoutAScaleIsRefused_E187()
    {
        auto experiment = tests::smallExperiment(1);
        experiment.set("run.total_steps", std::int64_t {2});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(1, 0));
        experiment.set("engine.compute_dtype", std::string("fp16"));
        run.prepareAttempt(experiment, 2);
        QCOMPARE(run.run(), std::vector<int>(1, 5));
        const QString cause = QString::fromStdString(run.lastText("end", "cause"));
        QVERIFY2(cause.contains("\"loss_scale"), qPrintable(cause));
    }
};

QTEST_GUILESS_MAIN(PrecisionTest)
#include "tst_precision.moc"
