// What a run's journals say: the record types and the names of the metrics.
//
// [Note: journals]
// A journal is a file of JSON lines that is only appended to, one per writer: ranks write
// journal/rank-N.jsonl, the supervisor journal/supervisor.jsonl (rank -1). Each attempt of a run
// appends to the same files, beginning with a header:
//   {"v":1,"run":"digits-20261121-101500-x3k9","attempt":2,"rank":0,"host":"box","t_unix_ms":1795255200000}
// then records, which are flat objects of numbers, texts and booleans:
//   {"type":"step","step":12,"t_ms":842.5,"loss":0.31,"grad_norm":"NaN",...}
// t_ms counts from the header's moment and never decreases. A line without its newline (a writer was
// killed) is not yet a record; one that is no JSON is skipped. Readers ignore types they do not know.
#pragma once
#include <cstdint>
#include <string>

namespace contract {

inline constexpr int kJournalVersion = 1;
inline constexpr int kSupervisorRank = -1;

struct JournalHeader {
    int version = kJournalVersion;
    std::string run;
    int attempt = 1;
    int rank = 0;
    std::string host;
    std::int64_t startUnixMs = 0;
};

/// "type" of a record. Every further number in Step and Metrics is a metric of that step.
namespace record {
inline constexpr char kStep[] = "step";              ///< one training step of one rank
inline constexpr char kMetrics[] = "metrics";        ///< other numbers at a step: validation, judge
inline constexpr char kSample[] = "sample";          ///< file (relative to the run folder), prompt, seed, guidance, weights
inline constexpr char kCheckpoint[] = "checkpoint";  ///< on the disk: path (relative), bytes, seconds, paused_seconds
inline constexpr char kEvent[] = "event";            ///< level (info, warning, error), kind, message
/// Last record of a writer's attempt. From rank 0 and the supervisor: outcome (finished, stopped,
/// failed), cause. The supervisor's word is final; a run without it ended in an interruption.
inline constexpr char kEnd[] = "end";
}  // namespace record

/// "kind" of an event.
namespace event {
inline constexpr char kPhase[] = "phase";        ///< message says what the rank does: "loads data"
inline constexpr char kSkipped[] = "skipped";    ///< a step with a non-finite gradient norm
inline constexpr char kCommand[] = "command";    ///< a command was carried out
inline constexpr char kRankExit[] = "rank_exit"; ///< supervisor: a rank ended; rank, exit_code or signal
inline constexpr char kProfile[] = "profile";    ///< message is the trace's file, relative to the run folder
inline constexpr char kNotice[] = "notice";
}  // namespace event

/// Names of the metrics that the engine writes. Rank 0 alone writes those of the whole run; each rank
/// writes its own rank/, time/ and memory/ series. The unit is the name's ending.
namespace metric {
inline constexpr char kLoss[] = "loss";  ///< mean over ranks and micro-batches
inline constexpr char kGradNorm[] = "grad_norm";  ///< global, before clipping
inline constexpr char kLr[] = "lr";
inline constexpr char kLossScale[] = "loss_scale";  ///< where compute is float16
inline constexpr char kImagesPerSecond[] = "images_per_s";
inline constexpr char kTeraflops[] = "perf/tflops";  ///< per second and rank, of the model's own work
inline constexpr char kMfu[] = "perf/mfu";           ///< the same as a part of the device's peak, where that is known
inline constexpr char kSkippedSteps[] = "skipped_steps";  ///< so far in this run
inline constexpr char kValidationLoss[] = "validation/loss";
inline constexpr char kJudgeAgreement[] = "judge/agreement";  ///< part of samples seen as what was asked for
inline constexpr char kJudgeAccuracy[] = "judge/accuracy";    ///< the judge's own, on held-out real data
inline constexpr char kRankLoss[] = "rank/loss";
inline constexpr char kStepTime[] = "time/step_ms";
inline constexpr char kDataTime[] = "time/data_ms";
inline constexpr char kForwardTime[] = "time/forward_ms";    ///< without waiting for others
inline constexpr char kBackwardTime[] = "time/backward_ms";  ///< without waiting for others
inline constexpr char kCommunicationTime[] = "time/communication_ms";  ///< time in which compute waited
inline constexpr char kOptimizerTime[] = "time/optimizer_ms";
inline constexpr char kResident[] = "memory/resident_bytes";        ///< of the process
inline constexpr char kAllocated[] = "memory/allocated_bytes";      ///< tensors alive, by the allocator
inline constexpr char kReserved[] = "memory/reserved_bytes";        ///< CUDA only
inline constexpr char kPeakAllocated[] = "memory/peak_bytes";
inline constexpr char kDriverUsed[] = "memory/driver_used_bytes";   ///< CUDA only, the whole GPU
}  // namespace metric

}  // namespace contract
