// Ten steps of training a real model, on any number of ranks, are those of diffusers under a plain torch optimizer.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/contract/experiment/batch_shape.h"
#include "engine/tasks/flow_steps.h"
#include "engine/train/trainer.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_transformer.h"

#include <QRegularExpression>
#include <QtTest>

#include <cmath>
#include <cstdio>
#include <numeric>

using tests::GoldenTransformer;
using tests::ModelCase;

namespace {

namespace fs = std::filesystem;

constexpr int kRanks[] = {2, 3, 4};

/// The case's batches: each step's rows divided over ranks and micro-batches; where these make more rows than the case has,
/// several compute the same.
class GoldenBatches final : public engine::BatchSource {
public:
    GoldenBatches(const ModelCase& golden, std::int64_t microBatch)
        : m_golden(golden)
        , m_microBatch(microBatch)
    {
    }
    std::int64_t microBatch() const override { return m_microBatch; }
    engine::FlowBatch batch(const engine::BatchPosition& place) override
    {
        const auto rows = [&](const char* name) {
            const at::Tensor& all = m_golden.input(name);
            const at::Tensor step = all.select(0, place.step % all.size(0));  // on a GPU the batch after the last step is prepared, too
            const std::int64_t first = (place.micro * place.ranks + place.rank) * m_microBatch % step.size(0);
            return step.narrow(0, first, m_microBatch);
        };
        const at::Tensor clean = rows("latents"), noise = rows("noise"), sigmas = rows("sigmas");
        const at::Tensor s = sigmas.view({-1, 1, 1, 1});
        engine::FlowBatch batch;
        batch.noisy = (1 - s) * clean + s * noise;
        batch.target = noise - clean;
        batch.sigmas = sigmas;
        batch.prompt = rows("encoder_hidden_states");
        batch.pooled = rows("pooled_projections");
        return batch;
    }

private:
    const ModelCase& m_golden;
    std::int64_t m_microBatch;
};

contract::Experiment experimentOf(const nlohmann::json& optimizer)
{
    contract::Experiment experiment;
    experiment.set("optim.kind", std::string("adamw"));
    experiment.set("optim.lr", optimizer.at("lr").get<double>());
    experiment.set("optim.beta1", optimizer.at("betas").at(0).get<double>());
    experiment.set("optim.beta2", optimizer.at("betas").at(1).get<double>());
    experiment.set("optim.eps", optimizer.at("eps").get<double>());
    experiment.set("optim.weight_decay", optimizer.at("weight_decay").get<double>());
    experiment.set("optim.clip_norm", optimizer.at("max_grad_norm").get<double>());
    return experiment;
}

/// Of a case that trains one: "LoRA (r 4, alpha 8) on to_q, to_k; start from …".
tests::GoldenAdapter adapterOf(const ModelCase& golden)
{
    const auto words = QRegularExpression(QStringLiteral("^LoRA \\(r (\\d+), alpha (\\d+)\\) on ([^;]+);"))
                           .match(QString::fromStdString(golden.json().at("trained")));
    if (!words.hasMatch())
        return {};
    std::vector<std::string> targets;
    for (const QString& target : words.captured(3).split(QStringLiteral(", ")))
        targets.push_back(target.toStdString());
    return tests::readGoldenAdapter(golden.modelFolder(), golden.folder() / "lora_init.safetensors",
        {{"r", words.captured(1).toInt()}, {"lora_alpha", words.captured(2).toInt()}, {"target_modules", targets}});
}

struct Division {
    std::int64_t microBatch = 1, accumulation = 1;
    bool recomputes = false;
};

std::vector<std::string> problemsOf(const ModelCase& golden, engine::Mesh& mesh, const Division& division)
{
    std::vector<std::string> problems;
    GoldenTransformer transformer(golden.modelFolder(), mesh.shard(),
        {.sequence = {.recompute = *contract::UnitSelection::parse(division.recomputes ? "all" : "none")},
            .decaysAll = true, .adapter = adapterOf(golden)});
    GoldenBatches batches(golden, division.microBatch);
    const c10::Device device = tests::device();
    engine::FlowSteps steps(transformer.model(), batches, division.accumulation, mesh.data(), device);
    engine::Trainer trainer(experimentOf(golden.json().at("optimizer")), transformer.units(), mesh, device);

    const auto& tolerance = golden.json().at("tolerance");
    const auto isNear = [](double actual, double expected, double rtol) { return std::abs(actual - expected) <= rtol * std::abs(expected); };
    for (std::int64_t step = 0; step < golden.json().at("steps").get<std::int64_t>(); ++step) {
        const engine::StepReport report = trainer.step(steps, steps.loss(), {});
        const double loss = golden.expectedTensor("losses")[step].item<double>(), norm = golden.expectedTensor("grad_norms")[step].item<double>();
        if (!isNear(report.loss, loss, tolerance.at("losses").at("rtol")) || !isNear(report.gradNorm, norm, tolerance.at("grad_norms").at("rtol")))
            problems.push_back("step " + std::to_string(step) + ": loss " + std::to_string(report.loss) + " and norm " + std::to_string(report.gradNorm)
                + " instead of " + std::to_string(loss) + " and " + std::to_string(norm));
    }
    for (const std::string& name : transformer.trained()) {
        const at::Tensor& expected = golden.expectedTensor("final." + name);
        const at::Tensor error = (transformer.weight(name) - expected).abs();
        const at::Tensor excess = error - tolerance.at("final").at("atol").get<double>()
            - tolerance.at("final").at("rtol").get<double>() * expected.abs();
        if (!(excess.max().item<double>() <= 0) || !(error.mean().item<double>() <= tolerance.at("final_mean_abs").at("max").get<double>()))
            problems.push_back(name + " is off by " + std::to_string(error.max().item<double>()) + " at the end");
    }
    if (transformer.trained().size() + 2 != golden.expected().size())
        problems.push_back("not all that the case trains is trained");
    return problems;
}

}  // namespace

class ModelTrainingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tenStepsAreThoseOfDiffusers_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<qint64>("microBatch");
        QTest::addColumn<qint64>("accumulation");
        QTest::addColumn<bool>("recomputes");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Training))) {
            const ModelCase golden(folder, tests::kCpu);
            const qint64 rows = golden.input("sigmas").size(1);
            const auto row = [&](const QString& what, int ranks, qint64 microBatch, qint64 accumulation, bool recomputes = false) {
                QTest::newRow(qPrintable(QString::fromStdString(golden.name()) + ", " + what))
                    << QString::fromStdString(folder.string()) << ranks << microBatch << accumulation << recomputes;
            };
            row("1 rank", 1, rows, 1);
            row(QStringLiteral("1 rank, E-143 %1 micro-batches").arg(rows), 1, 1, rows);
            for (const int ranks : kRanks) {
                // Ranks that do not divide the rows have the same ones.
                const qint64 own = rows / std::gcd(rows, qint64 {ranks});
                row(QStringLiteral("%1 ranks").arg(ranks), ranks, own, 1);
                if (own > 1)
                    row(QStringLiteral("%1 ranks, E-143 %2 micro-batches").arg(ranks).arg(own), ranks, 1, own);
                row(QStringLiteral("%1 ranks, E-009 blocks recomputed").arg(ranks), ranks, own, 1, true);
            }
        }
    }
    void tenStepsAreThoseOfDiffusers()
    {
        QFETCH(QString, folder);
        QFETCH(int, ranks);
        QFETCH(qint64, microBatch);
        QFETCH(qint64, accumulation);
        QFETCH(bool, recomputes);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            const auto problems = problemsOf(ModelCase(folder.toStdString()), mesh, {microBatch, accumulation, recomputes});
            for (const std::string& problem : problems)
                std::fprintf(stderr, "%s\n", problem.c_str());
            return problems.empty();
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void ranksHaveAsManyRowsEach_data()
    {
        QTest::addColumn<qint64>("rows");
        QTest::addColumn<int>("ranks");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Training))) {
            const ModelCase golden(folder, tests::kCpu);
            for (const int ranks : kRanks)
                QTest::addRow("E-143 %s, %d ranks", golden.name().c_str(), ranks) << qint64(golden.input("sigmas").size(1)) << ranks;
        }
    }
    void ranksHaveAsManyRowsEach()
    {
        QFETCH(qint64, rows);
        QFETCH(int, ranks);
        contract::Experiment experiment;
        experiment.set("batch.global", std::int64_t {rows});
        experiment.set("batch.micro", std::int64_t {1});
        std::optional<contract::Problem> problem;
        const std::int64_t steps = contract::accumulationSteps(experiment, ranks, problem);
        QCOMPARE(problem.has_value(), rows % ranks != 0);
        if (!problem) {
            QCOMPARE(steps * ranks, std::int64_t {rows});
            return;
        }
        QCOMPARE(problem->key, std::string("batch.global"));
        const QString said = QString::fromStdString(problem->message);
        const QString expected = QStringLiteral("batch.global = %1 is not a multiple of batch.micro = 1 times the %2 ").arg(rows).arg(ranks);
        QVERIFY2(said.startsWith(expected), qPrintable(said));
    }
};

QTEST_APPLESS_MAIN(ModelTrainingTest)
#include "tst_model_training.moc"
