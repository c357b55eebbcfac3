// What a rank keeps of a unit: first values, where it lies.
#include "engine/shard/random.h"
#include "engine/shard/unit.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace engine {
namespace {

/// @param device that it will be copied to or from
at::Tensor emptyOnHost(at::IntArrayRef shape, at::ScalarType dtype, c10::Device device)
{
    return at::empty(shape, at::TensorOptions().dtype(dtype).pinned_memory(device.is_cuda()));
}

}  // namespace

at::ScalarType Unit::masterDtype() const
{
    if (m_isTrained)
        return m_options.trainedDtype;
    return isStored() ? at::kFloat : m_options.computeDtype;
}

void Unit::initialise(std::optional<std::uint64_t> seed)
{
    master = makeShard(masterDtype()).zero_();
    if (seed) {
        const bool isInPlace = master.is_cpu() && master.scalar_type() == at::kFloat;
        const at::Tensor host = isInPlace ? master : at::zeros({m_layout.shardLength}, at::kFloat);
        draw(*seed, host.data_ptr<float>());
        master.copy_(host);
    }
    if (m_isTrained && m_options.keepsAverage)
        ema = makeShard(at::kFloat).copy_(master);
    // Takes no memory before the first reduction.
    gradShard = m_isTrained ? makeShard(at::kFloat) : at::empty({0}, at::TensorOptions().dtype(at::kFloat).device(m_pool.device()));
    masterReplaced();
}

void Unit::draw(std::uint64_t seed, float* shard) const
{
    for (const LayoutPiece& piece : pieces()) {
        const ParameterSpec& parameter = m_spec.parameters[piece.tensor];
        const std::span<float> out(shard + piece.shardBegin, static_cast<std::size_t>(piece.count));
        if (parameter.initWhole) {
            const at::Tensor whole = parameter.initWhole(seed).contiguous();
            std::copy_n(whole.data_ptr<float>() + piece.tensorBegin, piece.count, out.begin());
            continue;
        }
        const std::string purpose = "weights/" + parameter.name;
        const RandomKey key {.seed = seed, .purpose = purpose};
        const auto first = static_cast<std::uint64_t>(piece.tensorBegin);
        double factor = parameter.initStd, mean = parameter.initMean;
        if (parameter.initBound > 0) {
            fillUniform(out, key, first);
            factor = 2 * parameter.initBound;
            mean -= parameter.initBound;
        } else if (parameter.initStd != 0) {
            fillNormal(out, key, first);
        }
        for (float& value : out)
            value = value * static_cast<float>(factor) + static_cast<float>(mean);
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
    if (m_options.computeDtype == master.scalar_type()) {
        m_hostSlot = master;
        return;
    }
    if (!m_hostSlot.defined())
        m_hostSlot = makeShard(m_options.computeDtype);
    m_hostSlot.copy_(master);
}

void Unit::moveShards(c10::Device device, ShardParts parts)
{
    for (const auto& unit : m_beside)
        unit->moveShards(device, parts);
    if (m_options.copies)
        return;
    if (isWholeHere())
        reshardOwn();  // parameters would be views of memory that is gone
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

at::Tensor Unit::wholeMaster() const
{
    const at::Tensor whole = at::empty({m_layout.length()}, master.options().device(m_pool.device()));
    whole.narrow(0, rank() * m_layout.shardLength, m_layout.shardLength).copy_(master);
    Pending pending = m_group.startAllGather(whole, m_spec.name);
    m_group.wait(pending);
    return whole;
}

void Unit::setWholeMaster(const at::Tensor& whole)
{
    master.copy_(whole.narrow(0, rank() * m_layout.shardLength, m_layout.shardLength));
    masterReplaced();
    reshard();
}

std::vector<ShardState> Unit::storedStates() const
{
    if (!isStored())
        return {};
    std::vector<ShardState> states = {{.name = "model", .values = master}};
    if (ema.defined())
        states.push_back({.name = "ema", .values = ema});
    states.insert(states.end(), optimizerStates.begin(), optimizerStates.end());
    return states;
}

}  // namespace engine
