#include "storage/journal_batch.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace storage {
namespace {

namespace record = contract::record;
using contract::JournalLine;

/// Reads an integer that the journal stores as a number or, when it is too large for one, as text.
std::int64_t integerOf(const JournalLine& line, std::string_view name)
{
    if (const auto text = contract::parseInteger(line.text(name)))
        return *text;
    const double number = line.number(name, 0);
    return std::abs(number) < 9.2e18 ? static_cast<std::int64_t>(number) : 0;
}

/// nullopt for a sample that is not one of a round.
std::optional<Standing> standingOf(const JournalLine& line)
{
    namespace field = contract::standing;
    if (!line.field(field::kRound))
        return {};
    Standing standing {.round = integerOf(line, field::kRound),
        .reward = line.number(field::kReward, std::nan("")),
        .promptReward = line.number(field::kPromptReward, std::nan("")),
        .goldReward = {},
        .promptPlace = integerOf(line, field::kPromptPlace),
        .prompts = integerOf(line, field::kPrompts),
        .place = integerOf(line, field::kPlace),
        .samples = integerOf(line, field::kSamples)};
    if (line.field(field::kGoldReward))
        standing.goldReward = line.number(field::kGoldReward, std::nan(""));
    return standing;
}

/// nullopt when the record makes no sense.
std::optional<Pace> paceOf(const JournalLine& line)
{
    namespace field = contract::pace;
    const Pace pace {line.step, integerOf(line, field::kSamples), integerOf(line, field::kSamplesPerStep),
        line.number(field::kStepsPerEpoch, 0)};
    const bool isSound = pace.step >= 0 && pace.samples >= 0 && pace.samplesPerStep >= 1 && std::isfinite(pace.stepsPerEpoch)
        && pace.stepsPerEpoch >= 0;
    return isSound ? std::optional(pace) : std::nullopt;
}

}  // namespace

JournalBatch::JournalBatch(int rank, int attempt, std::int64_t startUnixMs)
    : m_rank(rank)
    , m_attempt(attempt)
    , m_startUnixMs(startUnixMs)
{
}

void JournalBatch::clear()
{
    if (m_series.size() > kMostMetrics) {  // of several attempts
        m_series.clear();
        m_byMetric.clear();
        m_nextSeries = 0;
    }
    for (SeriesBatch& series : m_series)
        series.points.clear();
    m_progress.clear();
    m_events.clear();
    m_samples.clear();
    m_damage.clear();
    m_isLastDamaged = false;
    m_values = 0;
}

std::int64_t JournalBatch::malformedLines() const
{
    return std::accumulate(m_damage.begin(), m_damage.end(), std::int64_t {0},
        [](std::int64_t sum, const DamageBatch& damage) { return sum + damage.lines; });
}

void JournalBatch::add(const JournalLine& line)
{
    const bool followsDamage = std::exchange(m_isLastDamaged, line.kind == JournalLine::Kind::Malformed);
    switch (line.kind) {
    case JournalLine::Kind::Header:
        if (followsDamage && --m_damage.back().lines == 0)  // its writer was killed within that line, which is legal
            m_damage.pop_back();
        return addHeader(line.header);
    case JournalLine::Kind::Record:
        if (m_attempt > 0)
            addRecord(line);
        return;
    case JournalLine::Kind::Malformed:
        return addDamage();
    }
}

void JournalBatch::addDamage()
{
    const int attempt = std::max(m_attempt, 1);
    if (m_damage.empty() || m_damage.back().attempt != attempt)
        m_damage.push_back({.attempt = attempt, .lines = 0, .step = 0, .unixMs = 0});
    DamageBatch& damage = m_damage.back();
    ++damage.lines;
    damage.step = m_lastStep;
    damage.unixMs = std::max(m_lastUnixMs, m_startUnixMs);
}

void JournalBatch::addHeader(const contract::JournalHeader& header)
{
    if (header.attempt != m_attempt)
        m_byMetric.clear();
    m_attempt = header.attempt;
    m_startUnixMs = header.startUnixMs;
    m_lastStep = 0;
    m_lastUnixMs = 0;
    ProgressBatch& progress = progressNow();
    progress.host = header.host;
    progress.lastRecordUnixMs = std::max(progress.lastRecordUnixMs, m_startUnixMs);
}

void JournalBatch::addRecord(const JournalLine& line)
{
    m_lastStep = line.step;
    m_lastUnixMs = unixMsOf(line);
    if (line.type == record::kHost)  // no progress of the run: the machine goes on while the ranks hang
        return addMetrics(line);
    ProgressBatch& progress = progressNow();
    progress.lastRecordUnixMs = std::max(progress.lastRecordUnixMs, m_lastUnixMs);
    if (line.type == record::kStep || line.type == record::kMetrics) {
        progress.lastStep = std::max(progress.lastStep, line.step);
        addMetrics(line);
    } else if (line.type == record::kSample) {
        addSample(line);
    } else if (line.type == record::kEvent) {
        addEvent(line);
    } else if (line.type == record::kPace) {
        progress.pace = paceOf(line);
    } else if (line.type == record::kEnd) {
        progress.outcome = line.text("outcome");
        progress.cause = line.text("cause");
    }
}

void JournalBatch::addMetrics(const JournalLine& line)
{
    for (const contract::JournalField& field : line.fields()) {
        if (!field.isNumber)
            continue;
        SeriesBatch* const series = seriesOf(field.name);
        if (!series)
            continue;
        series->points.push_back({line.step, line.tMs, field.number});
        ++m_values;
        if (m_rank == 0 && field.name == contract::metric::kLoss)
            m_progress.back().loss = field.number;
    }
}

void JournalBatch::addSample(const JournalLine& line)
{
    m_samples.push_back({.step = line.step,
        .attempt = m_attempt,
        .file = std::string(line.text("file")),
        .prompt = std::string(line.text("prompt")),
        .seed = integerOf(line, "seed"),
        .guidance = line.number("guidance", 1),
        .weights = std::string(line.text("weights")),
        .unixMs = unixMsOf(line),
        .standing = standingOf(line)});
}

void JournalBatch::addEvent(const JournalLine& line)
{
    m_events.push_back({.attempt = m_attempt,
        .rank = m_rank,
        .step = line.step,
        .unixMs = unixMsOf(line),
        .level = std::string(line.text("level")),
        .kind = std::string(line.text("kind")),
        .message = std::string(line.text("message"))});
}

ProgressBatch& JournalBatch::progressNow()
{
    if (m_progress.empty() || m_progress.back().attempt != m_attempt)
        m_progress.emplace_back().attempt = m_attempt;
    ProgressBatch& progress = m_progress.back();
    if (progress.startUnixMs == 0)
        progress.startUnixMs = m_startUnixMs;
    return progress;
}

/// Returns nullptr when there are too many metrics.
SeriesBatch* JournalBatch::seriesOf(const std::string& metric)
{
    const bool isGuessed = m_nextSeries < m_series.size() && m_series[m_nextSeries].metric == metric
        && m_series[m_nextSeries].attempt == m_attempt;
    if (!isGuessed) {
        const auto known = m_byMetric.find(metric);
        if (known == m_byMetric.end() && m_byMetric.size() >= kMostMetrics) {
            m_hasTooManyMetrics = true;
            return nullptr;
        }
        m_nextSeries = known == m_byMetric.end() ? m_series.size() : known->second;
        if (known == m_byMetric.end()) {
            m_byMetric.emplace(metric, m_series.size());
            m_series.push_back({m_attempt, metric, {}});
        }
    }
    return &m_series[m_nextSeries++];
}

std::int64_t JournalBatch::unixMsOf(const JournalLine& line) const
{
    constexpr double kLongestMs = 4e12;
    return m_startUnixMs + std::llround(std::clamp(std::isfinite(line.tMs) ? line.tMs : 0, 0.0, kLongestMs));
}

}  // namespace storage
