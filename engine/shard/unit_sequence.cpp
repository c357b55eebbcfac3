#include "engine/shard/unit_sequence.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace engine {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

UnitSequence& sequenceOf(AutogradContext* context)
{
    return *reinterpret_cast<UnitSequence*>(context->saved_data["sequence"].toInt());
}

void remember(AutogradContext* context, UnitSequence* sequence, std::int64_t index)
{
    context->saved_data["sequence"] = reinterpret_cast<std::int64_t>(sequence);
    context->saved_data["unit"] = index;
    context->set_materialize_grads(false);
}

/// Identity on a unit's inputs; its backward runs when all their gradients are there.
struct EnterNode : Function<EnterNode> {
    static variable_list forward(
        AutogradContext* context, UnitSequence* sequence, std::int64_t index, at::TensorList inputs)
    {
        remember(context, sequence, index);
        variable_list outputs;
        for (const at::Tensor& input : inputs)
            outputs.push_back(input.view_as(input));
        return outputs;
    }
    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        sequenceOf(context).endUnitBackward(
            static_cast<std::size_t>(context->saved_data["unit"].toInt()));
        variable_list result(2);
        result.insert(result.end(), gradients.begin(), gradients.end());
        return result;
    }
};

/// Identity on a unit's output; its backward runs before the unit's.
struct ExitNode : Function<ExitNode> {
    static at::Tensor forward(AutogradContext* context, UnitSequence* sequence, std::int64_t index,
        const at::Tensor& output)
    {
        remember(context, sequence, index);
        return output.view_as(output);
    }
    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        sequenceOf(context).beginUnitBackward(
            static_cast<std::size_t>(context->saved_data["unit"].toInt()));
        return {at::Tensor(), at::Tensor(), gradients[0]};
    }
};

}  // namespace

UnitSequence::UnitSequence(std::vector<UnitSpec> specs, Group& group, BufferPool& pool,
    UnitOptions unitOptions, SequenceOptions options, std::uint64_t seed)
    : m_options(options)
{
    for (UnitSpec& spec : specs)
        m_units.push_back(std::make_unique<Unit>(std::move(spec), group, pool, unitOptions, seed));
}

void UnitSequence::gatherAhead(std::size_t index)
{
    if (m_options.prefetch && index < m_units.size())
        m_units[index]->startGather(m_weights);
}

void UnitSequence::begin()
{
    at::NoGradGuard noGrad;
    m_units[0]->startGather(m_weights);
    gatherAhead(1);
    m_units[0]->finishGather();
}

std::vector<at::Tensor> UnitSequence::enter(std::size_t index, std::vector<at::Tensor> inputs)
{
    {
        at::NoGradGuard noGrad;
        m_units[index]->startGather(m_weights);
        gatherAhead(index + 1);
        m_units[index]->finishGather();
    }
    if (!at::GradMode::is_enabled())
        return inputs;
    return EnterNode::apply(this, static_cast<std::int64_t>(index), at::TensorList(inputs));
}

at::Tensor UnitSequence::exit(std::size_t index, const at::Tensor& output)
{
    // The last unit is the first that backward needs: it stays.
    const bool isNeededNext = at::GradMode::is_enabled() && index + 1 == m_units.size();
    if (!keepsGathered() && !isNeededNext)
        m_units[index]->reshard();
    if (!at::GradMode::is_enabled())
        return output;
    return ExitNode::apply(this, static_cast<std::int64_t>(index), output);
}

void UnitSequence::beginUnitBackward(std::size_t index)
{
    at::NoGradGuard noGrad;
    m_units[index]->startGather(m_weights);
    if (index > 1)
        gatherAhead(index - 1);
    m_units[index]->finishGather();
    m_units[index]->beginBackward();
}

void UnitSequence::endUnitBackward(std::size_t index)
{
    at::NoGradGuard noGrad;
    if (m_options.reshardAfterForward)
        m_units[index]->reshard();
    m_units[index]->startReduce();
    if (m_reducing)
        m_units[*m_reducing]->finishReduce();
    m_reducing = index;
}

void UnitSequence::backward(const at::Tensor& loss)
{
    {
        at::NoGradGuard noGrad;
        m_units[0]->beginBackward();
    }
    loss.backward();
    endUnitBackward(0);
    at::NoGradGuard noGrad;
    m_units[0]->finishReduce();
    m_reducing.reset();
    // The weights change before the next forward, whatever was kept.
    if (m_options.reshardAfterForward)
        m_units[0]->reshard();
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
