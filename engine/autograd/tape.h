// Reverse-mode differentiation of a pass through a sharded model, in memory that is reused from pass to pass.
#pragma once
#include "engine/autograd/dropout_mask.h"
#include "engine/shard/arena.h"
#include "engine/shard/unit_sequence.h"

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/SmallVector.h>

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace engine {

enum class PassDirection { Forward, Backward };

/// A value of the pass and, in backward, its gradient.
class Value {
public:
    at::Tensor data;  ///< in the tape's arena or in the caller's memory; of a derived value: shape and dtype on the device "meta"
    bool needsGrad = false;

private:
    friend class Tape;
    std::function<void(const at::Tensor& to, PassDirection direction)> m_compute;  ///< of a derived value, see Tape::makeDerived()
    at::Tensor m_grad;          ///< memory for the gradient; undefined until it is needed
    bool m_isGradWritten = false;
    bool m_outlivesUnit = false;  ///< m_grad is valid beyond the current unit's backward
    bool m_isUnitOutput = false;
};

/// A value owned by a tape; valid as long as the tape.
using Var = Value*;

/// [Note: one pass]
/// A model's forward calls layers, which compute at once and record() their backward functions. unit() brackets the
/// computation of one shard unit: the unit is gathered before it and resharded after it, and again in backward; gathers
/// run one unit ahead of use. The values that a unit computes, except its outputs, may be dropped after forward
/// (activation checkpointing): backward then recomputes them from the unit's inputs, with the same gather.
/// Gradients of a unit's own values live until its backward ends; those of its inputs outlive it. When a unit's backward has ended,
/// nothing reads what its forward computed, and sums of gradients may take that memory ([Note: memory of gradients] in gradient_reduction.h).
/// In Mode::Evaluate, output i takes the memory of input i if that was itself a unit's output: a model whose later
/// units read earlier outputs again must pass them through.
///
/// Create and use a tape on one thread. A pass is a collective: every rank runs the same units in the same order.
class Tape {
public:
    enum class Mode {
        Evaluate,  ///< nothing is recorded; a unit's values are dropped when it ends
        Train
    };

    /// Gathers the root. @param units must outlive the tape; only one tape may use it at a time
    Tape(UnitSequence& units, Mode mode);
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;

    Unit& root() { return m_units[0]; }
    std::size_t unitCount() const { return m_units.size(); }
    at::ScalarType unitDtype(std::size_t index) const { return m_units[index].computeDtype(); }

    using Body = std::function<std::vector<Var>(Unit&, const std::vector<Var>& inputs)>;

    /// Runs @p body between gather and reshard of unit @p index (≥ 1).
    /// @param inputs every outside value that the body uses; it receives them in the unit's compute dtype. Output i has
    ///        the shape of input i and is returned in the dtype of input i.
    /// @param body runs again in backward if the unit is recomputed
    std::vector<Var> unit(std::size_t index, const std::vector<Var>& inputs, const Body& body);

    /// Computes the gradients of all parameters from that of @p output. Mode::Train only, once per tape.
    void backward(Var output, const at::Tensor& gradient);

    // For layers.
    Arena& arena() { return m_arena; }
    bool isRecording() const { return m_isRecording; }
    bool isTraining() const { return m_isTraining; }  ///< true also while values of a block are dropped

    /// Call it before the first layer that draws random numbers.
    void setDraws(const PassDraws& draws) { m_draws = draws; }
    const PassDraws& draws() const { return m_draws; }

    Var input(at::Tensor data);  ///< a value that needs no gradient
    Var make(at::IntArrayRef shape, at::ScalarType dtype, bool needsGrad = true);
    at::Tensor allocate(at::IntArrayRef shape, at::ScalarType dtype);  ///< valid until the unit ends

    /// A value that is cheap to compute from others. In training with SequenceOptions::recomputesLayers it has no memory of its own: the layers
    /// that read it, which must use computed() or keep(), compute it in scratch memory, and again in backward.
    /// @param compute writes the value; in backward it may overwrite what only the record() of this value reads
    Var makeDerived(at::IntArrayRef shape, at::ScalarType dtype, std::function<void(const at::Tensor& to, PassDirection direction)> compute);
    bool recomputesLayers() const { return m_isTraining && m_units.recomputesLayers(); }
    bool isDerived(Var value) const { return static_cast<bool>(value->m_compute); }
    /// The data of any value. That of a derived one is in memory to be released by the caller, who marks the arena before.
    at::Tensor computed(Var value, PassDirection direction);
    void keep(Var value);  ///< gives a derived value memory of its own, for a layer that reads its data

    /// @param backward runs when the gradient of @p output is complete; not at all if nothing contributed to it
    void record(Var output, std::function<void()> backward) { record(Outputs {output}, std::move(backward)); }
    /// @param backward runs if any of the outputs has a gradient: see hasGrad()
    using Outputs = c10::SmallVector<Var, 2>;
    void record(Outputs outputs, std::function<void()> backward);
    const at::Tensor& gradOf(Var value) const { return value->m_grad; }
    bool hasGrad(Var value) const { return value->m_isGradWritten; }

    /// Where a layer stores its contribution to the gradient of a value.
    struct Destination {
        at::Tensor grad;
        bool isFirst = false;  ///< overwrite grad; otherwise add to it
    };
    Destination contribute(Var value);
    void allocateGradient(Var value);  ///< done by contribute() if not before; call it before scratch memory that the gradient outlives
    at::Tensor contributeToZeroed(Var value);  ///< zeroed before the first contribution: always add

    /// Contributes the whole gradient of @p from to @p to, without a copy if it is the first contribution. The gradient
    /// of @p from must not be used afterwards.
    void moveGradient(Var from, Var to);

    /// Calls @p observer with each value that a model names while it computes; again when backward recomputes a block.
    using Observer = std::function<void(const std::string& name, const at::Tensor& value)>;
    void setObserver(Observer observer) { m_observer = std::move(observer); }
    void observe(const char* name, Var value)
    {
        if (m_observer)
            show(name, value);
    }
    void observe(const char* name, std::size_t index, Var value);            ///< "name.index"
    void observe(const char* name, std::size_t index, int part, Var value);  ///< "name.index.part"

private:
    struct Segment {
        std::size_t unit = 0;  ///< 0: the root, with nothing to gather
        std::size_t firstStep = 0, endStep = 0;
        std::vector<Var> inputs, outputs;
        Body body;             ///< set if backward must run it again
        Arena::Mark begin = {}, end = {};  ///< around what forward has allocated
    };

    struct Step {
        Outputs outputs;
        std::function<void()> backward;
    };

    void show(const std::string& name, Var value);  ///< to the observer
    void closeRootSegment();
    std::vector<Var> run(const Body& body, Unit& unit, const std::vector<Var>& inputs);
    std::vector<Var> runAndDrop(const Body& body, Unit& unit, const std::vector<Var>& inputs);
    Var cast(Var value, at::ScalarType dtype);
    void reserveGrad(Var value);
    void recompute(Segment& segment);
    void runBack(Segment& segment);
    void runSteps(std::size_t first);

    c10::InferenceMode m_noAutograd;
    UnitSequence& m_units;
    Arena& m_arena;
    Arena::Mark m_bottom;
    bool m_isTraining;
    bool m_isRecording;
    std::deque<Value> m_values;
    std::vector<Step> m_steps;
    std::vector<Segment> m_segments;
    std::vector<at::Tensor> m_spareGrads;  ///< memory of finished gradients, for the next units
    Observer m_observer;
    PassDraws m_draws;
};

}  // namespace engine
