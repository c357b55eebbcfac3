// What a run trains: a model, the batches it learns from, and how it shows what it has learnt.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/experiment.h"
#include "engine/model/model.h"
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
/// In this order: makeTask() brings the data, units() names the parameters without allocating them, begin() takes those
/// that hold them, loadWeights() fills them unless a checkpoint does, and then there are steps to train and something to show. All ranks call the same methods in the same
/// order: all but model(), units(), loss() and writeSamples() are collective. Methods that use the weights do so inside
/// Residency::Use::Training or Evaluation.
class Task {
public:
    virtual ~Task() = default;

    virtual const Model& model() const = 0;
    virtual std::vector<UnitSpec> units() const { return model().units(); }

    /// What a checkpoint must have in common with the experiment, or exports of it need to know.
    virtual std::map<std::string, std::string> stateOptions() const { return model().shapeOptions(); }

    /// @param units of units(), not yet loaded; outlives the task's use
    virtual void begin(UnitSequence& units) = 0;

    /// What training begins with, where that is not drawn.
    virtual void loadWeights() { }

    /// Whether loadWeights() brings what does not train at every start, so that no checkpoint need hold it.
    virtual bool bringsFrozen() const { return false; }

    /// What is trained is kept in it (row E-094).
    virtual at::ScalarType trainedDtype() const { return at::kFloat; }

    virtual ForwardSteps& steps() = 0;
    virtual LossFunction loss() = 0;

    virtual double validationLoss(Weights weights) = 0;  ///< NaN without held-out data

    /// Pictures. What only they need, as an autoencoder, is brought to the device for the while. @return [pictures, C, H, W] float32 in [-1, 1] on the CPU, the same on every rank
    virtual at::Tensor samples(Weights weights) = 0;

    /// What the pictures of samples() were asked to show, for the journal and the file.
    virtual std::string samplePrompt() const = 0;

    /// @param pictures of samples()
    /// @return the file's path relative to @p runFolder. @throws std::system_error naming it.
    virtual std::string writeSamples(const std::filesystem::path& runFolder, const at::Tensor& pictures, std::int64_t step) = 0;

    /// What is measured once, at the end.
    struct Verdict {
        std::map<std::string, double> metrics;  ///< "judge/agreement"
        std::string sentence;                   ///< for the log
    };
    /// @param isJudge whether this rank judges; the others only take part.
    /// @return nothing on the others, and where there is nothing to judge.
    virtual std::optional<Verdict> judge(Weights weights, bool isJudge) = 0;
};

/// Where a task computes, and with whom.
struct TaskPlace {
    Mesh& mesh;
    c10::Device device;
    std::filesystem::path run;                     ///< the run's folder
    std::filesystem::path cache;                   ///< folder that the runs of a data home share
    std::function<void(const std::string&)> tell;  ///< what this rank does now, while that takes long
    std::function<void(const std::string&)> warn;  ///< what a person should know of the data; the first rank's words count
};

/// The task that the experiment describes. @param experiment, place outlive it.
/// @throws EngineError, std::runtime_error naming what is wrong.
std::unique_ptr<Task> makeTask(const contract::Experiment& experiment, const TaskPlace& place);

/// The average of the weights, or the weights themselves where ema.use says so or there is none.
Weights shownWeights(const contract::Experiment& experiment);

}  // namespace engine
