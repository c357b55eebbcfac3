// A small sharded transformer that is trained on a rollout, in the way that an algorithm would do it.
#pragma once
#include <ATen/ATen.h>

#include "engine/diffusion/flow_matching.h"
#include "engine/models/dit/dit.h"
#include "engine/shard/random.h"
#include "engine/train/forward_backward.h"
#include "tests/engine/cpu.h"

#include <QByteArray>

#include <cmath>
#include <functional>
#include <stdexcept>

namespace tests {

using engine::ForwardStep;
using engine::Mesh;
using engine::NamedTensors;
using engine::StepLoss;
using engine::UnitSequence;

constexpr std::int64_t kRows = 8, kTimesteps = 3;

inline engine::Dit modelOn(Mesh& mesh)
{
    return engine::Dit({.width = 16, .depth = 2, .heads = 4, .sequence = {&mesh.ring(), &mesh.ulysses()}});
}

/// Noised images at each of @p timesteps: [B, T, C, H, W].
inline NamedTensors batchOf(std::int64_t timesteps)
{
    at::manual_seed(5);
    NamedTensors batch;
    batch["noisy"] = at::randn({kRows, timesteps, 1, 8, 8});
    batch["target"] = at::randn({kRows, timesteps, 1, 8, 8});
    batch["sigmas"] = at::rand({kRows, timesteps});
    batch["labels"] = at::arange(kRows, at::kLong);
    return batch;
}

/// Rows @p first … @p first + @p count - 1.
inline NamedTensors narrow(NamedTensors batch, std::int64_t first, std::int64_t count)
{
    for (auto& [name, values] : batch)
        values = values.narrow(0, first, count);
    return batch;
}

/// Flow matching at every timestep of a rollout, as an example of an algorithm.
class FlowOnRollout final : public engine::ForwardSteps {
public:
    FlowOnRollout(const engine::Model& model, NamedTensors batch, std::int64_t microBatch)
        : m_model(model)
        , m_batch(std::move(batch))
        , m_microBatch(microBatch)
    {
    }

    std::int64_t rows() const override { return m_batch.at("labels").size(0); }
    std::int64_t microBatches() const override { return rows() / m_microBatch; }
    std::int64_t timesteps() const override { return m_batch.at("sigmas").size(1); }
    void load(std::int64_t micro) override
    {
        m_firstRow = micro * m_microBatch;
        m_loaded = narrow(m_batch, m_firstRow, m_microBatch);
    }

    ForwardStep forward(engine::Tape& tape, std::int64_t timestep) override
    {
        hasKeptPredictions |= !m_lastPrediction.expired();
        visits.emplace_back(m_firstRow, timestep);
        const engine::Var velocity = m_model.forward(tape, {column("noisy", timestep), column("sigmas", timestep), column("labels")});
        m_lastPrediction = velocity->data.getIntrusivePtr();
        return {velocity};
    }

    engine::LossFunction loss()
    {
        return [this](const ForwardStep& step, std::int64_t timestep) {
            const auto loss = engine::flowLoss(step.prediction->data, column("target", timestep));
            return StepLoss {loss.value, loss.gradient, {{"row", static_cast<double>(m_firstRow)},
                                                           {"timestep", static_cast<double>(timestep)}}};
        };
    }

    std::vector<std::pair<std::int64_t, std::int64_t>> visits;  ///< first row and timestep of each pass
    bool hasKeptPredictions = false;  ///< of an earlier pass

private:
    at::Tensor column(const std::string& name, std::int64_t timestep = -1) const
    {
        const at::Tensor& values = m_loaded.at(name);
        return timestep < 0 ? values : values.select(1, timestep).contiguous();
    }

    const engine::Model& m_model;
    NamedTensors m_batch, m_loaded;
    std::int64_t m_microBatch, m_firstRow = 0;
    c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> m_lastPrediction {
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
    NamedTensors share(const NamedTensors& batch) const
    {
        const std::int64_t rows = batch.at("labels").size(0) / mesh.data().size();
        return narrow(batch, mesh.data().rank() * rows, rows);
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
inline NamedTensors flattened(const NamedTensors& batch)
{
    NamedTensors flat;
    const std::int64_t timesteps = batch.at("sigmas").size(1);
    for (const char* name : {"noisy", "target", "sigmas"})
        flat[name] = batch.at(name).flatten(0, 1).unsqueeze(1);
    flat["labels"] = batch.at("labels").repeat_interleave(timesteps);
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
