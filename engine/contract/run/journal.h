// The content of a run's journals: record types, event kinds and metric names.
//
// [Note: journals]
// A journal is an append-only file of JSON lines, one file per writer: rank N writes
// journal/rank-N.jsonl, the supervisor journal/supervisor.jsonl (as rank -1) and what the machine did,
// journal/host.jsonl (as rank -2; its "step" is whole seconds since the header). Each attempt of a run
// appends to the same files, starting with a header:
//   {"v":1,"run":"digits-20261121-101500-x3k9","attempt":2,"rank":0,"host":"box","t_unix_ms":1795255200000}
// Records follow, which are flat objects of numbers, strings and booleans:
//   {"type":"step","step":12,"t_ms":842.5,"loss":0.31,"grad_norm":"NaN",...}
// t_ms is the time since t_unix_ms of the header and never decreases. A line without a newline (its writer
// was killed) is not a record yet; lines that are not JSON are skipped. Readers ignore unknown types.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace contract {

/// Free bytes below which a disk counts as nearly full: checkpoints may soon not fit.
inline constexpr std::int64_t kLowDiskBytes = 5'000'000'000;

inline constexpr int kJournalVersion = 1;
inline constexpr int kSupervisorRank = -1;
inline constexpr int kHostRank = -2;  ///< of the journal that says what the machine did meanwhile
/// Readers skip lines of more than 1 MiB. A record has few texts, and escapes make a byte at most six times as long.
inline constexpr std::size_t kLongestText = 65536;

struct JournalHeader {
    int version = kJournalVersion;
    std::string run;
    int attempt = 1;
    int rank = 0;
    std::string host;
    std::int64_t startUnixMs = 0;
};

/// Values of "type". Every other number in a step or metrics record is a metric of that step.
namespace record {
inline constexpr char kStep[] = "step";              ///< one training step of one rank
inline constexpr char kMetrics[] = "metrics";        ///< other numbers at a step: validation, judge
inline constexpr char kSample[] = "sample";          ///< file (relative to the run folder), prompt, seed, guidance, weights
inline constexpr char kCheckpoint[] = "checkpoint";  ///< written to disk: path (relative), bytes, seconds, paused_seconds
/// Written once in an attempt, by rank 0, when the first step is done: see namespace pace.
inline constexpr char kPace[] = "pace";
inline constexpr char kEvent[] = "event";            ///< level (info, warning, error), kind, message
inline constexpr char kHost[] = "host";              ///< what the machine did: names that begin with kHostPrefix
inline constexpr char kActivity[] = "activity";      ///< message says what the rank does, again and again: "draws samples of round 3"
/// Last record of an attempt by this writer. From rank 0 and the supervisor it has outcome (finished,
/// stopped, failed) and cause. The supervisor's record is authoritative; a run without one was interrupted.
inline constexpr char kEnd[] = "end";
}  // namespace record

/// Fields of the sample records that show how a sample of a round fared (see [Note: rounds] in engine/rounds/policy_rounds.h). They have
/// either all of them or none, except that gold_reward may be missing.
namespace standing {
inline constexpr char kRound[] = "round";                ///< the first one is 1
inline constexpr char kReward[] = "reward";
inline constexpr char kGoldReward[] = "gold_reward";     ///< the watched reward
inline constexpr char kPromptReward[] = "prompt_reward"; ///< mean over the samples of the prompt
inline constexpr char kPromptPlace[] = "prompt_place";   ///< of the prompt, by that mean; 1 is the best
inline constexpr char kPrompts[] = "prompts";            ///< of the round
inline constexpr char kPlace[] = "place";                ///< of the sample among those of its prompt; 1 is the best
inline constexpr char kSamples[] = "samples";            ///< of the prompt
}  // namespace standing

/// Fields of the pace record: at its step, the run had seen so many samples, and sees so many more in each further step of the attempt.
namespace pace {
inline constexpr char kSamples[] = "samples";                ///< seen by all ranks since the run began
inline constexpr char kSamplesPerStep[] = "samples_per_step";
inline constexpr char kStepsPerEpoch[] = "steps_per_epoch";  ///< the data or the prompts are seen once in so many steps, not always whole ones
}  // namespace pace

/// Values of "kind" in an event record.
namespace event {
inline constexpr char kPhase[] = "phase";        ///< message says what the rank is doing: "loads data"
inline constexpr char kSkipped[] = "skipped";    ///< a step with a non-finite gradient norm
inline constexpr char kCommand[] = "command";    ///< a command was carried out
inline constexpr char kRankExit[] = "rank_exit"; ///< supervisor: a rank ended; rank, exit_code or signal
inline constexpr char kProfile[] = "profile";    ///< message is the trace's file, relative to the run folder
inline constexpr char kNotice[] = "notice";
/// Supervisor: the ranks have failed and are started again after a pause. Fields: restart (its number), restarts (launch.restarts), pause_ms
/// and cause.
inline constexpr char kRestarting[] = "restarting";
/// Supervisor: less than kLowDiskBytes are free where the run's folder lies; once in an attempt.
inline constexpr char kDiskLow[] = "disk_low";
inline constexpr char kNotSaved[] = "not_saved";  ///< rank 0: a checkpoint could not be written
}  // namespace event

/// Names of the metrics that the engine writes. Only rank 0 writes those of the whole run; each rank
/// writes its own rank/, time/ and memory/ series. Units are suffixes of the names.
namespace metric {
inline constexpr char kLoss[] = "loss";  ///< mean over ranks and micro-batches
inline constexpr char kGradNorm[] = "grad_norm";  ///< global, before clipping
inline constexpr char kLr[] = "lr";
inline constexpr char kLossScale[] = "loss_scale";  ///< only when the compute dtype is float16
inline constexpr char kImagesPerSecond[] = "images_per_s";
inline constexpr char kTeraflops[] = "perf/tflops";  ///< TFLOP/s per rank, counting the model's operations only
inline constexpr char kMfu[] = "perf/mfu";           ///< perf/tflops as a fraction of the device's peak, if that is known
inline constexpr char kSkippedSteps[] = "skipped_steps";  ///< number so far in this run
inline constexpr char kValidationLoss[] = "validation/loss";
inline constexpr char kJudgeAgreement[] = "judge/agreement";  ///< fraction of samples judged to show the requested label
inline constexpr char kJudgeAccuracy[] = "judge/accuracy";    ///< accuracy of the judge itself on held-out real data
inline constexpr char kJudgeReward[] = "judge/reward";  ///< mean reward of the judged samples, by the judge
inline constexpr char kJudgeBaseReward[] = "judge/base_reward";  ///< the same of the model that the run started from
inline constexpr char kJudgeWins[] = "judge/wins";  ///< share of the judged samples that score above that model's from the same noise
inline constexpr char kReward[] = "critic/rewards/mean";  ///< of the samples of a round
inline constexpr char kHighestReward[] = "critic/rewards/max";
inline constexpr char kLowestReward[] = "critic/rewards/min";
inline constexpr char kClipped[] = "actor/pg_clipfrac";  ///< fraction of samples whose ratio is clipped
inline constexpr char kPolicyDivergence[] = "actor/ppo_kl";  ///< mean of old minus new log-probabilities
inline constexpr char kRankLoss[] = "rank/loss";
inline constexpr char kStepTime[] = "time/step_ms";
inline constexpr char kDataTime[] = "time/data_ms";
inline constexpr char kForwardTime[] = "time/forward_ms";    ///< without time spent waiting for other ranks
inline constexpr char kBackwardTime[] = "time/backward_ms";  ///< without time spent waiting for other ranks
inline constexpr char kCommunicationTime[] = "time/communication_ms";  ///< time that compute waited for communication
inline constexpr char kOptimizerTime[] = "time/optimizer_ms";
inline constexpr char kResident[] = "memory/resident_bytes";        ///< anonymous and shared memory of the process
inline constexpr char kMapped[] = "memory/mapped_bytes";            ///< resident pages of mapped files: weights, libraries
inline constexpr char kAllocated[] = "memory/allocated_bytes";      ///< live tensors, as counted by the allocator
inline constexpr char kReserved[] = "memory/reserved_bytes";        ///< CUDA only
inline constexpr char kPeakAllocated[] = "memory/peak_bytes";      ///< highest allocated; on the CPU highest resident
/// Of the machine, in the host's journal. Those of a GPU are named "system/gpu0_load" after its index in NVML's order.
inline constexpr char kHostPrefix[] = "system/";
inline constexpr char kCpuLoad[] = "system/cpu_load";         ///< fraction of all cores' time
inline constexpr char kCpuRanks[] = "system/cpu_run_load";    ///< the part of it that the run's ranks had
inline constexpr char kHostMemory[] = "system/memory_used_bytes";       ///< what programs cannot get: total minus available
inline constexpr char kHostRanks[] = "system/memory_run_bytes";         ///< anonymous memory of the ranks, and what they share once
inline constexpr char kHostDisk[] = "system/disk_free_bytes";           ///< where the run's folder lies
inline constexpr char kDriverUsed[] = "memory/driver_used_bytes";   ///< CUDA only, the whole GPU
}  // namespace metric

}  // namespace contract
