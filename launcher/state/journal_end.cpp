#include "launcher/state/journal_end.h"

#include "engine/contract/experiment/acting_rules.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/stall.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/file_end.h"
#include "launcher/state/supervisor_events.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {
namespace {

constexpr std::int64_t kUsualBytes = 64 * 1024;
constexpr double kLongestMs = 4e12;  // 126 years
constexpr std::int64_t kMostBytes = 4 * 1024 * 1024;  // holds the longest line that is legal and those around it

/// Collects a JournalEnd from the lines of a journal, in order.
class EndReader {
public:
    explicit EndReader(int attempt)
        : m_attempt(attempt)
    {
    }

    /// Call when the lines to read begin after the attempt's header. @param startUnixMs time in that header; 0 if unknown
    void beginInside(std::int64_t startUnixMs)
    {
        m_isInAttempt = true;
        m_startUnixMs = startUnixMs;
        m_end.hasBegun = true;
        m_end.startUnixMs = m_end.lastRecordUnixMs = startUnixMs;
    }

    void read(const contract::JournalLine& line)
    {
        if (line.kind == contract::JournalLine::Kind::Header)
            readHeader(line.header);
        else if (line.kind == contract::JournalLine::Kind::Record && m_isInAttempt)
            readRecord(line);
    }

    JournalEnd result()
    {
        if (!m_durations.empty()) {
            const auto middle = m_durations.begin() + static_cast<std::ptrdiff_t>(m_durations.size() / 2);
            std::nth_element(m_durations.begin(), middle, m_durations.end());
            m_end.medianStepMs = *middle;
        }
        return m_end;
    }

private:
    void readHeader(const contract::JournalHeader& header)
    {
        m_isInAttempt = header.attempt == m_attempt;
        m_end = {};
        m_end.hasBegun = m_isInAttempt;
        m_durations.clear();
        m_startUnixMs = header.startUnixMs;
        if (m_isInAttempt)
            m_end.startUnixMs = m_end.lastRecordUnixMs = m_startUnixMs;
    }

    void readRecord(const contract::JournalLine& line)
    {
        m_end.isStalled = false;
        m_end.restart.reset();
        if (m_startUnixMs > 0)
            m_end.lastRecordUnixMs = m_startUnixMs + static_cast<std::int64_t>(std::clamp(std::isfinite(line.tMs) ? line.tMs : 0, 0.0, kLongestMs));
        if (line.type == contract::record::kStep)
            readStep(line);
        else if (line.type == contract::record::kEvent)
            readEvent(line);
        else if (line.type == contract::record::kActivity)
            readPhase(line);
        else if (line.type == contract::record::kEnd) {
            m_end.outcome = line.text("outcome");
            m_end.cause = line.text("cause");
        }
    }

    void readStep(const contract::JournalLine& line)
    {
        if (m_end.hasStep)
            m_durations.push_back(line.tMs - m_lastStepMs);
        m_lastStepMs = line.tMs;
        m_end.hasStep = true;
        m_end.step = line.step;
        if (const contract::JournalField* const loss = line.field("loss"); loss && loss->isNumber)
            m_end.loss = loss->number;
        m_end.phase.clear();
    }

    void readPhase(const contract::JournalLine& line)
    {
        m_end.phase = line.text("message");
        m_end.phaseUnixMs = m_end.lastRecordUnixMs;
    }

    void readEvent(const contract::JournalLine& line)
    {
        const std::string_view kind = line.text("kind");
        if (kind == contract::event::kPhase) {
            readPhase(line);
        } else if (kind == contract::event::kCommand) {
            const std::string_view command = line.text(event::kCommandField);
            m_end.isStopAccepted
                = m_end.isStopAccepted || command == "stop" || command == "stop_now" || command == "kill";
        }
        if (kind != contract::event::kDiskLow)  // which ends no stall
            m_end.isStalled = kind == contract::event::kStalled;
        if (kind == contract::kRuleEvent) {
            m_end.rule = line.text("message");
            m_end.ruleUnixMs = m_end.lastRecordUnixMs;
        }
        if (kind == contract::event::kRestarting)
            m_end.restart = {.number = wholeNumber(line, "restart"), .most = wholeNumber(line, "restarts"),
                .dueUnixMs = m_end.lastRecordUnixMs + wholeNumber(line, "pause_ms"), .cause = std::string(line.text("cause"))};
    }

    static std::int64_t wholeNumber(const contract::JournalLine& line, std::string_view name)
    {
        return std::llround(std::clamp(line.number(name, 0), 0.0, kLongestMs));
    }

    int m_attempt;
    bool m_isInAttempt = false;
    JournalEnd m_end;
    std::vector<double> m_durations;
    double m_lastStepMs = 0;
    std::int64_t m_startUnixMs = 0;
};

/// Returns the time in the header of @p attempt, whose records begin at offset @p beginning; 0 when there is no header.
std::int64_t startOfAttempt(const std::filesystem::path& file, std::int64_t beginning, int attempt)
{
    const std::string start = readFilePart(file, beginning, kUsualBytes);
    contract::JournalParser parser;
    std::string_view rest = start;
    // An incomplete line of the previous attempt may come first.
    for (int i = 0; i < 2; ++i) {
        const std::size_t newline = rest.find('\n');
        if (newline == std::string_view::npos)
            return 0;
        const contract::JournalLine& read = parser.parse(rest.substr(0, newline));
        if (read.kind == contract::JournalLine::Kind::Header && read.header.attempt == attempt)
            return read.header.startUnixMs;
        rest.remove_prefix(newline + 1);
    }
    return 0;
}

struct PartRead {
    JournalEnd end;
    bool isEnough = false;  ///< more of the file would not tell more about the attempt's state
};

PartRead readPart(const std::filesystem::path& file, int attempt, std::optional<std::int64_t> beginning, std::int64_t mostBytes)
{
    const FileEnd end = readFileEnd(file, beginning.value_or(0), mostBytes);
    const bool isKnownToBelong = beginning && !end.text.empty();
    EndReader reader(attempt);
    if (isKnownToBelong)
        reader.beginInside(end.isWhole ? 0 : startOfAttempt(file, *beginning, attempt));
    contract::JournalParser parser;
    std::string_view rest = end.text;
    if (!end.isWhole)
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    bool hasLines = false, hasHeader = false;
    // A line without a newline is still being written and is ignored.
    for (std::size_t newline; (newline = rest.find('\n')) != std::string_view::npos;
         rest.remove_prefix(newline + 1)) {
        const contract::JournalLine& line = parser.parse(rest.substr(0, newline));
        reader.read(line);
        hasLines = true;
        hasHeader = hasHeader || line.kind == contract::JournalLine::Kind::Header;
    }
    PartRead part {.end = reader.result()};
    if (part.end.hasBegun) {
        part.end.writtenUnixMs = end.writtenUnixMs;
        part.end.bytes = end.size;
    }
    const bool isStateKnown = part.end.hasStep || !part.end.outcome.empty();
    part.isEnough = end.isWhole || (hasLines && (isKnownToBelong ? isStateKnown : hasHeader));
    return part;
}

}  // namespace

JournalEnd readJournalEnd(
    const std::filesystem::path& file, int attempt, std::optional<std::int64_t> beginning)
{
    for (std::int64_t bytes = kUsualBytes;; bytes *= 8) {
        const PartRead part = readPart(file, attempt, beginning, std::min(bytes, kMostBytes));
        if (part.isEnough || bytes >= kMostBytes)
            return part.end;
    }
}

JournalEnd readRankZeroEnd(const contract::RunFolder& folder, int attempt)
{
    const auto owner = contract::lockOwner(folder);
    const bool isOfAttempt = owner && owner->attempt == attempt;
    return readJournalEnd(folder.journal(0), attempt, isOfAttempt ? std::optional(owner->journalOffset) : std::nullopt);
}

}  // namespace launcher
