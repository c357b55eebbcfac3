#include "launcher/state/failure_report.h"

#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/log_time.h"
#include "engine/contract/run/rank_clocks.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/file_end.h"
#include "launcher/ranks/rank_exit.h"
#include "launcher/ranks/rank_processes.h"
#include "launcher/state/run_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

namespace launcher {
namespace {

constexpr std::int64_t kMostEndBytes = 4 * 1024 * 1024;
constexpr std::int64_t kMostLogBytes = 256 * 1024;
constexpr std::size_t kLines = 20;
constexpr int kMostRanks = 4096;
constexpr double kLongestRecordMs = 4e12;  // 126 years

/// Calls @p take(line, unixMs) for the records that @p attempt wrote to the journal @p file.
template <typename Take>
void readRecords(const std::filesystem::path& file, int attempt, Take take)
{
    const FileEnd end = readFileEnd(file, 0, kMostEndBytes);
    contract::JournalParser parser;
    std::int64_t startUnixMs = 0;
    bool isInAttempt = false;
    std::string_view rest = end.text;
    for (std::size_t newline; (newline = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(newline + 1)) {
        const contract::JournalLine& line = parser.parse(rest.substr(0, newline));
        if (line.kind == contract::JournalLine::Kind::Header) {
            isInAttempt = line.header.attempt == attempt;
            startUnixMs = line.header.startUnixMs;
        } else if (line.kind == contract::JournalLine::Kind::Record && isInAttempt) {
            const double ms = std::isfinite(line.tMs) ? std::clamp(line.tMs, 0.0, kLongestRecordMs) : 0;
            take(line, startUnixMs + static_cast<std::int64_t>(ms));
        }
    }
}

RankTrace readRank(const contract::RunFolder& folder, int rank, int attempt, const contract::RankClocks& clocks)
{
    RankTrace trace {.rank = rank, .end = {}, .activity = {}, .memory = {}};
    readRecords(folder.journal(rank), attempt, [&](const contract::JournalLine& line, std::int64_t unixMs) {
        trace.lastRecordUnixMs = clocks.byRankZero(rank, unixMs);
        if (line.type == contract::record::kStep) {
            trace.step = line.step;
            trace.activity.clear();
            trace.memory.clear();
            for (const contract::JournalField& field : line.fields()) {
                if (field.isNumber && field.name.starts_with("memory/") && std::isfinite(field.number))
                    trace.memory.emplace(field.name, field.number);
            }
        } else if (line.type == contract::record::kActivity || line.text("kind") == contract::event::kPhase) {
            trace.activity = line.text("message");
        }
    });
    return trace;
}

/// What the supervisor's journal says of an attempt.
struct Supervised {
    std::vector<RankExit> exits;  ///< in the order in which it noticed them
    std::map<int, std::pair<std::string, std::int64_t>> ends;  ///< by rank: the sentence and its time
    std::string outcome, cause;
};

Supervised readSupervisor(const contract::RunFolder& folder, int attempt)
{
    Supervised read;
    readRecords(folder.journal(contract::kSupervisorRank), attempt, [&](const contract::JournalLine& line, std::int64_t unixMs) {
        if (line.type == contract::record::kEnd) {
            read.outcome = line.text("outcome");
            read.cause = line.text("cause");
        } else if (line.text("kind") == contract::event::kRankExit) {
            RankExit exit {.rank = static_cast<int>(std::clamp(line.number("rank", 0), 0.0, 1e6)), .errorText = {}};
            exit.isSignal = line.field("signal");
            exit.code = static_cast<int>(std::clamp(line.number(exit.isSignal ? "signal" : "exit_code", 0), -1e3, 1e3));
            exit.endedBySupervisor = exit.isFailure() && line.text("level") != "error";
            read.exits.push_back(exit);
            read.ends[exit.rank] = {std::string(line.text("message")), unixMs};
        }
    });
    // Ranks that another launcher started have no supervisor: rank 0 writes how they ended.
    if (read.outcome.empty()) {
        readRecords(folder.journal(0), attempt, [&](const contract::JournalLine& line, std::int64_t) {
            if (line.type == contract::record::kEnd) {
                read.outcome = line.text("outcome");
                read.cause = line.text("cause");
            }
        });
    }
    return read;
}

/// By steps first, which need no clock.
bool wroteBefore(const RankTrace& a, const RankTrace& b) { return std::tie(a.step, a.lastRecordUnixMs) < std::tie(b.step, b.lastRecordUnixMs); }

/// The rank that went first. Where a rank gave up waiting, that is one that was still there and did nothing: the one whose journal ends first.
int firstRankOf(const Supervised& supervised, const std::vector<RankTrace>& ranks)
{
    const auto cause = firstCause(supervised.exits);
    const auto known = [&](int rank) { return std::min(rank, static_cast<int>(ranks.size()) - 1); };
    if (cause && (cause->isSignal || cause->code != worker_exit::kTimeout))
        return known(cause->rank);
    std::vector<RankTrace> silent;
    std::ranges::copy_if(ranks, std::back_inserter(silent),
        [&](const RankTrace& rank) { return !cause || rank.endedBySupervisor || (rank.end.empty() && rank.rank != cause->rank); });
    if (silent.empty())
        return cause ? known(cause->rank) : 0;
    return std::ranges::min_element(silent, wroteBefore)->rank;
}

/// The last lines of @p log that were written before @p untilUnixMs, by the clock of its host, as they are shown.
std::vector<std::string> lastLines(const std::filesystem::path& log, std::int64_t untilUnixMs)
{
    const FileEnd end = readFileEnd(log, 0, kMostLogBytes);
    std::vector<std::string> lines;
    std::string_view rest = end.text;
    while (!rest.empty()) {
        const std::size_t newline = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, newline);
        if (contract::logTime(line) >= untilUnixMs)
            break;
        lines.push_back(contract::shownLogLine(line));
        rest.remove_prefix(std::min(newline + 1, rest.size()));
    }
    if (!end.isWhole && !lines.empty())
        lines.erase(lines.begin());
    if (lines.size() > kLines)
        lines.erase(lines.begin(), lines.end() - kLines);
    return lines;
}

/// Says what the processes of ranks do that are alive.
void addProcesses(const contract::RunFolder& folder, std::vector<RankTrace>& ranks)
{
    const auto owner = contract::lockOwner(folder);
    const bool isHere = owner && !owner->isRankZero && owner->host == contract::hostName() && owner->bootId == contract::bootId();
    const auto processes = isHere ? rankProcesses(owner->processId) : std::map<int, std::string>();
    for (RankTrace& rank : ranks) {
        const auto found = processes.find(rank.rank);
        if (rank.end.empty())
            rank.end = found != processes.end() ? found->second : "nothing is known here of its process";
    }
}

std::optional<FailureReport> read(const contract::RunFolder& folder, int attempt, bool isLast)
{
    const Supervised supervised = readSupervisor(folder, attempt);
    if (!supervised.outcome.empty() && supervised.outcome != "failed")
        return std::nullopt;
    FailureReport report {.run = folder.id(), .attempt = attempt, .isStalled = false, .cause = supervised.cause, .ranks = {}, .machineMemory = {}, .log = {}, .lastLines = {}};
    if (isLast) {
        const RunStatus status = inspectRun(folder);
        report.isStalled = status.state == RunState::Stalled;
        if (!report.isStalled && status.state != RunState::Failed && status.state != RunState::Interrupted && status.state != RunState::Restarting)
            return std::nullopt;
        report.cause = status.cause;
    } else if (supervised.outcome.empty()) {
        report.cause = "Nobody wrote how this attempt ended";
    }
    int ranks = 1;
    try {
        ranks = folder.readStart(attempt).ranks;
    } catch (const std::runtime_error&) {
        for (const auto& [rank, end] : supervised.ends)
            ranks = std::max(ranks, rank + 1);
    }
    ranks = std::clamp(ranks, 1, kMostRanks);
    const auto clocks = contract::rankClocks(folder);
    for (int rank = 0; rank < ranks; ++rank) {
        RankTrace trace = readRank(folder, rank, attempt, *clocks);
        if (const auto end = supervised.ends.find(rank); end != supervised.ends.end())
            std::tie(trace.end, trace.endUnixMs) = end->second;
        trace.endedBySupervisor = std::ranges::any_of(
            supervised.exits, [rank](const RankExit& exit) { return exit.rank == rank && exit.endedBySupervisor; });
        report.ranks.push_back(std::move(trace));
    }
    report.first = firstRankOf(supervised, report.ranks);
    if (report.isStalled)
        addProcesses(folder, report.ranks);
    readRecords(folder.journal(contract::kHostRank), attempt, [&](const contract::JournalLine& line, std::int64_t) {
        if (const double used = line.number(contract::metric::kHostMemory, std::nan("")); std::isfinite(used))
            report.machineMemory = used;
    });
    report.log = "logs/rank-" + std::to_string(report.first) + ".log";
    std::int64_t until = std::numeric_limits<std::int64_t>::max();
    if (!isLast) {
        try {
            until = clocks->byRank(report.first, folder.readStart(attempt + 1).startUnixMs);
        } catch (const std::runtime_error&) {
            until = 1;  // whose the lines are is not known
        }
    }
    report.lastLines = lastLines(folder.log(report.first), until);
    return report;
}

std::string sizeText(double bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GB", bytes / 1e9);
    return text;
}

using Speak = std::function<std::string(const std::string&)>;

std::string memoryText(const RankTrace& rank, const Speak& speak)
{
    const std::pair<const char*, const char*> names[] = {{contract::metric::kResident, "resident"}, {contract::metric::kAllocated, "allocated"},
        {contract::metric::kReserved, "reserved on the GPU"}, {contract::metric::kPeakAllocated, "at the most"}, {contract::metric::kDriverUsed, "in use on the GPU"}};
    std::string text;
    for (const auto& [name, words] : names) {
        if (const auto found = rank.memory.find(name); found != rank.memory.end())
            text += (text.empty() ? "" : ", ") + speak(sizeText(found->second) + " " + words);
    }
    return text;
}

std::string traceText(const RankTrace& rank)
{
    if (rank.lastRecordUnixMs == 0)
        return "wrote nothing";
    return "step " + std::to_string(rank.step) + ", last record " + contract::localLogTime(rank.lastRecordUnixMs)
        + (rank.activity.empty() ? "" : ", " + rank.activity);
}

}  // namespace

const RankTrace& FailureReport::firstRank() const { return ranks.at(static_cast<std::size_t>(first)); }

std::optional<FailureReport> readFailure(const contract::RunFolder& folder, int attempt)
{
    const std::vector<int> attempts = folder.attempts();
    for (auto number = attempts.rbegin(); number != attempts.rend(); ++number) {
        if (attempt > 0 && *number != attempt)
            continue;
        if (auto report = read(folder, *number, number == attempts.rbegin()))
            return report;
    }
    return std::nullopt;
}

std::string failureText(const FailureReport& report, const Speak& speak)
{
    const RankTrace& first = report.firstRank();
    const auto line = [&](const char* indent, const std::string& sentence) { return indent + speak(sentence) + "\n"; };
    std::string text = line("", report.run + ", attempt " + std::to_string(report.attempt)) + line("", report.cause) + "\n"
        + line("", (report.isStalled ? "Furthest behind: rank " : "First: rank ") + std::to_string(first.rank)) + line("  ", first.end.empty() ? "Nobody saw how it ended" : first.end)
        + line("  ", traceText(first));
    if (first.endUnixMs > 0)
        text += line("  ", "ended " + contract::localLogTime(first.endUnixMs));
    if (const std::string memory = memoryText(first, speak); !memory.empty())
        text += line("  ", "memory at its last step: " + memory);
    if (report.machineMemory)
        text += line("  ", "in use on the machine: " + sizeText(*report.machineMemory));
    if (report.ranks.size() > 1)
        text += "\n" + line("", "The other ranks");
    for (const RankTrace& rank : report.ranks) {
        if (rank.rank != report.first)
            text += line("  ", "Rank " + std::to_string(rank.rank) + ": " + traceText(rank))
                + line("    ", rank.end.empty() ? "nobody saw how it ended" : rank.endedBySupervisor ? "still ran; ended with the others" : rank.end);
    }
    text += "\n" + line("", "The last lines of " + report.log);
    for (const std::string& logged : report.lastLines)
        text += "  " + logged + "\n";
    return text;
}

}  // namespace launcher
