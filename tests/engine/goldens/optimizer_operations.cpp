#include "tests/engine/goldens/golden_operations.h"

#include "engine/lora/adapter_state.h"
#include "engine/optim/adamw.h"
#include "engine/optim/clipping.h"
#include "engine/optim/schedule.h"
#include "engine/shard/squares.h"
#include "engine/shard/unit_sequence.h"
#include "tests/engine/lora/adapted_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace tests {
namespace {

using engine::Unit;

/// One optimizer group as a unit of its own, on one rank.
struct GroupUnit {
    std::unique_ptr<engine::UnitSequence> units;
    std::unique_ptr<engine::AdamW> optimizer;
    std::vector<std::string> names;  ///< "g0p1"
    double lr = 0;

    Unit& unit() const { return (*units)[0]; }
};

/// Groups of parameters under our own units, updates and clipping.
class Optimizer {
public:
    Optimizer(const GoldenCase& golden, at::ScalarType computeDtype)
        : m_golden(golden)
    {
        const auto& config = golden.config();
        auto groups = config.value("groups", nlohmann::json::array());
        if (groups.empty())
            groups.push_back(config);
        for (std::size_t g = 0; g < groups.size(); ++g)
            addGroup(groups[g], config.contains("groups") ? "g" + std::to_string(g) : "", computeDtype);
        for (const char* key : {"clip_grad_norm", "clip_grad"}) {
            if (config.contains(key) && config.at(key).is_number())
                m_clipNorm = config.at(key);
        }
        if (config.contains("lr_schedule") && config.at("lr_schedule").is_object())
            m_schedule = scheduleFrom(config.at("lr_schedule"));
    }

    static engine::Schedule scheduleFrom(const nlohmann::json& config)
    {
        const bool isCosine = config.at("kind") == "cosine";
        engine::Schedule schedule {isCosine ? engine::Schedule::Shape::Cosine : engine::Schedule::Shape::Constant,
            config.at("warmup"), config.at("total"), config.value("min_lr_ratio", 0.0),
            config.value("init_lr_ratio", 0.0), config.value("num_cycles", 0.5)};
        schedule.isZeroIndexed = config.value("zero_indexed_step", true);
        return schedule;
    }

    /// Row @p index of every gradient. @return the norm before clipping.
    double step(std::int64_t index)
    {
        double squares = 0;
        for (GroupUnit& group : m_groups) {
            group.unit().gradShard.zero_();  // its padding, as a reduction leaves it
            forEach(group, [&](const std::string& name, const at::Tensor& shard) {
                shard.copy_(m_golden.input("grad." + name).select(0, index).flatten());
            }, group.unit().gradShard);
            squares += engine::sumOfSquares(group.unit().gradShard);
        }
        const double norm = std::sqrt(squares);
        if (!std::isfinite(norm))
            return norm;
        const double factor = m_schedule.factor(m_applied++);
        for (GroupUnit& group : m_groups)
            group.optimizer->update(0, {.lr = group.lr * factor, .gradScale = engine::clipFactor(norm, m_clipNorm), .count = m_applied});
        return norm;
    }
    std::int64_t applied() const { return m_applied; }

    using Visit = std::function<void(const std::string& name, const at::Tensor& part)>;
    /// Every parameter's part of a shard, flat.
    void forEach(const Visit& visit, const std::string& state)
    {
        for (GroupUnit& group : m_groups) {
            for (const engine::ShardState& stored : group.unit().storedStates()) {
                if (stored.name == state)
                    forEach(group, visit, stored.values);
            }
        }
    }
    /// What a model would compute with.
    void forEachGathered(const Visit& visit)
    {
        for (GroupUnit& group : m_groups) {
            group.unit().finishGather();
            for (std::size_t p = 0; p < group.names.size(); ++p)
                visit(group.names[p], group.unit().parameter(p).value);
            group.unit().reshard();
        }
    }

private:
    void addGroup(const nlohmann::json& config, const std::string& prefix, at::ScalarType computeDtype)
    {
        GroupUnit group;
        engine::UnitSpec spec {"group" + prefix, {}};
        for (int p = 0; m_golden.config().contains("groups") ? p < static_cast<int>(config.at("shapes").size()) : hasParameter(p); ++p) {
            group.names.push_back(prefix + "p" + std::to_string(p));
            const auto shape = m_golden.input("param." + group.names.back()).sizes().vec();
            spec.parameters.push_back({group.names.back(), shape, 0, config.at("weight_decay") != 0});
        }
        group.units = std::make_unique<engine::UnitSequence>(std::vector<engine::UnitSpec> {spec}, m_lone, m_pool,
            engine::UnitOptions {.computeDtype = computeDtype, .keepsAverage = false}, engine::SequenceOptions {}, 0);
        for (std::size_t p = 0; p < group.names.size(); ++p)
            group.unit().setMaster(p, m_golden.input("param." + group.names[p]));
        group.unit().allocateGradients();
        group.lr = config.at("lr");
        group.optimizer = std::make_unique<engine::AdamW>(*group.units, engine::AdamWOptions {.beta1 = config.at("betas").at(0),
            .beta2 = config.at("betas").at(1), .eps = config.at("eps"), .weightDecay = config.at("weight_decay")});
        m_groups.push_back(std::move(group));
    }
    bool hasParameter(int p) const
    {
        const auto names = m_golden.inputs();
        return std::ranges::count(names, "param.p" + std::to_string(p)) > 0;
    }
    static void forEach(GroupUnit& group, const Visit& visit, const at::Tensor& shard)
    {
        for (std::size_t p = 0; p < group.names.size(); ++p) {
            const auto count = group.unit().layoutTensors()[p].elements;
            visit(group.names[p], shard.narrow(0, group.unit().layout().offsets[p], count));
        }
    }

    const GoldenCase& m_golden;
    engine::LoneGroup m_lone;
    engine::BufferPool m_pool {m_lone, c10::Device(c10::DeviceType::CPU)};
    std::vector<GroupUnit> m_groups;
    engine::Schedule m_schedule;
    double m_clipNorm = 0;
    std::int64_t m_applied = 0;
};

using Trajectories = std::map<std::string, std::vector<at::Tensor>>;

void record(Trajectories& to, const std::string& name, const at::Tensor& value)
{
    to[name].push_back(value.to(at::kFloat).clone().flatten());
}

void checkTrajectories(GoldenCase& golden, const std::string& prefix, const Trajectories& trajectories)
{
    for (const auto& [name, rows] : trajectories) {
        auto shape = golden.input("param." + name).sizes().vec();
        shape.insert(shape.begin(), static_cast<std::int64_t>(rows.size()));
        golden.check(prefix + "." + name, at::stack(rows).view(shape));
    }
}

void runOptimizer(GoldenCase& golden, at::ScalarType dtype)
{
    Optimizer optimizer(golden, dtype);
    const std::int64_t steps = golden.config().at("steps");
    Trajectories masters, gathered;
    std::vector<double> norms, isApplied;
    std::vector<std::int64_t> counts;
    for (std::int64_t step = 0; step < steps; ++step) {
        norms.push_back(optimizer.step(step));
        isApplied.push_back(std::isfinite(norms.back()) ? 1 : 0);
        counts.push_back(optimizer.applied());
        optimizer.forEach([&](const std::string& name, const at::Tensor& part) { record(masters, name, part); }, "model");
        optimizer.forEachGathered([&](const std::string& name, const at::Tensor& value) { record(gathered, name, value); });
    }
    const auto check = [&](const std::string& output, const at::Tensor& actual) {
        if (golden.hasOutput(output))
            golden.check(output, actual);
    };
    if (golden.op() == "master_weight_adamw") {
        checkTrajectories(golden, "master_trajectory", masters);
        checkTrajectories(golden, "bf16_trajectory", gathered);
    } else {
        checkTrajectories(golden, "trajectory", masters);
    }
    check("grad_norm", at::tensor(norms));
    check("step_ok", at::tensor(isApplied).to(at::kLong));
    check("optimizer_step_count", at::tensor(counts));
    const auto checkMoment = [&](const std::string& moment) {
        optimizer.forEach([&](const std::string& name, const at::Tensor& part) {
            check(moment + "." + name, part.view(golden.input("param." + name).sizes()));
        }, moment);
    };
    checkMoment("exp_avg");
    checkMoment("exp_avg_sq");
}

void runClipping(GoldenCase& golden)
{
    double squares = 0;
    for (const std::string& name : golden.inputs())
        squares += engine::sumOfSquares(golden.input(name).flatten());
    const double norm = std::sqrt(squares);
    golden.check("total_norm", norm);
    for (const std::string& name : golden.inputs()) {
        const std::string output = "clipped" + name.substr(4);
        if (!golden.hasOutput(output))
            continue;
        // Where the norm is not finite, nobody looks at the gradients: the step is skipped (optimizer_step cases).
        if (!std::isfinite(norm) && golden.config().at("expect_update_skipped").get<bool>())
            golden.leave("out." + output);
        else
            golden.check(output, golden.input(name) * engine::clipFactor(norm, golden.config().at("max_norm")));
    }
}

void runSchedule(GoldenCase& golden)
{
    const auto& config = golden.config();
    const engine::Schedule schedule = Optimizer::scheduleFrom(config);
    std::vector<at::Tensor> rows;
    for (std::int64_t step = 0; step <= config.at("table_steps").get<std::int64_t>(); ++step)
        rows.push_back(at::tensor(config.at("base_lrs").get<std::vector<double>>()) * schedule.factor(step));
    golden.check("lr", at::stack(rows));
}

void runGrouping(GoldenCase& golden)
{
    std::vector<double> decay;
    for (const std::string& name : golden.config().at("names").get<std::vector<std::string>>())
        decay.push_back(engine::isDecayedByRule(name) ? golden.config().at("weight_decay").get<double>() : 0);
    golden.check("weight_decay", at::tensor(decay));
}

/// An attention's two adapted linears, whose adapter "old" follows "default".
void runAdapterAverage(GoldenCase& golden)
{
    constexpr std::int64_t kAdapterWidth = 8, kAdapterRank = 2;
    const std::string block = "blocks.0.";
    engine::SpecBuilder builder("blocks.0", block);
    builder.linear("attn.to_q", kAdapterWidth, kAdapterWidth);
    builder.linear("attn.to_v", kAdapterWidth, kAdapterWidth);
    std::vector<engine::UnitSpec> specs {builder.take()};
    engine::declareAdapters(specs, {{block + "attn.to_q", kAdapterRank, 1.0}, {block + "attn.to_v", kAdapterRank, 1.0}},
        {engine::kDefaultAdapter, engine::kOldAdapter});
    engine::LoneGroup lone;
    engine::BufferPool pool(lone, kCpu);
    engine::UnitSequence units(specs, lone, pool, {}, {}, 0);

    const std::vector<std::string> matrices
        = {block + "attn.to_q.lora_A", block + "attn.to_q.lora_B", block + "attn.to_v.lora_A", block + "attn.to_v.lora_B"};
    for (const std::string& matrix : matrices)
        setWeight(units, matrix + ".old.weight", golden.input("old." + matrix));
    Trajectories old;
    const auto follow = [&](std::int64_t update, std::optional<double> decay) {
        for (const std::string& matrix : matrices)
            setWeight(units, matrix + ".default.weight", golden.input("default." + matrix).select(0, update));
        if (decay)
            engine::averageAdapter(units, engine::kDefaultAdapter, engine::kOldAdapter, *decay);
        else
            engine::copyAdapter(units, engine::kDefaultAdapter, engine::kOldAdapter);
        const auto weights = weightsOf(units);
        for (const std::string& matrix : matrices)
            old[matrix].push_back(weights.at(matrix + ".old.weight"));
    };
    const auto decays = golden.config().at("decays").get<std::vector<double>>();
    for (std::size_t update = 0; update < decays.size(); ++update)
        follow(static_cast<std::int64_t>(update), decays[update]);
    follow(static_cast<std::int64_t>(decays.size()), std::nullopt);
    for (const auto& [matrix, rows] : old)
        golden.check("old." + matrix, at::stack(rows));
}

}  // namespace

GoldenOperations optimizerOperations()
{
    return {
        {"adamw_trajectory", {"E-170", [](GoldenCase& golden) { runOptimizer(golden, at::kFloat); }}},
        {"engine_optimizer_step", {"E-172 E-175", [](GoldenCase& golden) { runOptimizer(golden, at::kFloat); }}},
        {"master_weight_adamw", {"E-185 E-186", [](GoldenCase& golden) { runOptimizer(golden, at::kBFloat16); }}},
        {"clip_grad_norm", {"E-172 E-177", runClipping}},
        {"lr_schedule", {"E-179 E-180 E-182", runSchedule}},
        {"weight_decay_groups", {"E-174", runGrouping}},
        {"adapter_ema", {"E-097 E-098", runAdapterAverage}},
    };
}

}  // namespace tests
