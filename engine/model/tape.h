// Reverse-mode differentiation of a pass through a sharded model, in memory that is reused from pass to pass.
#pragma once
#include "engine/model/adapter_dropout.h"
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

/// A value of the pass and, in backward, its gradient.
class Value {
public:
    at::Tensor data;  ///< in the tape's arena or a caller's memory
    bool needsGrad = false;

private:
    friend class Tape;
    at::Tensor m_grad;          ///< memory for the gradient, once somebody needs it
    bool m_isGradWritten = false;
    bool m_outlivesUnit = false;  ///< m_grad does
    bool m_isUnitOutput = false;
};

/// Belongs to a tape; valid until the tape ends.
using Var = Value*;

/// [Note: one pass]
/// A model's forward calls layers, which compute at once and record() how to go back. unit() brackets the
/// computation of one shard unit: it is gathered before and resharded after, and in backward again, a unit
/// ahead of use. What a unit computes and is not its output may be dropped after forward (activation
/// checkpointing): backward then computes it again from the unit's inputs, with the same gather.
/// Gradients of values that a unit made live until its backward is over; those of its inputs outlive it.
/// Where values are dropped, output i takes the memory of input i if that was a unit's output itself: a model
/// whose later units read earlier outputs again must pass them through.
///
/// Made and used on one thread. A pass is a collective: every rank runs the same units in the same order.
class Tape {
public:
    enum class Mode {
        Evaluate,  ///< nothing is recorded; a unit's values are dropped at its end
        Train
    };

    /// Gathers the root. @param units outlives the tape; one tape at a time.
    Tape(UnitSequence& units, Mode mode);
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;

    Unit& root() { return m_units[0]; }
    std::size_t unitCount() const { return m_units.size(); }

    using Body = std::function<std::vector<Var>(Unit&, const std::vector<Var>& inputs)>;

    /// Runs @p body between gather and reshard of unit @p index (≥ 1).
    /// @param inputs every value from outside that the body uses; it gets them in the unit's compute dtype. Output i has
    ///        the shape of input i and is given back in its dtype.
    std::vector<Var> unit(std::size_t index, const std::vector<Var>& inputs, const Body& body);

    /// Gradients of all parameters, given that of @p output. Train only, once.
    void backward(Var output, const at::Tensor& gradient);

    // For layers.
    Arena& arena() { return m_arena; }
    bool isRecording() const { return m_isRecording; }
    bool isTraining() const { return m_isTraining; }  ///< also where a block's values are dropped

    /// Before the first layer that draws. @param draws of this pass
    void setDraws(const PassDraws& draws) { m_draws = draws; }
    const PassDraws& draws() const { return m_draws; }

    Var input(at::Tensor data);  ///< needs no gradient
    Var make(at::IntArrayRef shape, at::ScalarType dtype, bool needsGrad = true);
    at::Tensor allocate(at::IntArrayRef shape, at::ScalarType dtype);  ///< until the unit's end
    /// @param backward runs when the gradient of @p output is complete, and not at all when nothing came.
    void record(Var output, std::function<void()> backward) { record(Outputs {output}, std::move(backward)); }
    /// @param backward runs when a gradient came to any of them: see hasGrad()
    using Outputs = c10::SmallVector<Var, 2>;
    void record(Outputs outputs, std::function<void()> backward);
    const at::Tensor& gradOf(Var value) const { return value->m_grad; }
    bool hasGrad(Var value) const { return value->m_isGradWritten; }

    /// Where to put a contribution to the gradient of @p value.
    struct Destination {
        at::Tensor grad;
        bool isFirst = false;  ///< write; otherwise add
    };
    Destination contribute(Var value);
    at::Tensor contributeToZeroed(Var value);  ///< always add

    /// The whole gradient of @p from is also one of @p to, and @p from's is not used any more: no copy when it
    /// is the first.
    void handOn(Var from, Var to);

    /// Shows @p observer what models name while they compute; again where backward computes a block again.
    using Observer = std::function<void(const std::string& name, const at::Tensor& value)>;
    void setObserver(Observer observer) { m_observer = std::move(observer); }
    void observe(const char* name, Var value) const
    {
        if (m_observer)
            m_observer(name, value->data);
    }
    void observe(const char* name, std::size_t index, Var value) const;            ///< "name.index"
    void observe(const char* name, std::size_t index, int part, Var value) const;  ///< "name.index.part"

private:
    struct Segment {
        std::size_t unit = 0;  ///< 0: of the root, nothing to gather
        std::size_t firstStep = 0, endStep = 0;
        std::vector<Var> inputs, outputs;
        Body body;             ///< when it must be run again
    };

    struct Step {
        Outputs outputs;
        std::function<void()> backward;
    };

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
    std::vector<at::Tensor> m_spareGrads;  ///< of units' outputs whose backward is over
    Observer m_observer;
    PassDraws m_draws;
};

}  // namespace engine
