#include "engine/worker/run_journal.h"

#include "engine/contract/formats/text.h"
#include "engine/worker/log.h"

#include <exception>

namespace engine {

namespace metric = contract::metric;
namespace {

bool isCopyOfWeights(const std::string& kind) { return kind == "ema" || kind == "old" || kind == "reference"; }

}  // namespace

RunJournal::RunJournal(const contract::RunFolder& folder, int attempt, int rank)
    : m_rank(rank)
    , m_journal(folder.journal(rank), {contract::kJournalVersion, folder.id(), attempt, rank, {}, 0})
{
}

void RunJournal::setStep(std::int64_t step)
{
    m_step = step;
    setLogStep(step);
}

void RunJournal::phase(const std::string& what)
{
    m_doing = what;
    event("info", contract::event::kPhase, what);
}

void RunJournal::activity(const std::string& what)
{
    m_doing = what;
    m_lastPulse = std::chrono::steady_clock::now();
    logInfo(what);
    m_journal.begin(contract::record::kActivity, m_step).add("message", what).commit();
}

RunJournal::During::During(RunJournal& journal, std::string what)
    : m_journal(journal)
    , m_former(std::exchange(journal.m_doing, std::move(what)))
{
    journal.m_isPulseRecorded = false;
}

RunJournal::During::~During()
{
    m_journal.m_doing = m_former;
    try {
        if (std::exchange(m_journal.m_isPulseRecorded, false))
            m_journal.activity(m_former);
    } catch (const std::exception&) {
        // The next record meets the same disk, and says so.
    }
}

void RunJournal::pulse()
{
    const auto now = std::chrono::steady_clock::now();
    if (now - m_lastPulse < m_pulsePause)
        return;
    m_lastPulse = now;
    m_isPulseRecorded = true;
    m_journal.begin(contract::record::kActivity, m_step).add("message", m_doing).commit();
}

void RunJournal::note(const std::string& message) { event("info", contract::event::kNotice, message); }
void RunJournal::warn(const std::string& message) { event("warning", contract::event::kNotice, message); }
void RunJournal::profile(const std::string& file) { event("info", contract::event::kProfile, file); }

void RunJournal::event(const char* level, const char* kind, const std::string& message)
{
    const bool isBad = std::string_view(level) != "info";
    isBad ? logWarning(message) : logInfo(message);
    m_journal.begin(contract::record::kEvent, m_step)
        .add("level", level)
        .add("kind", kind)
        .add("message", message)
        .commit();
}

void RunJournal::pace(std::int64_t step, std::int64_t samples, std::int64_t samplesPerStep, double stepsPerEpoch)
{
    if (!isFirstRank())
        return;
    m_journal.begin(contract::record::kPace, step)
        .add(contract::pace::kSamples, samples)
        .add(contract::pace::kSamplesPerStep, samplesPerStep)
        .add(contract::pace::kStepsPerEpoch, stepsPerEpoch)
        .commit();
}

RunJournal& RunJournal::number(std::string_view name, double value)
{
    m_journal.add(name, value);
    if (m_onNumber)
        m_onNumber(m_step, name, value);
    return *this;
}

RunJournal& RunJournal::number(std::string_view name, std::int64_t value)
{
    m_journal.add(name, value);
    if (m_onNumber)
        m_onNumber(m_step, name, static_cast<double>(value));
    return *this;
}

void RunJournal::step(const StepReport& report, std::int64_t skippedSteps, const MemoryReading& memory,
    const Throughput& throughput)
{
    m_lastPulse = std::chrono::steady_clock::now();
    m_journal.begin(contract::record::kStep, m_step);
    if (isFirstRank()) {
        number(metric::kLoss, report.loss)
            .number(metric::kGradNorm, report.gradNorm)
            .number(metric::kLr, report.lr)
            .number(metric::kImagesPerSecond, static_cast<double>(report.samples) * 1000 / report.times.step)
            .number(metric::kTeraflops, throughput.teraflops)
            .number(metric::kSkippedSteps, skippedSteps);
        if (report.lossScale)
            number(metric::kLossScale, *report.lossScale);
        if (throughput.mfu)
            number(metric::kMfu, *throughput.mfu);
    }
    number(metric::kRankLoss, report.rankLoss)
        .number(metric::kStepTime, report.times.step)
        .number(metric::kDataTime, report.times.data)
        .number(metric::kForwardTime, report.times.forward)
        .number(metric::kBackwardTime, report.times.backward)
        .number(metric::kCommunicationTime, report.times.communication)
        .number(metric::kOptimizerTime, report.times.optimizer)
        .number(metric::kResident, memory.residentBytes)
        .number(metric::kMapped, memory.mappedBytes)
        .number(metric::kAllocated, memory.allocatedBytes)
        .number(metric::kPeakAllocated, memory.peakBytes);
    if (m_hasGpu)
        number(metric::kReserved, memory.reservedBytes).number(metric::kDriverUsed, memory.driverUsedBytes);
    m_journal.commit();
    if (report.isSkipped && isFirstRank())
        event("warning", contract::event::kSkipped,
            "step skipped: the gradient norm is " + contract::shortestText(report.gradNorm));
}

void RunJournal::metrics(const std::map<std::string, double>& values)
{
    m_journal.begin(contract::record::kMetrics, m_step);
    for (const auto& [name, value] : values)
        number(name, value);
    m_journal.commit();
}

void RunJournal::sample(
    const std::string& file, const std::string& prompt, std::uint64_t seed, const SamplerOptions& options, const char* weights)
{
    m_journal.begin(contract::record::kSample, m_step)
        .add("file", file)
        .add("prompt", prompt)
        .add("seed", static_cast<std::int64_t>(seed))
        .add("guidance", options.guidanceScale)
        .add("weights", weights)
        .commit();
}

void RunJournal::sample(
    const std::string& file, const std::string& prompt, std::uint64_t seed, double guidance, const RoundSample& standing)
{
    namespace field = contract::standing;
    m_journal.begin(contract::record::kSample, m_step)
        .add("file", file)
        .add("prompt", prompt)
        .add("seed", static_cast<std::int64_t>(seed))
        .add("guidance", guidance)
        .add(field::kRound, standing.round)
        .add(field::kReward, standing.reward)
        .add(field::kPromptReward, standing.promptReward)
        .add(field::kPromptPlace, standing.promptPlace)
        .add(field::kPrompts, standing.prompts)
        .add(field::kPlace, standing.place)
        .add(field::kSamples, standing.samples);
    if (standing.watchedReward)
        m_journal.add(field::kGoldReward, *standing.watchedReward);
    m_journal.commit();
}

void RunJournal::loaded(const LoadReport& checkpoint)
{
    if (!checkpoint.isExactMatch())
        warn("the checkpoint " + checkpoint.sentence());
    for (const std::string& kind : checkpoint.absentKinds)
        warn("the checkpoint holds no " + kind + ": " + (isCopyOfWeights(kind) ? "it starts as a copy of the weights" : "it starts at zero"));
    for (const std::string& adapter : checkpoint.absentAdapters)
        warn("the checkpoint holds no adapter \"" + adapter + "\": it starts as a copy of the trained adapter");
}

void RunJournal::saved(const SaveResult& checkpoint)
{
    const std::string step = std::to_string(checkpoint.step);
    if (!checkpoint.problem.empty())
        return event("error", isFirstRank() ? contract::event::kNotSaved : contract::event::kNotice,
            "checkpoint not written at step " + step + ": " + checkpoint.problem + "; earlier checkpoints are not affected");
    if (!checkpoint.warning.empty())
        warn(checkpoint.warning);
    m_journal.begin(contract::record::kCheckpoint, checkpoint.step)
        .add("path", "checkpoints/step-" + step)
        .add("bytes", static_cast<std::int64_t>(checkpoint.bytes))
        .add("seconds", checkpoint.seconds)
        .add("paused_seconds", checkpoint.pausedSeconds)
        .commit();
}

void RunJournal::end(const char* outcome, const std::string& cause)
{
    m_journal.begin(contract::record::kEnd, m_step).add("outcome", outcome).add("cause", cause).commit();
    logInfo(outcome);
}

void RunJournal::failure(const std::string& cause)
{
    m_journal.begin(contract::record::kEvent, m_step)
        .add("level", "error")
        .add("kind", "failure")
        .add("message", cause)
        .commit();
    m_journal.begin(contract::record::kEnd, m_step).add("outcome", "failed").add("cause", cause).commit();
}

}  // namespace engine
