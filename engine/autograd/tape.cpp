#include "engine/autograd/tape.h"

#include "engine/comm/trace.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zero.h>

#include <algorithm>
#include <ranges>

namespace engine {

Tape::Tape(UnitSequence& units, Mode mode)
    : m_units(units)
    , m_arena(units.arena())
    , m_bottom(m_arena.mark())
    , m_isTraining(mode == Mode::Train)
    , m_isRecording(m_isTraining)
{
    m_units.begin();
}

Tape::~Tape() { m_arena.release(m_bottom); }

Var Tape::input(at::Tensor data)
{
    Value& value = m_values.emplace_back();
    value.data = std::move(data);
    return &value;
}

Var Tape::make(at::IntArrayRef shape, at::ScalarType dtype, bool needsGrad)
{
    const Var value = input(allocate(shape, dtype));
    value->needsGrad = needsGrad;
    return value;
}

at::Tensor Tape::allocate(at::IntArrayRef shape, at::ScalarType dtype)
{
    return m_arena.allocate(shape, dtype);
}

Var Tape::makeDerived(at::IntArrayRef shape, at::ScalarType dtype, std::function<void(const at::Tensor& to, PassDirection direction)> compute)
{
    if (!recomputesLayers()) {
        const Var value = make(shape, dtype);
        compute(value->data, PassDirection::Forward);
        return value;
    }
    // An operator that reads its data without computed() fails: no other has that device.
    const Var value = input(at::empty(shape, at::TensorOptions(dtype).device(at::kMeta)));
    value->needsGrad = true;
    value->m_compute = std::move(compute);
    return value;
}

at::Tensor Tape::computed(Var value, PassDirection direction)
{
    if (!isDerived(value))
        return value->data;
    const at::Tensor data = allocate(value->data.sizes(), value->data.scalar_type());
    value->m_compute(data, direction);
    return data;
}

void Tape::keep(Var value)
{
    value->data = computed(value, PassDirection::Forward);
    value->m_compute = nullptr;
}

void Tape::record(Outputs outputs, std::function<void()> backward)
{
    if (m_isRecording)
        m_steps.push_back({std::move(outputs), std::move(backward)});
}

void Tape::observe(const char* name, std::size_t index, Var value)
{
    if (m_observer)
        show(std::string(name) + "." + std::to_string(index), value);
}

void Tape::observe(const char* name, std::size_t index, int part, Var value)
{
    if (m_observer)
        show(std::string(name) + "." + std::to_string(index) + "." + std::to_string(part), value);
}

void Tape::show(const std::string& name, Var value)
{
    const Arena::Mark mark = m_arena.mark();
    m_observer(name, computed(value, PassDirection::Forward));
    m_arena.release(mark);
}

void Tape::closeRootSegment()
{
    const std::size_t first = m_segments.empty() ? 0 : m_segments.back().endStep;
    if (m_steps.size() > first)
        m_segments.push_back({0, first, m_steps.size(), {}, {}, {}});
}

std::vector<Var> Tape::unit(std::size_t index, const std::vector<Var>& inputs, const Body& body)
{
    const TraceRange range("forward of", m_units[index].name());
    m_units.enter(index);
    const bool dropsValues = !m_isTraining || m_units.isRecomputed(index);
    std::vector<Var> outputs;
    if (m_isTraining)
        closeRootSegment();
    const std::size_t first = m_steps.size();
    const Arena::Mark begin = m_arena.mark();
    outputs = dropsValues ? runAndDrop(body, m_units[index], inputs) : run(body, m_units[index], inputs);
    for (const Var output : outputs)
        output->m_isUnitOutput = true;
    if (m_isTraining)
        m_segments.push_back({index, first, m_steps.size(), inputs, outputs, dropsValues ? body : Body(), begin, m_arena.mark()});
    m_units.exit(index, m_isTraining);
    return outputs;
}

std::vector<Var> Tape::run(const Body& body, Unit& unit, const std::vector<Var>& inputs)
{
    const at::ScalarType dtype = unit.computeDtype();
    const auto hasUnitDtype = [&](Var value) { return value->data.scalar_type() == dtype; };
    if (std::ranges::all_of(inputs, hasUnitDtype))
        return body(unit, inputs);
    std::vector<Var> own;
    for (const Var input : inputs)
        own.push_back(cast(input, dtype));
    std::vector<Var> outputs = body(unit, own);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        outputs[i] = cast(outputs[i], inputs[i]->data.scalar_type());
    return outputs;
}

Var Tape::cast(Var value, at::ScalarType dtype)
{
    if (value->data.scalar_type() == dtype)
        return value;
    const Var out = make(value->data.sizes(), dtype, value->needsGrad);
    out->data.copy_(value->data);
    record(out, [=, this] {
        if (!value->needsGrad)
            return;
        const auto [grad, isFirst] = contribute(value);
        if (isFirst)
            grad.copy_(gradOf(out));
        else
            grad.add_(gradOf(out));
    });
    return out;
}

std::vector<Var> Tape::runAndDrop(const Body& body, Unit& unit, const std::vector<Var>& inputs)
{
    std::vector<Var> kept;
    for (const Var input : inputs) {
        const bool isFree = !m_isTraining && input->m_isUnitOutput;
        kept.push_back(this->input(isFree ? input->data : allocate(input->data.sizes(), input->data.scalar_type())));
        kept.back()->needsGrad = true;
    }
    const Arena::Mark mark = m_arena.mark();
    m_isRecording = false;
    const std::vector<Var> outputs = run(body, unit, inputs);
    m_isRecording = m_isTraining;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        kept[i]->data.copy_(outputs[i]->data);
    kept.resize(outputs.size());
    m_arena.release(mark);
    return kept;
}

void Tape::reserveGrad(Var value)
{
    if (!value->needsGrad || value->m_grad.defined())
        return;
    const auto fits = [&](const at::Tensor& spare) {
        return spare.sizes() == value->data.sizes() && spare.scalar_type() == value->data.scalar_type();
    };
    const auto spare = std::ranges::find_if(m_spareGrads, fits);
    if (spare == m_spareGrads.end()) {
        value->m_grad = allocate(value->data.sizes(), value->data.scalar_type());
    } else {
        value->m_grad = std::move(*spare);
        m_spareGrads.erase(spare);
    }
    value->m_outlivesUnit = true;
}

Tape::Destination Tape::contribute(Var value)
{
    allocateGradient(value);
    return {value->m_grad, !std::exchange(value->m_isGradWritten, true)};
}

void Tape::allocateGradient(Var value)
{
    if (!value->m_grad.defined())
        value->m_grad = allocate(value->data.sizes(), value->data.scalar_type());
}

at::Tensor Tape::contributeToZeroed(Var value)
{
    const Destination destination = contribute(value);
    if (destination.isFirst)
        value->m_grad.zero_();
    return value->m_grad;
}

void Tape::moveGradient(Var from, Var to)
{
    if (!to->needsGrad)
        return;
    if (to->m_isGradWritten) {
        to->m_grad.add_(from->m_grad);
    } else if (!to->m_grad.defined() || from->m_outlivesUnit == to->m_outlivesUnit) {
        std::swap(from->m_grad, to->m_grad);
        std::swap(from->m_outlivesUnit, to->m_outlivesUnit);
    } else {
        to->m_grad.copy_(from->m_grad);
    }
    to->m_isGradWritten = true;
    from->m_isGradWritten = false;
}

void Tape::backward(Var output, const at::Tensor& gradient)
{
    closeRootSegment();
    output->m_grad = gradient;
    output->m_outlivesUnit = true;
    output->m_isGradWritten = true;
    m_units.beginBackward();
    for (Segment& segment : std::views::reverse(m_segments)) {
        if (segment.unit == 0) {
            runSteps(segment.firstStep);
        } else {
            const TraceRange range("backward of", m_units[segment.unit].name());
            m_units.beginUnitBackward(segment.unit);
            runBack(segment);
            if (std::ranges::find(segment.outputs, output) == segment.outputs.end())  // the caller may still read the output
                m_arena.retire(segment.begin, segment.end);
            m_units.endUnitBackward(segment.unit);
        }
    }
    m_units.endBackward();
}

void Tape::runBack(Segment& segment)
{
    std::vector<at::Tensor> outer;
    for (const Var output : segment.outputs) {
        if (output->m_grad.defined())
            outer.push_back(output->m_grad);
    }
    for (const Var input : segment.inputs) {
        reserveGrad(input);
        if (input->needsGrad)
            outer.push_back(input->m_grad);
    }
    const Arena::Mark mark = m_arena.mark();
    if (segment.body)
        recompute(segment);
    runSteps(segment.firstStep);
    m_arena.release(mark);
    // Memory that no input's gradient uses is reused for the next unit.
    for (at::Tensor& memory : outer) {
        const auto isHeld = [&](Var input) {
            return input->m_grad.defined() && input->m_grad.data_ptr() == memory.data_ptr();
        };
        if (std::ranges::none_of(segment.inputs, isHeld))
            m_spareGrads.push_back(std::move(memory));
    }
}

void Tape::recompute(Segment& segment)
{
    const std::vector<Var> outputs = run(segment.body, m_units[segment.unit], segment.inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        outputs[i]->m_grad = segment.outputs[i]->m_grad;
        outputs[i]->m_isGradWritten = segment.outputs[i]->m_isGradWritten;
        outputs[i]->m_outlivesUnit = segment.outputs[i]->m_outlivesUnit;
    }
}

void Tape::runSteps(std::size_t first)
{
    while (m_steps.size() > first) {
        const Step step = std::move(m_steps.back());
        m_steps.pop_back();
        if (std::ranges::any_of(step.outputs, [this](Var output) { return hasGrad(output); }))
            step.backward();
    }
}

}  // namespace engine
