#include "engine/shard/unit_sequence.h"

namespace engine {

UnitSequence::UnitSequence(std::vector<UnitSpec> specs, Group& group, BufferPool& pool,
    UnitOptions unitOptions, SequenceOptions options, std::optional<std::uint64_t> seed)
    : m_options(options)
    , m_arena(pool.device())
{
    for (const UnitSpec& spec : specs) {
        const auto isOf = [&](const contract::UnitSelection& some) { return some.contains(m_units.size(), spec.name); };
        m_policies.push_back({.isRecomputed = isOf(options.recompute),
            .isKeptGathered = !options.reshardAfterForward || isOf(options.keepGathered)});
        UnitOptions own = unitOptions;
        if (isOf(options.computeInFloat))
            own.computeDtype = at::kFloat;
        m_units.push_back(std::make_unique<Unit>(spec, group, pool, own, seed));
        m_parts.push_back(m_units.back().get());
        for (const auto& unit : m_units.back()->beside())
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
    // The last unit is the first that backward needs: it stays.
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
                                                       : Reduction::None);
    finishReducing();
    m_reducing = index;
}

void UnitSequence::finishReducing()
{
    if (m_leaving)
        m_units[*m_leaving]->releaseReduced();
    m_leaving = std::exchange(m_reducing, std::nullopt);
    if (m_leaving)
        m_units[*m_leaving]->finishReduce();
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
}

void UnitSequence::reshardAll()
{
    for (auto& unit : m_units)
        unit->reshard();
}

UnitSequence::EvaluationScope::EvaluationScope(UnitSequence& sequence, Weights weights)
    : m_sequence(sequence)
{
    m_sequence.reshardAll();
    m_sequence.m_weights = weights;
    m_sequence.m_isEvaluating = true;
}

UnitSequence::EvaluationScope::~EvaluationScope()
{
    m_sequence.reshardAll();
    m_sequence.m_weights = Weights::Master;
    m_sequence.m_isEvaluating = false;
}

}  // namespace engine
