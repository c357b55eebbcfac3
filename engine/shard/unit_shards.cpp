// What a rank keeps of a unit: first values, where it lies.
#include "engine/shard/random.h"
#include "engine/shard/unit.h"

#include <ATen/ops/empty.h>

namespace engine {
namespace {

/// @param device that it will be copied to or from
at::Tensor emptyOnHost(at::IntArrayRef shape, at::ScalarType dtype, c10::Device device)
{
    return at::empty(shape, at::TensorOptions().dtype(dtype).pinned_memory(device.is_cuda()));
}

}  // namespace

void Unit::initialise(std::optional<std::uint64_t> seed)
{
    const bool isMadeInPlace = m_options.copies || m_pool.device().is_cpu();
    const at::Tensor host = isMadeInPlace ? makeShard(at::kFloat) : at::empty({m_layout.shardLength}, at::kFloat);
    host.zero_();
    if (seed)
        draw(*seed, host.data_ptr<float>());
    master = isMadeInPlace ? host : makeShard(at::kFloat).copy_(host);
    if (m_options.keepsAverage)
        ema = makeShard(at::kFloat).copy_(host);
    gradShard = makeShard(at::kFloat);  // takes no memory before the first reduction
    if (!m_isTrained)
        gradShard.zero_();  // there is none
    masterReplaced();
}

void Unit::draw(std::uint64_t seed, float* shard) const
{
    for (const LayoutPiece& piece : pieces()) {
        const ParameterSpec& parameter = m_spec.parameters[piece.tensor];
        const std::span<float> out(shard + piece.shardBegin, static_cast<std::size_t>(piece.count));
        if (parameter.initStd != 0)
            fillNormal(out, {.seed = seed, .purpose = "weights/" + parameter.name},
                static_cast<std::uint64_t>(piece.tensorBegin));
        for (float& value : out)
            value = value * static_cast<float>(parameter.initStd) + static_cast<float>(parameter.initMean);
    }
}

at::Tensor Unit::makeShard(at::ScalarType dtype) const
{
    return m_options.copies ? emptyOnHost({m_layout.shardLength}, dtype, m_pool.device())
                            : at::empty({m_layout.shardLength}, at::TensorOptions().dtype(dtype).device(m_pool.device()));
}

void Unit::masterReplaced()
{
    if (!m_options.copies)
        return;
    if (m_options.computeDtype == at::kFloat) {
        m_hostSlot = master;
        return;
    }
    if (!m_hostSlot.defined())
        m_hostSlot = makeShard(m_options.computeDtype);
    m_hostSlot.copy_(master);
}

void Unit::moveShards(c10::Device device, ShardParts parts)
{
    if (m_options.copies)
        return;
    const auto move = [&](at::Tensor& tensor, bool isMeant) {
        if (!isMeant || !tensor.defined() || tensor.device() == device)
            return;
        const at::Tensor moved = device.is_cpu() ? emptyOnHost(tensor.sizes(), tensor.scalar_type(), tensor.device())
                                                 : at::empty(tensor.sizes(), tensor.options().device(device));
        tensor = moved.copy_(tensor, /*non_blocking=*/true);
    };
    move(master, parts.weights);
    move(ema, parts.weights);
    move(gradShard, parts.gradients);
    for (ShardState& state : optimizerStates)
        move(state.values, parts.optimizer);
}

void Unit::setMaster(std::size_t index, const at::Tensor& whole)
{
    const at::Tensor flat = whole.flatten();
    for (const LayoutPiece& piece : pieces()) {
        if (piece.tensor == index)
            master.narrow(0, piece.shardBegin, piece.count).copy_(flat.narrow(0, piece.tensorBegin, piece.count));
    }
    masterReplaced();
}

std::vector<ShardState> Unit::storedStates() const
{
    const std::vector<bool> stored = m_options.storesFrozen ? std::vector<bool>() : trained();
    std::vector<ShardState> states = {{.name = "model", .values = master, .covers = stored, .isCompact = false}};
    if (ema.defined())
        states.push_back({.name = "ema", .values = ema, .covers = stored, .isCompact = false});
    states.insert(states.end(), optimizerStates.begin(), optimizerStates.end());
    return states;
}

}  // namespace engine
