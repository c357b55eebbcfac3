// What a run's model is worth meanwhile and at the end: held-out loss, samples, the judge.
#pragma once
#include "engine/comm/accelerator.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "engine/tasks/task.h"
#include "engine/train/offload.h"
#include "engine/worker/memory.h"
#include "engine/worker/run_journal.h"

#include <cstdint>

namespace engine {

/// Brings what evaluation needs to the device and lets it idle again. All methods but keep() are collective, and write to the journal of the first
/// rank.
class RunEvaluation {
public:
    struct Parts {
        const contract::Experiment& experiment;
        const contract::RunFolder& folder;
        int attempt;
        bool isFirstRank;
        Task& task;
        Offload& offload;
        RunJournal& journal;
        MemoryMeter& memory;
        Accelerator* accelerator;  ///< nullptr on the CPU
    };
    /// @param parts must outlive this object
    explicit RunEvaluation(const Parts& parts);

    NamedNumbers validate();   ///< @return the held-out loss on the first rank, if there are held-out data
    NamedNumbers judgeBase();  ///< see Task::judgeBase()
    NamedNumbers judge();      ///< @return the verdict's metrics on the first rank, if there is a verdict

    /// Draws samples and writes an image for each prompt. Warns when a file cannot be written. @throws as Task::samples()
    void sample(std::int64_t step);
    /// Writes the image of a sample of a round. No-op on the other ranks; not collective. Warns when the file cannot be written.
    void keep(const RoundSample& sample, const std::string& prompt, const at::Tensor& frames);
    std::int64_t sampledStep() const { return m_sampledStep; }  ///< of the last sample(); -1: none in this attempt

private:
    Parts m_parts;
    std::int64_t m_sampledStep = -1;
};

}  // namespace engine
