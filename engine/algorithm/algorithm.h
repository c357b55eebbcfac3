// [Note: algorithms] What post-training does with the samples of a round. An algorithm is a small object: which advantages it
// takes from rewards, what it needs of a rollout, and its loss on one micro-batch at one timestep. Everything else (sampling,
// rewards, the order of an update's passes) is the same for all algorithms.
#pragma once
#include "engine/algorithm/group_advantage.h"
#include "engine/algorithm/loss/algorithm_loss.h"
#include "engine/algorithm/loss/group_preference.h"
#include "engine/contract/experiment/correction_spec.h"
#include "engine/shard/unit_options.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// What a rollout must compute and store for an algorithm, in addition to the clean samples.
struct RolloutNeeds {
    bool stochasticSteps = false;  ///< latents around each trained step, its timestep and log-probability; otherwise clean samples
    bool stepMeans = false;        ///< the mean of each trained step under the policy that samples
    bool teacher = false;          ///< a pass of the teacher over what is trained on
    bool pairs = false;            ///< only the best and the worst sample of each prompt are trained on, in adjacent rows
    bool wholeGroups = false;      ///< the loss sums over the samples of a prompt, which are in one pass of all ranks together
    /// Passes over what is trained on by other weights than those that train: {"ref", Weights::Reference}. The names are
    /// prefixes of fields.
    std::map<std::string, Weights> passes = {};
};

/// Names of tensors that a loss takes.
struct LossInputs {
    std::vector<std::string> outputs;         ///< of the model that trains, with the graph
    std::vector<std::string> fields;          ///< of the rollout, at the timestep
    std::vector<std::string> optionalFields;
};

class Algorithm {
public:
    virtual ~Algorithm() = default;

    virtual std::string_view name() const = 0;  ///< as in algorithm.name
    virtual RolloutNeeds needs() const = 0;
    virtual AdvantageOptions advantages() const = 0;
    /// Which weights draw the samples of round @p round, counted from 0.
    virtual Weights samplingWeights(std::int64_t /*round*/) const { return Weights::Master; }
    virtual LossInputs inputs() const = 0;
    virtual std::vector<std::string> metrics() const = 0;  ///< names of those that loss() returns, when optional fields are missing

    /// How a round is corrected when its log-probabilities are recomputed before its updates, which needs() asks for; nullptr when they
    /// are not.
    virtual const contract::CorrectionSpec* correction() const { return nullptr; }

    /// Changes the weight of the reference in the loss, where it has one.
    virtual void setReferenceCoefficient(double /*coefficient*/) { }

    /// The loss on one micro-batch at one timestep. Checks first that nothing is missing (row E-015).
    /// @param outputs, fields [b, …] float32 on one device; fields get no gradient
    /// @param groups of the rows, with RolloutNeeds::wholeGroups; the call is a collective then
    /// @throws std::invalid_argument naming what is missing and what there is.
    AlgorithmLoss loss(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference* groups = nullptr) const;

protected:
    virtual AlgorithmLoss lossOf(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference* groups) const = 0;
};

}  // namespace engine
