// In a steady step the host waits for the device once, and the device allocates nothing, whatever the model and the optimizer.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/contract/formats/json_config.h"
#include "engine/models/registry.h"
#include "engine/tasks/flow_steps.h"
#include "engine/train/trainer.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_transformer.h"
#include "tests/engine/shard/late_device.h"

#include <QtTest>

#include <cmath>
#include <vector>

using tests::ModelCase;

namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 6, kMicroBatches = 2;

/// The case's input with other latents and targets in each micro-batch.
class CaseBatches final : public engine::BatchSource {
public:
    explicit CaseBatches(const ModelCase& golden)
        : m_input(tests::modelInputOf(golden))
        , m_probe(tests::imageOf(golden, golden.input("probe")))
    {
    }
    std::int64_t microBatch() const override { return m_input.latents.size(0); }
    engine::FlowBatch batch(const engine::BatchPosition& position) override
    {
        const auto salt = static_cast<double>(position.step * 10 + position.micro);
        engine::FlowBatch batch;
        batch.noisy = (m_input.latents + salt).sin();
        batch.target = (m_probe * 3 + salt).cos();
        batch.sigmas = at::full({microBatch()}, 0.25 + 0.1 * static_cast<double>(position.micro), at::kFloat);
        batch.labels = m_input.labels;
        batch.prompt = m_input.prompt;
        batch.promptMask = m_input.promptMask;
        batch.pooled = m_input.pooled;
        batch.guidance = at::full({microBatch()}, 3.5, at::kFloat);
        return batch;
    }

private:
    engine::ModelInput m_input;
    at::Tensor m_probe;  ///< in the shape of the prediction
};

struct Run {
    std::vector<double> losses;
    std::vector<tests::LateCounts> steps;  ///< what each step counted
    std::vector<engine::StepTimes> times;
};

Run train(const ModelCase& golden, c10::Device device, const contract::Experiment& experiment)
try {
    engine::LoneGroup lone;
    engine::Mesh mesh({}, std::make_unique<engine::LoneGroup>());
    engine::BufferPool pool(lone, device);
    // By math: LibTorch has its other kernels for CUDA only.
    const auto model = engine::buildTransformer(contract::JsonConfig(golden.modelFolder() / "config.json"),
        {.sequence = {.kernel = engine::AttentionKernel::Math}});
    engine::UnitSequence units(model->units(), lone, pool,
        {.computeDtype = experiment.text("engine.compute_dtype") == "bf16" ? at::kBFloat16 : at::kFloat, .stateBlock = engine::stateBlockOf(experiment)},
        {}, 7);
    CaseBatches batches(golden);
    engine::FlowSteps steps(*model, batches, kMicroBatches, mesh.data(), device);
    engine::Trainer trainer(experiment, units, mesh, device);
    Run run;
    for (int step = 0; step < kSteps; ++step) {
        const tests::LateCounts before = tests::lateCounts();
        const engine::StepReport report = trainer.step(steps, steps.loss(), {});
        run.losses.push_back(report.loss);
        run.times.push_back(report.times);
        const tests::LateCounts& after = tests::lateCounts();
        run.steps.push_back({after.waits - before.waits, after.operators - before.operators, after.allocations - before.allocations});
    }
    return run;
} catch (const std::exception& error) {
    qWarning("%s on %s: %s", golden.name().c_str(), device.str().c_str(), error.what());
    return {};
}

}  // namespace

class SteadyStepsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theHostWaitsOnce_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<QString>("dtype");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Transformer))) {
            const QString path = QString::fromStdString(folder.string()), name = QString::fromStdString(folder.filename());
            QTest::addRow("defect-39: %s", qPrintable(name)) << path << "adamw" << "fp32";
            if (name == QLatin1String("sd3")) {
                QTest::addRow("defect-39: %s, 8-bit states", qPrintable(name)) << path << "adamw8bit" << "fp32";
                QTest::addRow("defect-39: %s, Muon", qPrintable(name)) << path << "muon" << "fp32";
                QTest::addRow("defect-39: %s, bf16", qPrintable(name)) << path << "adamw" << "bf16";
            }
        }
    }
    void theHostWaitsOnce()
    {
        QFETCH(QString, folder);
        QFETCH(QString, optimizer);
        QFETCH(QString, dtype);
        at::set_num_threads(1);
        const ModelCase golden(folder.toStdString());
        contract::Experiment experiment;
        experiment.set("optim.kind", optimizer.toStdString());
        experiment.set("optim.lr", 1e-3);
        experiment.set("engine.compute_dtype", dtype.toStdString());
        const Run late = train(golden, tests::lateDevice(), experiment);
        const Run plain = train(golden, c10::Device(c10::DeviceType::CPU), experiment);
        QCOMPARE(late.losses.size(), std::size_t(kSteps));
        const double tolerance = dtype == QLatin1String("bf16") ? 3e-2 : 1e-3;
        for (std::size_t step = 0; step < late.losses.size(); ++step) {
            QVERIFY2(std::abs(late.losses[step] / plain.losses[step] - 1) < tolerance,
                qPrintable(QStringLiteral("step %1: %2 instead of %3").arg(step).arg(late.losses[step]).arg(plain.losses[step])));
            if (step < 3)
                continue;  // the first steps fill caches
            QCOMPARE(late.steps[step].waits, 1);
            QCOMPARE(late.steps[step].allocations, 0);
        }
    }

    void timesAreTheDevices_data()
    {
        QTest::addColumn<QString>("folder");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Transformer)))
            QTest::addRow("defect-38: %s", folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
    /// Every operator of a step belongs to one part of it, whenever the host has launched it.
    void timesAreTheDevices()
    {
        QFETCH(QString, folder);
        at::set_num_threads(1);
        const Run run = train(ModelCase(folder.toStdString()), tests::lateDevice(), contract::Experiment());
        QCOMPARE(run.times.size(), std::size_t(kSteps));
        for (std::size_t step = 3; step < run.times.size(); ++step) {
            const engine::StepTimes& times = run.times[step];
            QVERIFY(times.forward > 0 && times.backward > 0 && times.optimizer > 0);
            QCOMPARE(times.data + times.forward + times.backward + times.communication + times.optimizer, double(run.steps[step].operators));
        }
    }
};

QTEST_APPLESS_MAIN(SteadyStepsTest)
#include "tst_steady_steps.moc"
