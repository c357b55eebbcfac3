#include "engine/shard/shard.h"

#include "engine/shard/flat_storage.h"
#include "engine/shard/random.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <span>
#include <utility>

namespace engine {
namespace {

/// @param device that the tensor will be copied to or from
at::Tensor emptyOnHost(at::IntArrayRef shape, at::ScalarType dtype, c10::Device device)
{
    return at::empty(shape, at::TensorOptions().dtype(dtype).pinned_memory(device.is_cuda()));
}

at::Tensor withoutMemory(std::int64_t length, c10::Device device) { return FlatStorage(length, at::kFloat, device).flat(); }

std::vector<LayoutTensor> layoutTensorsOf(const UnitSpec& spec, std::int64_t stateBlock)
{
    std::vector<LayoutTensor> tensors;
    for (const ParameterSpec& parameter : spec.parameters) {
        const std::int64_t elements = parameter.elements();
        const std::int64_t rows = parameter.shape.size() > 1 ? parameter.shape[0] : elements;
        const bool isBlockwise = elements >= ShardState::kFewestInBlocks;
        tensors.push_back({elements, elements / rows, parameter.isDecayed, isBlockwise ? stateBlock : 1});
    }
    return tensors;
}

}  // namespace

Shard::Shard(
    UnitSpec spec, int ranks, int rank, c10::Device device, const UnitOptions& options, std::optional<std::uint64_t> seed)
    : m_spec(std::move(spec))
    , m_rank(rank)
    , m_device(device)
    , m_isOnHost(options.copies != nullptr)
    , m_storesFrozen(options.storesFrozen)
    , m_keepsAverage(options.keepsAverage)
    , m_keepsOld(options.keepsOld)
    , m_keepsReference(options.keepsReference)
    , m_computeDtype(options.computeDtype)
    , m_trainedDtype(options.trainedDtype)
    , m_isTrained(m_spec.parameters.front().isTrained)
    , m_layoutTensors(layoutTensorsOf(m_spec, options.stateBlock))
    , m_layout(planLayout(m_layoutTensors, ranks))
{
    initialise(seed);
}

bool Shard::isStored() const { return m_isTrained || m_storesFrozen || !m_spec.parameters.front().adapter.empty(); }

at::ScalarType Shard::masterDtype() const
{
    if (m_isTrained)
        return m_trainedDtype;
    return isStored() ? at::kFloat : m_computeDtype;
}

at::Tensor Shard::makeTensor(at::ScalarType dtype) const
{
    return m_isOnHost ? emptyOnHost({m_layout.shardLength}, dtype, m_device)
                      : at::empty({m_layout.shardLength}, at::TensorOptions().dtype(dtype).device(m_device));
}

void Shard::initialise(std::optional<std::uint64_t> seed)
{
    master = makeTensor(masterDtype()).zero_();
    if (seed) {
        const bool isInPlace = master.is_cpu() && master.scalar_type() == at::kFloat;
        const at::Tensor host = isInPlace ? master : at::zeros({m_layout.shardLength}, at::kFloat);
        draw(*seed, host.data_ptr<float>());
        master.copy_(host);
    }
    if (m_isTrained && m_keepsAverage)
        ema = makeTensor(at::kFloat);
    if (m_isTrained && m_keepsOld)
        old = makeTensor(at::kFloat);
    if (m_isTrained && m_keepsReference)
        reference = makeTensor(at::kFloat);
    startCopies();
    gradShard = m_noGradients = withoutMemory(m_isTrained ? m_layout.shardLength : 0, master.device());
    masterReplaced();
}

void Shard::allocateGradients()
{
    if (m_isTrained)
        gradShard = makeTensor(at::kFloat);
}

void Shard::releaseGradients() { gradShard = m_noGradients; }

void Shard::startCopies()
{
    for (at::Tensor* copy : {&ema, &old}) {
        if (copy->defined())
            copy->copy_(master);
    }
    if (!reference.defined())
        return;
    if (m_spec.parameters.front().adapter.empty())
        reference.copy_(master);
    else
        reference.zero_();
}

const at::Tensor& Shard::chosen(Weights weights) const
{
    const at::Tensor& copy = weights == Weights::Ema ? ema : weights == Weights::Old ? old : reference;
    return weights != Weights::Master && copy.defined() ? copy : master;
}

void Shard::draw(std::uint64_t seed, float* values) const
{
    for (const LayoutPiece& piece : pieces()) {
        const ParameterSpec& parameter = m_spec.parameters[piece.tensor];
        const std::span<float> out(values + piece.shardBegin, static_cast<std::size_t>(piece.count));
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

void Shard::masterReplaced()
{
    if (!m_isOnHost)
        return;
    if (m_computeDtype == master.scalar_type()) {
        m_hostCopy = master;
        return;
    }
    if (!m_hostCopy.defined())
        m_hostCopy = makeTensor(m_computeDtype);
    m_hostCopy.copy_(master);
}

void Shard::setMaster(std::size_t index, const at::Tensor& whole)
{
    const at::Tensor flat = whole.flatten();
    for (const LayoutPiece& piece : pieces()) {
        if (piece.tensor == index)
            master.narrow(0, piece.shardBegin, piece.count).copy_(flat.narrow(0, piece.tensorBegin, piece.count));
    }
    masterReplaced();
}

void Shard::moveTensors(c10::Device device, ShardParts parts)
{
    const auto move = [&](at::Tensor& tensor, bool isChosen) {
        if (!isChosen || !tensor.defined() || tensor.device() == device)
            return;
        const at::Tensor moved = device.is_cpu() ? emptyOnHost(tensor.sizes(), tensor.scalar_type(), tensor.device())
                                                 : at::empty(tensor.sizes(), tensor.options().device(device));
        tensor = moved.copy_(tensor, /*non_blocking=*/true);
    };
    move(master, parts.weights);
    for (at::Tensor* copy : {&ema, &old, &reference})
        move(*copy, parts.weights);
    if (gradShard.storage().data())
        move(gradShard, parts.gradients);
    else if (parts.gradients)
        gradShard = m_noGradients = withoutMemory(gradShard.numel(), device);
    for (ShardState& state : optimizerStates)
        move(state.values, parts.optimizer);
}

std::vector<ShardState> Shard::storedStates() const
{
    if (!isStored())
        return {};
    std::vector<ShardState> states = {{.name = "model", .values = master}};
    for (const auto& [name, copy] : {std::pair("ema", &ema), std::pair("old", &old), std::pair("reference", &reference)}) {
        if (copy->defined())
            states.push_back({.name = name, .values = *copy});
    }
    states.insert(states.end(), optimizerStates.begin(), optimizerStates.end());
    return states;
}

}  // namespace engine
