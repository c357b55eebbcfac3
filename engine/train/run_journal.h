// What a rank tells about its run: journal records, and the log lines that go with them.
#pragma once
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/checkpoint/load_report.h"
#include "engine/contract/journal_writer.h"
#include "engine/contract/run_folder.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/train/memory.h"
#include "engine/train/throughput.h"
#include "engine/train/trainer.h"

#include <cstdint>
#include <map>
#include <string>

namespace engine {

class RunJournal {
public:
    RunJournal(const contract::RunFolder& folder, int attempt, int rank);

    void setStep(std::int64_t step);  ///< of all that follows
    void setHasGpu(bool hasGpu) { m_hasGpu = hasGpu; }

    void phase(const std::string& what);  ///< "loads data"
    void note(const std::string& message);
    void warn(const std::string& message);

    /// This rank's part of a step; rank 0 adds what is of all ranks.
    void step(const StepReport& report, std::int64_t skippedSteps, const MemoryReading& memory,
        const Throughput& throughput);
    void metrics(const std::map<std::string, double>& values);
    void sample(const std::string& file, const std::string& prompt, std::uint64_t seed, const SamplerOptions& options,
        const char* weights);
    void profile(const std::string& file);
    void loaded(const LoadReport& checkpoint);  ///< warns of what it had not
    void saved(const SaveResult& checkpoint);

    void end(const char* outcome, const std::string& cause);
    void failure(const std::string& cause);

private:
    void event(const char* level, const char* kind, const std::string& message);
    bool isFirstRank() const { return m_rank == 0; }

    int m_rank;
    bool m_hasGpu = false;
    std::int64_t m_step = 0;
    contract::JournalWriter m_journal;
};

}  // namespace engine
