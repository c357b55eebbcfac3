#include "engine/shard/unit.h"

#include "engine/shard/unit_parts.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace engine {
namespace {

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

Unit::Unit(const UnitSpec& spec, Group& group, BufferPool& pool, UnitOptions options, std::optional<std::uint64_t> seed)
    : m_group(group)
    , m_pool(pool)
    , m_options(options)
{
    const std::vector<UnitPart> parts = partsOf(spec);
    makeOwn(parts.at(0).spec, seed);
    m_declared.resize(spec.parameters.size());
    for (const UnitPart& part : parts) {
        const bool isOwn = &part == &parts.front();
        if (!isOwn)
            m_beside.push_back(std::make_unique<Unit>(part.spec, group, pool, options, seed));
        for (std::size_t i = 0; i < part.places.size(); ++i)
            m_declared[part.places[i]] = &(isOwn ? *this : *m_beside.back()).ownParameter(i);
    }
}

void Unit::makeOwn(UnitSpec spec, std::optional<std::uint64_t> seed)
{
    m_spec = std::move(spec);
    for (const ParameterSpec& parameter : m_spec.parameters) {
        const std::int64_t elements = parameter.elements();
        const std::int64_t rows = parameter.shape.size() > 1 ? parameter.shape[0] : elements;
        const bool isBlockwise = elements >= ShardState::kFewestInBlocks;
        m_layoutTensors.push_back({elements, elements / rows, parameter.isDecayed, isBlockwise ? m_options.stateBlock : 1});
    }
    m_layout = planLayout(m_layoutTensors, m_group.size());
    m_isTrained = m_spec.parameters.front().isTrained;  // and so are the others
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

void Unit::attach(const c10::Storage& storage, const at::Tensor& buffer)
{
    void* memory = buffer.defined() ? buffer.data_ptr() : nullptr;
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(c10::DataPtr(memory, m_pool.device()));
}

void Unit::startGather(Weights weights)
{
    for (const auto& unit : m_beside)
        unit->startGather(weights);
    if (m_state != State::Sharded)
        return;
    if (isWholeHere()) {
        attach(m_storage, master);
        m_state = State::Gathered;
        return;
    }
    m_buffer = m_pool.acquire(bytesOf(m_layout.length(), m_options.computeDtype), Sharing::OneCopy);
    attach(m_storage, m_buffer);
    if (m_kept.defined()) {
        m_flat.narrow(0, m_options.regroup->rank() * m_kept.numel(), m_kept.numel()).copy_(m_kept);
        dropKept();
        m_gather = m_options.regroup->startAllGather(m_flat, m_spec.name);
    } else {
        gatherSlot(weights);
    }
    m_state = State::Gathering;
}

bool Unit::isWholeHere() const
{
    return !m_isTrained && m_group.size() == 1 && master.scalar_type() == m_options.computeDtype && master.device() == m_pool.device();
}

void Unit::gatherSlot(Weights weights)
{
    const at::Tensor& shard = weights == Weights::Ema && ema.defined() ? ema : master;
    if (!m_options.copies) {
        m_slot.copy_(shard);
        m_gather = m_group.startAllGather(m_flat, m_spec.name);
        return;
    }
    const CopyStream::Scope besideCompute(*m_options.copies);
    m_slot.copy_(shard.is_same(master) ? m_hostSlot : shard, /*non_blocking=*/true);
    m_gather = m_group.startAllGather(m_flat, m_spec.name);
    m_broughtSlot.emplace(*m_options.copies);
}

at::Tensor Unit::slotToRefresh() const
{
    if (m_options.copies)
        return m_hostSlot.is_same(master) ? at::Tensor() : m_hostSlot;
    return m_state == State::Gathered ? m_slot : at::Tensor();
}

void Unit::slotRefreshed()
{
    if (m_options.copies)
        gatherSlot(Weights::Master);
    else
        m_gather = m_group.startAllGather(m_flat, m_spec.name);
    m_state = State::Gathering;
}

void Unit::finishGather()
{
    startGather(Weights::Master);
    for (const auto& unit : m_beside)
        unit->finishGather();
    if (m_state == State::Gathered)
        return;
    waitForGather();
    m_state = State::Gathered;
}

void Unit::waitForGather()
{
    m_group.wait(m_gather);
    if (m_broughtSlot)
        m_broughtSlot->computeWaits();
}

void Unit::reshardUntilBackward()
{
    for (const auto& unit : m_beside)
        unit->reshardUntilBackward();
    if (m_state == State::Gathered && m_options.regroup && !m_group.sharesMemory()) {
        const std::int64_t part = m_layout.length() / m_options.regroup->size();
        m_kept = m_pool.acquire(bytesOf(part, m_options.computeDtype), Sharing::None).view(m_options.computeDtype);
        m_kept.copy_(m_flat.narrow(0, m_options.regroup->rank() * part, part));
    }
    const at::Tensor kept = std::exchange(m_kept, at::Tensor());
    reshardOwn();
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
    for (const auto& unit : m_beside)
        unit->reshard();
    reshardOwn();
}

void Unit::reshardOwn()
{
    dropKept();
    if (m_state == State::Sharded)
        return;
    waitForGather();
    attach(m_storage, at::Tensor());
    giveBack(m_buffer, Sharing::OneCopy);
    m_state = State::Sharded;
}

}  // namespace engine
