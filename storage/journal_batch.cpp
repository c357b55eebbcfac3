#include "storage/journal_batch.h"

#include "engine/contract/text.h"

#include <algorithm>
#include <cmath>

namespace storage {
namespace {

namespace record = contract::record;
using contract::JournalLine;

/// An integer that may be too large for a number, and then is text.
std::int64_t integerOf(const JournalLine& line, std::string_view name)
{
    if (const auto text = contract::parseInteger(line.text(name)))
        return *text;
    const double number = line.number(name, 0);
    return std::abs(number) < 9.2e18 ? static_cast<std::int64_t>(number) : 0;
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
    for (SeriesBatch& series : m_series)
        series.points.clear();
    m_progress.clear();
    m_events.clear();
    m_samples.clear();
    m_values = 0;
    m_malformedLines = 0;
}

void JournalBatch::add(const JournalLine& line)
{
    switch (line.kind) {
    case JournalLine::Kind::Header:
        return addHeader(line.header);
    case JournalLine::Kind::Record:
        if (m_attempt > 0)
            addRecord(line);
        return;
    case JournalLine::Kind::Malformed:
        ++m_malformedLines;
        return;
    }
}

void JournalBatch::addHeader(const contract::JournalHeader& header)
{
    if (header.attempt != m_attempt)
        m_byMetric.clear();
    m_attempt = header.attempt;
    m_startUnixMs = header.startUnixMs;
    ProgressBatch& progress = progressNow();
    progress.host = header.host;
    progress.lastRecordUnixMs = std::max(progress.lastRecordUnixMs, m_startUnixMs);
}

void JournalBatch::addRecord(const JournalLine& line)
{
    ProgressBatch& progress = progressNow();
    progress.lastRecordUnixMs = std::max(progress.lastRecordUnixMs, unixMsOf(line));
    if (line.type == record::kStep || line.type == record::kMetrics) {
        progress.lastStep = std::max(progress.lastStep, line.step);
        addMetrics(line);
    } else if (line.type == record::kSample) {
        addSample(line);
    } else if (line.type == record::kEvent) {
        addEvent(line);
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
        m_series[seriesOf(field.name)].points.push_back({line.step, line.tMs, field.number});
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
        .unixMs = unixMsOf(line)});
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

std::size_t JournalBatch::seriesOf(const std::string& metric)
{
    const bool isGuessed = m_nextSeries < m_series.size() && m_series[m_nextSeries].metric == metric
        && m_series[m_nextSeries].attempt == m_attempt;
    if (!isGuessed) {
        const auto [found, isNew] = m_byMetric.try_emplace(metric, m_series.size());
        if (isNew)
            m_series.push_back({m_attempt, metric, {}});
        m_nextSeries = found->second;
    }
    return m_nextSeries++;
}

std::int64_t JournalBatch::unixMsOf(const JournalLine& line) const
{
    constexpr double kLongestMs = 4e12;
    return m_startUnixMs + std::llround(std::clamp(std::isfinite(line.tMs) ? line.tMs : 0, 0.0, kLongestMs));
}

}  // namespace storage
