// Correction of a round by recomputed log-probabilities: the same on any number of ranks.
#include <ATen/ATen.h>

#include "engine/algorithm/rollout_correction.h"
#include "engine/rounds/round_correction.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"

#include <QtTest>

#include <cstdio>

using engine::TrainedRows;
using tests::kCpu;

namespace {

constexpr std::int64_t kRows = 8, kTransitions = 3, kMicro = 2;

at::Tensor oldLogProbs() { return at::linspace(-3, 2, kRows * kTransitions).view({kRows, kTransitions}); }
at::Tensor rolloutLogProbs() { return oldLogProbs() + at::linspace(0, 4, kRows * kTransitions).sin().view({kRows, kTransitions}); }

/// Timestep @p step of row @p row.
double timestepOf(std::int64_t row, std::int64_t step) { return 100.0 * static_cast<double>(step + row % 2 + 1); }

/// The micro-batches of rank @p rank of @p ranks.
std::vector<TrainedRows> microsOf(std::int64_t rank, std::int64_t ranks)
{
    std::vector<TrainedRows> micros;
    for (std::int64_t first = rank * kMicro; first < kRows; first += ranks * kMicro) {
        TrainedRows& micro = micros.emplace_back();
        micro.timesteps.resize(kTransitions);
        for (std::int64_t row = first; row < first + kMicro; ++row) {
            micro.drawn.rows.push_back(static_cast<std::uint64_t>(row));
            for (std::int64_t step = 0; step < kTransitions; ++step)
                micro.timesteps[static_cast<std::size_t>(step)].push_back(timestepOf(row, step));
        }
        micro.fields["old_log_probs"] = oldLogProbs().narrow(0, first, kMicro);
        micro.fields["rollout_log_probs"] = rolloutLogProbs().narrow(0, first, kMicro);
    }
    return micros;
}

contract::CorrectionSpec correction()
{
    contract::Problem problem;
    return *contract::parseCorrection({"token", "0.6_1.5", true, "seq_mean_k3", "0.2"}, problem);
}

}  // namespace

class RoundCorrectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void weightsAreThoseOfTheWholeRound_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("A-100 A-102 1 rank") << 1;
        QTest::newRow("A-100 A-102 2 ranks") << 2;
        QTest::newRow("A-100 A-102 4 ranks") << 4;
    }
    void weightsAreThoseOfTheWholeRound()
    {
        QFETCH(int, ranks);
        const engine::RolloutCorrection expected = engine::rolloutCorrection(oldLogProbs(), rolloutLogProbs(), correction());
        const at::Tensor weights = expected.weights();
        QVERIFY(weights.count_nonzero().item<std::int64_t>() > 0 && weights.count_nonzero().item<std::int64_t>() < weights.numel());
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::SharedMemory, [&](engine::Mesh& mesh) {
            std::vector<TrainedRows> micros = microsOf(mesh.data().rank(), ranks);
            const engine::NamedNumbers metrics = engine::correctRound(micros, correction(), kRows, mesh.data(), kCpu);
            bool isRight = true;
            for (const TrainedRows& micro : micros) {
                isRight &= !micro.fields.contains("rollout_log_probs");
                isRight &= at::equal(micro.fields.at("rollout_is_weights"), weights.narrow(0, static_cast<std::int64_t>(micro.drawn.rows.front()), kMicro));
            }
            for (const auto& [name, value] : expected.metrics)
                isRight &= metrics.at(name) == value.item<double>();
            return isRight;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void differencesAreReportedByTimestep_A105()
    {
        engine::LoneGroup lone;
        std::vector<TrainedRows> micros = microsOf(0, 1);
        const engine::NamedNumbers metrics = engine::correctRound(micros, {}, kRows, lone, kCpu);
        const at::Tensor differences = (oldLogProbs() - rolloutLogProbs()).abs();
        QVERIFY(std::abs(metrics.at("rollout_corr/logprob_abs_diff_max") - differences.max().item<double>()) < 1e-6);
        double sum = 0;
        int count = 0;
        for (std::int64_t row = 0; row < kRows; ++row) {
            for (std::int64_t step = 0; step < kTransitions; ++step) {
                if (timestepOf(row, step) != 200)
                    continue;
                sum += differences[row][step].item<double>();
                ++count;
            }
        }
        QVERIFY(std::abs(metrics.at("rollout_corr/logprob_abs_diff/ts_200") - sum / count) < 1e-6);
        QVERIFY(!micros.front().fields.contains("rollout_is_weights"));  // nothing was asked for
    }
};

QTEST_GUILESS_MAIN(RoundCorrectionTest)
#include "tst_round_correction.moc"
