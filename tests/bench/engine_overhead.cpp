// What the engine itself costs: steps of a model whose units compute nothing, over 1 to 64 units and 1 to 4 ranks. The
// figure is the time a unit adds to a step, without the time that ranks wait for each other.
#include "engine/tasks/flow_steps.h"
#include "engine/train/trainer.h"
#include "tests/bench/figures.h"
#include "tests/engine/comm/forked_ranks.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <unistd.h>

#include <iostream>
#include <map>
#include <optional>

namespace {

constexpr std::int64_t kWidth = 16;
constexpr int kMostRanks = 4;
const std::vector<std::int64_t> kUnits = {1, 4, 16, 64};

/// A chain of units of 272 parameters each, whose layer leaves its output and gradients as they are.
class Chain final : public engine::Model {
public:
    explicit Chain(std::int64_t blocks)
        : m_blocks(blocks)
    {
    }
    std::vector<engine::UnitSpec> units() const override
    {
        std::vector<engine::UnitSpec> specs;
        for (std::int64_t i = 0; i <= m_blocks; ++i) {
            const std::string name = i == 0 ? "root" : "blocks." + std::to_string(i - 1);
            specs.push_back({name,
                {{name + ".weight", {kWidth, kWidth}, 0.02, true}, {name + ".bias", {kWidth}, 0, false}}});
        }
        return specs;
    }
    engine::Var forward(engine::Tape& tape, const engine::ModelInput& input) const override
    {
        const auto apply = [&tape](engine::Unit& unit, engine::Var x) {
            const engine::Var out = tape.make(x->data.sizes(), at::kFloat);
            tape.record(out, [&tape, &unit, x] {
                unit.parameter(0).isGradWritten = unit.parameter(1).isGradWritten = true;
                if (x->needsGrad)
                    tape.contribute(x);
            });
            return out;
        };
        engine::Var x = apply(tape.root(), tape.input(input.latents.view({1, kWidth})));
        for (std::size_t i = 1; i < tape.unitCount(); ++i)
            x = tape.unit(i, {x}, [=](engine::Unit& unit, const auto& in) { return std::vector<engine::Var> {apply(unit, in[0])}; })
                    .front();
        return x;
    }
    std::int64_t nullLabel() const override { return 0; }
    double forwardFlops(const engine::ModelInput&) const override { return 0; }
    std::map<std::string, std::string> shapeOptions() const override { return {}; }

private:
    std::int64_t m_blocks;
};

class SameBatch final : public engine::BatchSource {
public:
    std::int64_t microBatch() const override { return 1; }
    engine::FlowBatch batch(const engine::BatchPosition&) override { return m_batch; }

private:
    engine::FlowBatch m_batch {at::zeros({1, kWidth}), at::zeros({1, kWidth}), at::zeros({1}), at::zeros({1}, at::kLong)};
};

/// Microseconds of each step, without waiting.
std::vector<double> stepsOf(engine::Mesh& mesh, std::int64_t blocks, bool reshards)
{
    constexpr int kWarmUp = 50, kSteps = 400;
    contract::Experiment experiment;
    experiment.set("ema.decay", 0.0);
    const Chain model(blocks);
    engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
    engine::UnitSequence units(model.units(), mesh.shard(), pool, {.keepsAverage = false},
        {.reshardAfterForward = reshards}, 0);
    SameBatch batches;
    engine::FlowSteps flow(model, batches, 1, mesh.data(), pool.device());
    const engine::LossFunction loss = flow.loss();
    engine::Trainer trainer(experiment, units, mesh, pool.device());
    std::vector<double> times;
    for (int i = 0; i < kWarmUp + kSteps; ++i) {
        const engine::StepTimes step = trainer.step(flow, loss, {}).times;
        if (i >= kWarmUp)
            times.push_back((step.step - step.communication) * 1000);
    }
    mesh.world().barrier("between models");
    return times;
}

nlohmann::json rowsOf(engine::Mesh& mesh)
{
    const int ranks = mesh.shape().world;
    nlohmann::json rows = nlohmann::json::array();
    for (const bool reshards : {false, true}) {
        std::map<std::int64_t, std::vector<double>> steps;
        for (const std::int64_t blocks : kUnits)
            steps[blocks] = stepsOf(mesh, blocks, reshards);
        const std::string name
            = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + (reshards ? ", reshard" : "");
        for (const auto& [blocks, times] : steps)
            rows.push_back(bench::row("engine", name, std::to_string(blocks) + " units", "us",
                {bench::quantile(times, 0.5)}, bench::Better::Lower, {}));
        const double base = bench::quantile(steps[kUnits.front()], 0.5);
        std::vector<double> each;
        for (const double time : steps[kUnits.back()])
            each.push_back((time - base) / static_cast<double>(kUnits.back() - kUnits.front()));
        rows.push_back(bench::row("engine", name, "of a unit", "us", each, bench::Better::Lower, {30, "limit"}));
    }
    return rows;
}

/// What rank 0 measures, from its process.
std::optional<nlohmann::json> measure(int ranks)
{
    int ends[2] = {};
    if (::pipe(ends) != 0)
        return std::nullopt;
    const auto codes = tests::runRanks(
        {.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            const std::string text = rowsOf(mesh).dump();  // some kB: the pipe holds them until all have ended
            return mesh.world().rank() != 0 || ::write(ends[1], text.data(), text.size()) > 0;
        });
    ::close(ends[1]);
    std::string text(1 << 16, '\0');
    const ssize_t count = ::read(ends[0], text.data(), text.size());
    ::close(ends[0]);
    if (count <= 0 || codes != std::vector<int>(static_cast<std::size_t>(ranks), 0))
        return std::nullopt;
    return nlohmann::json::parse(text.substr(0, static_cast<std::size_t>(count)));
}

}  // namespace

int main()
{
    nlohmann::json rows = nlohmann::json::array();
    for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
        const auto measured = measure(ranks);
        if (!measured)
            return 1;
        rows.insert(rows.end(), measured->begin(), measured->end());
    }
    std::cout << nlohmann::json {{"rows", rows}}.dump() << "\n";
}
