// Writes a rank's journal records and the matching log lines.
#pragma once
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/run_folder.h"
#include "engine/diffusion/guided_sampler.h"
#include "engine/rounds/rollout_source.h"
#include "engine/train/trainer.h"
#include "engine/weights/load_report.h"
#include "engine/worker/memory.h"
#include "engine/worker/throughput.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace engine {

class RunJournal {
public:
    RunJournal(const contract::RunFolder& folder, int attempt, int rank);

    void setStep(std::int64_t step);  ///< step of all later records and log lines
    void setHasGpu(bool hasGpu) { m_hasGpu = hasGpu; }
    using OnNumber = std::function<void(std::int64_t step, std::string_view metric, double value)>;
    void setOnNumber(OnNumber onNumber) { m_onNumber = std::move(onNumber); }  ///< called with each value of a step or metrics record

    void phase(const std::string& what);  ///< what the rank does from now on, such as "loads data"
    void activity(const std::string& what);  ///< the same of what is done in every round, which is no event

    /// What the rank does as long as this lives. It is recorded only where it takes long: by pulse().
    class During {
    public:
        During(RunJournal& journal, std::string what);
        ~During();
        During(const During&) = delete;
        During& operator=(const During&) = delete;

    private:
        RunJournal& m_journal;
        std::string m_former;
    };
    /// Says that the rank still does what it did, unless it has recorded something lately: a rank that is silent counts as stalled.
    /// Call it as often as you like.
    void pulse();
    /// Of how long a silence pulse() makes an end.
    void setPulsePause(std::chrono::milliseconds pause) { m_pulsePause = pause; }

    void note(const std::string& message);
    void warn(const std::string& message);

    /// Records how steps count in samples and epochs, on rank 0; see contract::record::kPace.
    /// @param samples seen before step @p step + 1
    void pace(std::int64_t step, std::int64_t samples, std::int64_t samplesPerStep, double stepsPerEpoch);
    /// Records this rank's metrics of a step; rank 0 adds the metrics of all ranks.
    void step(const StepReport& report, std::int64_t skippedSteps, const MemoryReading& memory,
        const Throughput& throughput);
    void metrics(const std::map<std::string, double>& values);
    void sample(const std::string& file, const std::string& prompt, std::uint64_t seed, const SamplerOptions& options,
        const char* weights);
    /// Records the image of a sample of a round, drawn with @p guidance.
    void sample(const std::string& file, const std::string& prompt, std::uint64_t seed, double guidance, const RoundSample& standing);
    void profile(const std::string& file);
    void loaded(const LoadReport& checkpoint);  ///< warns of everything the checkpoint lacked
    void saved(const SaveResult& checkpoint);

    void end(const char* outcome, const std::string& cause);
    void failure(const std::string& cause);

private:
    void event(const char* level, const char* kind, const std::string& message);
    RunJournal& number(std::string_view name, double value);
    RunJournal& number(std::string_view name, std::int64_t value);
    bool isFirstRank() const { return m_rank == 0; }

    int m_rank;
    bool m_hasGpu = false;
    std::int64_t m_step = 0;
    contract::JournalWriter m_journal;
    OnNumber m_onNumber;
    std::string m_doing;                 ///< what phase(), activity() or a During has said last
    bool m_isPulseRecorded = false;      ///< of the During that lives
    std::chrono::milliseconds m_pulsePause {20'000};
    std::chrono::steady_clock::time_point m_lastPulse = std::chrono::steady_clock::now();  ///< or record of a step or activity
};

}  // namespace engine
