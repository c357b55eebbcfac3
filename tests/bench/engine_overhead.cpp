// What the engine itself costs: steps of a model whose units compute nothing, over 1 to 64 units and 1 to 4 ranks. The
// figure is the time a unit adds to a step, without the time that ranks wait for each other.
#include "engine/comm/rendezvous.h"
#include "engine/train/trainer.h"
#include "tests/bench/figures.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <map>

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
            x = tape.unit(i, {x}, [=](engine::Unit& unit) { return std::vector<engine::Var> {apply(unit, x)}; })
                    .front();
        return x;
    }
    std::int64_t nullLabel() const override { return 0; }
    double forwardFlops() const override { return 0; }
    std::map<std::string, std::string> shapeOptions() const override { return {}; }

private:
    std::int64_t m_blocks;
};

class SameBatch final : public engine::BatchSource {
public:
    std::int64_t microBatch() const override { return 1; }
    engine::FlowBatch batch(const engine::BatchPlace&) override { return m_batch; }

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
    engine::UnitSequence units(model.units(), mesh.shard(), pool, {at::kFloat, at::kFloat, false},
        {.reshardAfterForward = reshards}, 0);
    SameBatch batches;
    engine::Trainer trainer(experiment, model, units, mesh, batches, pool.device());
    std::vector<double> times;
    for (int i = 0; i < kWarmUp + kSteps; ++i) {
        const engine::StepTimes step = trainer.step({}).times;
        if (i >= kWarmUp)
            times.push_back((step.step - step.communication) * 1000);
    }
    mesh.world().barrier("between models");
    return times;
}

int listen(int& port)
{
    const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), length);
    ::listen(descriptor, kMostRanks);
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length);
    port = ntohs(address.sin_port);
    return descriptor;
}

/// Rank 0 adds its rows; the others only take part.
void measure(const engine::RankIdentity& identity, nlohmann::json& rows)
{
    at::set_num_threads(1);
    const int ranks = identity.worldSize;
    const auto mesh = engine::joinRanks(
        identity, {.world = ranks, .shard = ranks}, nullptr, {.timeout = std::chrono::seconds(60)});
    for (const bool reshards : {false, true}) {
        std::map<std::int64_t, std::vector<double>> steps;
        for (const std::int64_t blocks : kUnits)
            steps[blocks] = stepsOf(*mesh, blocks, reshards);
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
}

}  // namespace

int main()
{
    nlohmann::json rows = nlohmann::json::array();
    for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
        int port = 0, results[2] = {};
        const int listening = listen(port);
        if (::pipe(results) != 0)
            return 1;
        // Every rank is a child: a process that has joined once keeps threads that a fork would lose.
        for (int rank = 0; rank < ranks; ++rank) {
            if (::fork() != 0)
                continue;
            nlohmann::json own = nlohmann::json::array();
            measure({.rank = rank, .worldSize = ranks, .localRank = rank, .localWorldSize = ranks, .masterPort = port,
                        .masterDescriptor = rank == 0 ? listening : -1},
                own);
            const std::string text = own.dump() + "\n";
            if (rank == 0 && ::write(results[1], text.data(), text.size()) < 0)
                ::_exit(1);
            ::_exit(0);
        }
        ::close(listening);
        ::close(results[1]);
        std::string text;
        char piece[4096];
        for (ssize_t count; (count = ::read(results[0], piece, sizeof piece)) > 0;)
            text.append(piece, static_cast<std::size_t>(count));
        ::close(results[0]);
        for (int status = 0; ::wait(&status) > 0;) {
            if (status != 0)
                return 1;
        }
        for (const nlohmann::json& row : nlohmann::json::parse(text))
            rows.push_back(row);
    }
    std::cout << nlohmann::json {{"rows", rows}}.dump() << "\n";
}
