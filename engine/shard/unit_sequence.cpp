#include "engine/shard/unit_sequence.h"

#include <ATen/ops/full.h>

#include <exception>
#include <utility>

namespace engine {

UnitSequence::UnitSequence(std::vector<UnitSpec> specs, Group& group, BufferPool& pool,
    UnitOptions unitOptions, SequenceOptions options, std::optional<std::uint64_t> seed)
    : m_group(group)
    , m_pool(pool)
    , m_options(std::move(options))
    , m_arena(pool.device())
{
    for (const UnitSpec& spec : specs) {
        const auto isIn = [&](const contract::UnitSelection& selection) { return selection.contains(m_units.size(), spec.name); };
        m_policies.push_back({.isRecomputed = isIn(m_options.recompute),
            .isKeptGathered = !m_options.reshardAfterForward || isIn(m_options.keepGathered)});
        UnitOptions own = unitOptions;
        if (spec.computesInFloat || isIn(m_options.computeInFloat))
            own.computeDtype = at::kFloat;
        m_units.push_back(std::make_unique<Unit>(spec, group, pool, own, seed));
        m_parts.push_back(m_units.back().get());
        for (const auto& unit : m_units.back()->frozenParts())
            m_parts.push_back(unit.get());
    }
}

void UnitSequence::gatherAhead(std::size_t index)
{
    if (m_options.prefetch && index < m_units.size())
        m_units[index]->startGather(m_weights);
}

void UnitSequence::begin()
{
    m_units[0]->startGather(m_weights);
    gatherAhead(1);
    m_units[0]->finishGather();
}

void UnitSequence::enter(std::size_t index)
{
    m_units[index]->startGather(m_weights);
    gatherAhead(index + 1);
    m_units[index]->finishGather();
}

void UnitSequence::exit(std::size_t index, bool isTraining)
{
    // The last unit stays: backward needs it first.
    const bool isNeededNext = isTraining && index + 1 == m_units.size();
    if (keepsGathered(index) || isNeededNext)
        return;
    if (isTraining)
        m_units[index]->reshardUntilBackward();
    else
        m_units[index]->reshard();
}

void UnitSequence::beginBackward() { m_units[0]->beginBackward(); }

void UnitSequence::beginUnitBackward(std::size_t index)
{
    m_units[index]->startGather(m_weights);
    if (index > 1)
        gatherAhead(index - 1);
    m_units[index]->finishGather();
    m_units[index]->beginBackward();
}

void UnitSequence::endUnitBackward(std::size_t index)
{
    if (!m_policies[index].isKeptGathered)
        m_units[index]->reshard();
    m_units[index]->startReduce(m_isLastBackward ? Reduction::All
            : m_options.reducesEachPass                ? Reduction::Shard
                                                       : Reduction::None,
        &m_arena);
    finishReducing();
    m_reducing = index;
}

void UnitSequence::finishReducing()
{
    if (m_releasing)
        m_units[*m_releasing]->releaseReduced();
    m_releasing = std::exchange(m_reducing, std::nullopt);
    if (m_releasing)
        m_units[*m_releasing]->finishReduce();
}

void UnitSequence::endBackward()
{
    endUnitBackward(0);
    finishReducing();
    finishReducing();
    for (auto& unit : m_units)
        unit->finishGradients();
}

void UnitSequence::weightsChanged(std::size_t index)
{
    if (m_units[index]->isTrained() && m_units[index]->state() == Unit::State::Gathered)
        m_units[index]->slotRefreshed();
}

void UnitSequence::zeroGrad()
{
    for (auto& unit : m_units)
        unit->zeroGrad();
    m_arena.reclaim();
}

void UnitSequence::reshardAll()
{
    for (auto& unit : m_units)
        unit->reshard();
}

std::int64_t UnitSequence::gatheredBytes() const
{
    const bool isOneForAll = m_group.sharesMemory() || !m_pool.device().is_cpu();
    const std::int64_t copies = isOneForAll ? 1 : m_group.size();  // of the ranks of this host, at most
    std::int64_t bytes = 0;
    for (const Unit* part : m_parts)
        bytes += part->needsGather() ? bytesOf(part->layout().length(), part->computeDtype()) * copies : 0;
    return bytes;
}

bool UnitSequence::fitsOnAllRanks() const
{
    if (!m_options.fitsGathered)
        return true;
    const at::Tensor refusals
        = at::full({1}, m_options.fitsGathered(gatheredBytes(), m_pool.device()) ? 0.0 : 1.0, at::TensorOptions().dtype(at::kDouble).device(m_pool.device()));
    m_group.allReduceSum(refusals, "room for the whole model");
    return m_group.onHost(refusals).item<double>() == 0;
}

UnitSequence::EvaluationScope::EvaluationScope(UnitSequence& sequence, Weights weights)
    : m_sequence(sequence)
{
    m_sequence.reshardAll();
    m_reserve = m_sequence.m_pool.reserve();
    m_sequence.m_keepsAll = m_sequence.fitsOnAllRanks();
    m_sequence.m_weights = weights;
}

UnitSequence::EvaluationScope::~EvaluationScope()
{
    try {
        m_sequence.reshardAll();
        m_sequence.m_pool.trim(m_reserve);
    } catch (const std::exception&) {
        // A gather under way has failed, as after a lost peer. The exception that ends the scope says so; where there is none,
        // the next collective of the group fails for the same reason.
    }
    m_sequence.m_weights = Weights::Master;
    m_sequence.m_keepsAll = false;
}

}  // namespace engine
