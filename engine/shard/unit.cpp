#include "engine/shard/unit.h"

#include "engine/shard/random.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/ScalarType.h>

#include <algorithm>

namespace engine {
namespace {

std::int64_t bytesOf(std::int64_t elements, at::ScalarType dtype)
{
    return elements * static_cast<std::int64_t>(c10::elementSize(dtype));
}

/// A storage of that size without memory.
c10::Storage emptyStorage(std::int64_t bytes, c10::Device device)
{
    return c10::Storage(c10::Storage::use_byte_size_t(), static_cast<std::size_t>(bytes),
        c10::DataPtr(nullptr, device), nullptr, false);
}

at::Tensor viewOf(const c10::Storage& storage, at::ScalarType dtype, std::int64_t offset,
    const std::vector<std::int64_t>& shape)
{
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * shape[i];
    auto tensor = at::empty({0}, at::TensorOptions().dtype(dtype).device(storage.device()));
    return tensor.set_(storage, offset, shape, strides);
}

}  // namespace

Unit::Unit(UnitSpec spec, Group& group, BufferPool& pool, UnitOptions options, std::optional<std::uint64_t> seed)
    : m_spec(std::move(spec))
    , m_group(group)
    , m_pool(pool)
    , m_options(options)
{
    for (const ParameterSpec& parameter : m_spec.parameters) {
        const std::int64_t elements = parameter.elements();
        const std::int64_t rows = parameter.shape.size() > 1 ? parameter.shape[0] : elements;
        const bool isBlockwise = elements >= ShardState::kFewestInBlocks;
        m_layoutTensors.push_back({elements, elements / rows, parameter.isDecayed, isBlockwise ? options.stateBlock : 1});
    }
    m_layout = planLayout(m_layoutTensors, group.size());
    m_isTrained = std::ranges::any_of(m_spec.parameters, &ParameterSpec::isTrained);
    makeParameters();
    initialise(seed);
}

void Unit::makeParameters()
{
    const auto device = m_pool.device();
    const std::int64_t length = m_layout.length();
    const std::int64_t bytes = bytesOf(length, m_options.computeDtype);
    m_storage = emptyStorage(bytes, device);
    m_gradStorage = emptyStorage(bytes, device);
    m_flat = viewOf(m_storage, m_options.computeDtype, 0, {length});
    m_flatGrad = viewOf(m_gradStorage, m_options.computeDtype, 0, {length});

    m_slot = viewOf(m_storage, m_options.computeDtype, m_group.rank() * m_layout.shardLength, {m_layout.shardLength});

    std::vector<std::pair<std::int64_t, std::int64_t>> used;
    for (std::size_t i = 0; i < m_spec.parameters.size(); ++i) {
        const std::int64_t offset = m_layout.offsets[i];
        const auto& shape = m_spec.parameters[i].shape;
        Parameter parameter;
        parameter.value = viewOf(m_storage, m_options.computeDtype, offset, shape);
        parameter.grad = viewOf(m_gradStorage, m_options.computeDtype, offset, shape);
        parameter.isTrained = m_spec.parameters[i].isTrained;
        m_parameters.push_back(std::move(parameter));
        used.emplace_back(offset, m_layoutTensors[i].elements);
    }
    std::ranges::sort(used);
    std::int64_t cursor = 0;
    used.emplace_back(length, 0);
    for (const auto& [begin, count] : used) {
        if (begin > cursor)
            m_gradGaps.push_back(viewOf(m_gradStorage, m_options.computeDtype, cursor, {begin - cursor}));
        cursor = begin + count;
    }
}

void Unit::initialise(std::optional<std::uint64_t> seed)
{
    const auto host = at::zeros({m_layout.shardLength}, at::kFloat);
    if (seed)
        draw(*seed, host.data_ptr<float>());
    const auto options = at::TensorOptions().dtype(at::kFloat).device(m_pool.device());
    master = host.to(options);
    if (m_options.keepsAverage)
        ema = master.clone();
    // Takes no memory before the first reduction; where nothing trains there is none.
    gradShard = m_isTrained ? at::empty({m_layout.shardLength}, options) : at::zeros({m_layout.shardLength}, options);
}

void Unit::draw(std::uint64_t seed, float* shard) const
{
    for (const LayoutPiece& piece : pieces()) {
        const ParameterSpec& parameter = m_spec.parameters[piece.tensor];
        if (parameter.initStd == 0)
            continue;
        const std::span<float> out(shard + piece.shardBegin, static_cast<std::size_t>(piece.count));
        fillNormal(out, {.seed = seed, .purpose = "weights/" + parameter.name},
            static_cast<std::uint64_t>(piece.tensorBegin));
        for (float& value : out)
            value *= static_cast<float>(parameter.initStd);
    }
}

std::vector<bool> Unit::trained() const
{
    std::vector<bool> result;
    for (const ParameterSpec& parameter : m_spec.parameters)
        result.push_back(parameter.isTrained);
    return std::ranges::find(result, false) == result.end() ? std::vector<bool>() : result;
}

void Unit::setMaster(std::size_t index, const at::Tensor& whole)
{
    const at::Tensor flat = whole.flatten();
    for (const LayoutPiece& piece : pieces()) {
        if (piece.tensor == index)
            master.narrow(0, piece.shardBegin, piece.count).copy_(flat.narrow(0, piece.tensorBegin, piece.count));
    }
}

std::vector<ShardState> Unit::storedStates() const
{
    std::vector<ShardState> states = {{"model", master}};
    if (ema.defined())
        states.push_back({"ema", ema});
    states.insert(states.end(), optimizerStates.begin(), optimizerStates.end());
    return states;
}

void Unit::attach(const c10::Storage& storage, const at::Tensor& buffer)
{
    void* memory = buffer.defined() ? buffer.data_ptr() : nullptr;
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(c10::DataPtr(memory, m_pool.device()));
}

void Unit::startGather(Weights weights)
{
    if (m_state != State::Sharded)
        return;
    m_buffer = m_pool.acquire(bytesOf(m_layout.length(), m_options.computeDtype), Sharing::OneCopy);
    attach(m_storage, m_buffer);
    if (m_kept.defined()) {
        m_flat.narrow(0, m_options.regroup->rank() * m_kept.numel(), m_kept.numel()).copy_(m_kept);
        dropKept();
        m_gather = m_options.regroup->startAllGather(m_flat, m_spec.name);
    } else {
        m_slot.copy_(weights == Weights::Ema && ema.defined() ? ema : master);
        m_gather = m_group.startAllGather(m_flat, m_spec.name);
    }
    m_state = State::Gathering;
}

at::Tensor Unit::slotToRefresh() const { return m_state == State::Gathered ? m_slot : at::Tensor(); }

void Unit::slotRefreshed()
{
    m_gather = m_group.startAllGather(m_flat, m_spec.name);
    m_state = State::Gathering;
}

void Unit::finishGather()
{
    startGather(Weights::Master);
    if (m_state == State::Gathered)
        return;
    m_group.wait(m_gather);
    m_state = State::Gathered;
}

void Unit::reshardUntilBackward()
{
    if (m_state == State::Gathered && m_options.regroup && !m_group.sharesMemory()) {
        const std::int64_t part = m_layout.length() / m_options.regroup->size();
        m_kept = m_pool.acquire(bytesOf(part, m_options.computeDtype), Sharing::None).view(m_options.computeDtype);
        m_kept.copy_(m_flat.narrow(0, m_options.regroup->rank() * part, part));
    }
    const at::Tensor kept = std::exchange(m_kept, at::Tensor());
    reshard();
    m_kept = kept;
}

void Unit::dropKept()
{
    if (m_kept.defined())
        m_pool.release(m_kept.view(at::kByte), Sharing::None);
    m_kept.reset();
}

void Unit::reshard()
{
    dropKept();
    if (m_state == State::Sharded)
        return;
    m_group.wait(m_gather);
    attach(m_storage, at::Tensor());
    m_pool.release(std::move(m_buffer), Sharing::OneCopy);
    m_buffer.reset();
    m_state = State::Sharded;
}

void Unit::beginBackward()
{
    if (!m_isTrained)
        return;
    m_gradBuffer = m_pool.acquire(bytesOf(m_layout.length(), m_options.computeDtype), Sharing::OnePerRank);
    attach(m_gradStorage, m_gradBuffer);
    for (const at::Tensor& gap : m_gradGaps)
        gap.zero_();
    for (Parameter& parameter : m_parameters)
        parameter.isGradWritten = false;
}

void Unit::startReduce(Reduction reduction)
{
    if (!m_isTrained)
        return;
    for (Parameter& parameter : m_parameters) {
        if (!parameter.isGradWritten)
            parameter.grad.zero_();
    }
    m_reduction = reduction;
    at::Tensor gradients = m_flatGrad;
    if (reduction == Reduction::None || m_hasWholeGrad) {
        accumulateWhole();
        releaseGradients();
        gradients = m_wholeGrad;
    }
    if (reduction == Reduction::None)
        return;
    m_hasWholeGrad = false;
    if (m_group.sharesMemory())
        m_reduce = m_group.startSum(gradShard, gradients, m_hasGrad, m_spec.name);
    else
        startReduceScatter(gradients);
    m_isReducing = true;
}

void Unit::accumulateWhole()
{
    if (!m_wholeGrad.defined())
        m_wholeGrad = m_group.allocate(bytesOf(m_layout.length(), at::kFloat), Sharing::OnePerRank, m_pool.device())
                          .view(at::kFloat);
    if (std::exchange(m_hasWholeGrad, true))
        m_wholeGrad.add_(m_flatGrad);
    else
        m_wholeGrad.copy_(m_flatGrad);
}

void Unit::startReduceScatter(const at::Tensor& gradients)
{
    const at::ScalarType dtype = m_options.reduceDtype;
    at::Tensor full = gradients;
    if (dtype != gradients.scalar_type()) {
        m_reduceBuffer = m_pool.acquire(bytesOf(m_layout.length(), dtype), Sharing::None);
        full = m_reduceBuffer.view(dtype);
        full.copy_(gradients);
    }
    m_reducedBuffer = m_pool.acquire(bytesOf(m_layout.shardLength, dtype), Sharing::None);
    m_reduced = m_reducedBuffer.view(dtype);
    m_reduce = m_group.startReduceScatter(m_reduced, full, m_spec.name);
}

void Unit::finishReduce()
{
    if (!std::exchange(m_isReducing, false))
        return;
    m_group.wait(m_reduce);
    if (m_reduced.defined() && m_hasGrad)
        gradShard.add_(m_reduced);
    else if (m_reduced.defined())
        gradShard.copy_(m_reduced);
    m_hasGrad = true;
    m_reduced.reset();
    releaseGradients();
    for (at::Tensor* buffer : {&m_reduceBuffer, &m_reducedBuffer}) {
        if (buffer->defined())
            m_pool.release(std::move(*buffer), Sharing::None);
        buffer->reset();
    }
    if (m_reduction == Reduction::All && m_options.replicas)
        m_replicate = m_options.replicas->startAllReduce(gradShard, m_spec.name + " over replicas");
}

void Unit::finishReplicas()
{
    if (m_options.replicas)
        m_options.replicas->wait(m_replicate);
}

void Unit::releaseGradients()
{
    if (!m_gradBuffer.defined())
        return;
    attach(m_gradStorage, at::Tensor());
    m_pool.release(std::move(m_gradBuffer), Sharing::OnePerRank);
    m_gradBuffer.reset();
}

void Unit::zeroGrad()
{
    m_hasGrad = false;
    m_hasWholeGrad = false;
}

}  // namespace engine
