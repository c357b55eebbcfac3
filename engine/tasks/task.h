// A task: the model that a run trains, its training batches, and its evaluation.
#pragma once
#include "engine/checkpoint/data_file.h"
#include "engine/comm/mesh.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/models/transformer/model.h"
#include "engine/rounds/rollout_source.h"
#include "engine/tasks/drawn_sample.h"
#include "engine/train/forward_steps.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// [Note: tasks]
/// The methods are called in this order: makeTask() loads the data; units() names the parameters without allocating them;
/// begin() receives the units that hold them; loadWeights() fills them unless a checkpoint does; then startRound(), steps(), loss()
/// and takeMetrics() train, and validationLoss(), samples() and judge() evaluate. All ranks call the same methods in the same order: all but
/// model(), units(), loss(), isRoundDue(), toState() and toData() are collective. While a method that uses the weights runs, the current use is
/// Offload::Use::Training or Evaluation.
class Task {
public:
    virtual ~Task() = default;

    virtual const Model& model() const = 0;
    virtual std::vector<UnitSpec> units() const { return model().units(); }

    /// Returns the options that a checkpoint must share with the experiment, and those that its exports need.
    virtual std::map<std::string, std::string> stateOptions() const { return model().shapeOptions(); }

    /// @param units made from units(), with no weights loaded yet; must stay alive while the task is used
    virtual void begin(UnitSequence& units) = 0;

    /// Loads the initial weights of tasks that do not start from random ones.
    virtual void loadWeights() { }

    /// Whether loadWeights() loads the frozen weights at every start, so that checkpoints need not hold them.
    virtual bool loadsFrozenWeights() const { return false; }

    /// The dtype in which trained parameters are stored (row E-094).
    virtual at::ScalarType trainedDtype() const { return at::kFloat; }

    virtual ForwardSteps& steps() = 0;
    virtual LossFunction loss() = 0;

    /// Returns the number of steps per epoch: in which each sample, or prompt, is used once on average.
    virtual double stepsPerEpoch() const = 0;

    /// Whether a round of an algorithm begins before the next update; see [Note: rounds].
    virtual bool isRoundDue() const { return false; }

    /// Prepares the round that training step @p step belongs to: draws samples and computes rewards and advantages.
    /// @return numbers for the journal, the same on all ranks; nullopt when TaskContext::isStopAgreed() returned true. The round is due then.
    virtual std::optional<NamedNumbers> startRound(std::int64_t /*step*/) { return NamedNumbers(); }

    /// Returns metrics of the last step other than its loss; the same on all ranks.
    virtual NamedNumbers takeMetrics() { return {}; }

    /// Why the run should stop; empty: it should go on. The same on all ranks.
    virtual std::string stopReason() const { return {}; }

    /// State for a resume, in addition to tensors and the trainer's state.
    virtual std::map<std::string, std::string> toState() const { return {}; }
    /// The same of this data rank alone, as tensors: the samples of a round under way. They do not change later.
    virtual RankData toData() const { return {}; }
    /// @param step of training, at which the checkpoint was made
    /// @param data empty when the checkpoint has none, or not all of it is loaded
    virtual void restore(std::int64_t /*step*/, const std::map<std::string, std::string>& /*state*/, DataFiles& /*data*/) { }

    /// Measures the untrained model before the first step, as the baseline of judge(). The same on all ranks.
    virtual NamedNumbers judgeBase() { return {}; }

    virtual std::optional<double> validationLoss(Weights weights) = 0;  ///< none without held-out data

    /// Draws sample images. Models needed only for that, such as an autoencoder, are on the device only meanwhile.
    /// @return one for each prompt or label, the same on every rank
    virtual std::vector<DrawnSample> samples(Weights weights) = 0;

    /// A final measurement, made once at the end of training.
    struct Verdict {
        std::map<std::string, double> metrics;  ///< "judge/agreement"
        std::string sentence;                   ///< for the log
    };
    /// Draws samples and measures their quality. Collective.
    /// @param isJudge whether this rank measures; the others only help to draw
    /// @return nullopt on the other ranks, and when there is nothing to measure.
    virtual std::optional<Verdict> judge(Weights weights, bool isJudge) = 0;
};

/// The ranks, device and folders that a task uses, and its callbacks.
struct TaskContext {
    Mesh& mesh;
    c10::Device device;
    std::filesystem::path run;    ///< the run's folder
    std::filesystem::path cache;  ///< cache folder, shared by all runs of a data home
    std::function<void(const std::string&)> reportProgress;  ///< gets what this rank is doing during long work
    std::function<void(const std::string&)> warn;            ///< gets warnings about the data; only those of rank 0 are kept
    std::function<bool()> isStopAgreed = [] { return false; };  ///< whether all ranks stop, asked during a round, when a checkpoint may be saved, too; collective
    SampleKeeper keepSample = {};                            ///< gets samples of a round; only those of rank 0 are kept
    std::function<void()> idleWeights = {};                  ///< called when samples() needs the weights no more; see [Note: offload]
};

/// Creates the task that the experiment describes. @p experiment and @p context must outlive it.
/// @throws EngineError, std::runtime_error naming what is wrong.
std::unique_ptr<Task> makeTask(const contract::Experiment& experiment, const TaskContext& context);

/// Returns the weights to evaluate with: the EMA if there is one and ema.use is true, otherwise the master weights.
Weights evaluationWeights(const contract::Experiment& experiment);

}  // namespace engine
