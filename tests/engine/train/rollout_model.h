// A small sharded transformer that is trained on a rollout, in the way that an algorithm would do it.
#pragma once
#include <ATen/ATen.h>

#include "engine/algorithm/rollout_steps.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/models/dit/dit.h"
#include "engine/shard/random.h"
#include "engine/train/forward_backward.h"

#include <QByteArray>

#include <cmath>
#include <functional>
#include <stdexcept>

namespace tests {

using engine::ForwardStep;
using engine::Mesh;
using engine::RolloutBatch;
using engine::StepLoss;
using engine::UnitSequence;

const c10::Device kCpu(c10::DeviceType::CPU);
constexpr std::int64_t kRows = 8, kTimesteps = 3;

inline engine::Dit modelOn(Mesh& mesh)
{
    return engine::Dit({.width = 16, .depth = 2, .heads = 4, .sequence = {&mesh.ring(), &mesh.ulysses()}});
}

/// Noised images at each of @p timesteps: [B, T, C, H, W].
inline RolloutBatch batchOf(std::int64_t timesteps)
{
    at::manual_seed(5);
    RolloutBatch batch;
    batch.set("noisy", at::randn({kRows, timesteps, 1, 8, 8}));
    batch.set("target", at::randn({kRows, timesteps, 1, 8, 8}));
    batch.set("sigmas", at::rand({kRows, timesteps}));
    batch.set("labels", at::arange(kRows, at::kLong));
    return batch;
}

/// Flow matching at every timestep of a rollout, as an example of an algorithm.
class FlowOnRollout final : public engine::RolloutSteps {
public:
    FlowOnRollout(const engine::Model& model, const RolloutBatch& batch, std::int64_t microBatch)
        : RolloutSteps(batch, microBatch, "sigmas", kCpu)
        , m_model(model)
    {
    }

    ForwardStep forward(engine::Tape& tape, std::int64_t timestep) override
    {
        hasKeptOutputs |= !m_lastOutput.expired();
        visits.emplace_back(firstRow(), timestep);
        const engine::Var velocity = m_model.forward(tape, {column("noisy", timestep), column("sigmas", timestep), column("labels")});
        const at::Tensor mean = velocity->data.mean({1, 2, 3});
        m_lastOutput = mean.getIntrusivePtr();
        return {velocity, {{"velocity", velocity->data}, {"mean", mean}}};
    }

    engine::LossFunction loss()
    {
        return [this](const ForwardStep& step, std::int64_t timestep) {
            const auto loss = engine::flowLoss(step.prediction->data, column("target", timestep));
            return StepLoss {loss.value, loss.gradient, {{"row", static_cast<double>(firstRow())},
                                                           {"timestep", static_cast<double>(timestep)}}};
        };
    }

    std::vector<std::pair<std::int64_t, std::int64_t>> visits;  ///< first row and timestep of each pass
    bool hasKeptOutputs = false;  ///< of an earlier pass

private:
    at::Tensor column(const std::string& name, std::int64_t timestep = -1) const
    {
        const at::Tensor& values = loaded().tensor(name);
        return timestep < 0 ? values : values.select(1, timestep).contiguous();
    }

    const engine::Model& m_model;
    c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> m_lastOutput {
        c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>()};
};

/// A model with weights that differ from zero everywhere, on the ranks of a mesh.
struct Sharded {
    explicit Sharded(Mesh& onMesh, bool reducesEachPass = true)
        : mesh(onMesh)
        , model(modelOn(mesh))
        , pool(mesh.shard(), kCpu)
        , units(model.units(), mesh.shard(), pool, {.replicas = &mesh.replicate()},
              {.reducesEachPass = reducesEachPass}, 3)
    {
        for (std::size_t i = 0; i < units.size(); ++i) {
            for (std::size_t p = 0; p < units[i].spec().parameters.size(); ++p) {
                const auto& spec = units[i].spec().parameters[p];
                const at::Tensor whole = at::empty(spec.shape);
                engine::fillNormal({whole.data_ptr<float>(), static_cast<std::size_t>(whole.numel())},
                    {.seed = 1, .purpose = spec.name});
                units[i].setMaster(p, whole.mul_(0.2));
            }
        }
    }

    /// This data rank's rows.
    RolloutBatch share(const RolloutBatch& batch) const
    {
        const std::int64_t rows = batch.rows() / mesh.data().size();
        return batch.narrow(mesh.data().rank() * rows, rows);
    }

    engine::StepNumbers train(FlowOnRollout& steps)
    {
        engine::StepNumbers numbers;
        engine::PartClock clock(mesh, c10::Device(c10::DeviceType::CPU));
        units.zeroGrad();
        engine::forwardBackward(units, steps, steps.loss(), 1, numbers, clock);
        return numbers;
    }

    /// Returns the full gradients of all parameters, gathered like weights. Collective.
    std::vector<at::Tensor> gradients()
    {
        std::vector<at::Tensor> whole;
        for (std::size_t i = 0; i < units.size(); ++i) {
            units[i].reshard();
            units[i].master.copy_(units[i].gradShard);
            units[i].finishGather();
            for (std::size_t p = 0; p < units[i].spec().parameters.size(); ++p)
                whole.push_back(units[i].parameter(p).value.clone());
            units[i].reshard();
        }
        return whole;
    }

    Mesh& mesh;
    engine::Dit model;
    engine::BufferPool pool;
    UnitSequence units;
};

inline Mesh loneMesh() { return Mesh({}, std::make_unique<engine::LoneGroup>()); }

/// Turns every timestep of every row into a separate row.
inline RolloutBatch flattened(const RolloutBatch& batch)
{
    RolloutBatch flat;
    const std::int64_t timesteps = batch.tensor("sigmas").size(1);
    for (const char* name : {"noisy", "target", "sigmas"})
        flat.set(name, batch.tensor(name).flatten(0, 1).unsqueeze(1));
    flat.set("labels", batch.tensor("labels").repeat_interleave(timesteps));
    return flat;
}

struct Expected {
    double loss = 0;
    std::vector<at::Tensor> gradients;
};

/// One pass over all rows and timesteps at once.
inline Expected inOnePass(std::int64_t timesteps)
{
    Mesh mesh = loneMesh();
    Sharded sharded(mesh);
    FlowOnRollout steps(sharded.model, flattened(batchOf(timesteps)), kRows * timesteps);
    const double loss = sharded.train(steps).loss();
    return {loss, sharded.gradients()};
}

inline bool isNear(double a, double b, double rtol) { return std::abs(a - b) <= rtol * std::abs(b); }

inline QByteArray messageOf(const std::function<void()>& action)
{
    try {
        action();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

}  // namespace tests
