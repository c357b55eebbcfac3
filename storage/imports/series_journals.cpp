#include "storage/imports/series_journals.h"

#include "engine/contract/formats/input_file.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/lineage.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <stdexcept>
#include <system_error>

namespace storage {
namespace {

constexpr std::size_t kPartBytes = std::size_t {1} << 20;
constexpr std::size_t kAllPartsBytes = std::size_t {64} << 20;

bool isWithin(double number, int lowest, int highest) { return number == std::floor(number) && number >= lowest && number <= highest; }

}  // namespace

std::string SeriesJournals::problemOf(std::string_view metric, double rank, double attempt)
{
    if (metric.empty() || metric.size() > kLongestMetric || metric == "type" || metric == "step" || metric == "t_ms" || !contract::isUtf8(metric))
        return contract::inQuotes(contract::shortened(metric, 40)) + " cannot be a metric's name";
    if (!isWithin(rank, contract::kHostRank, kMostRanks - 1))
        return contract::shortestText(rank) + " cannot be a rank";
    if (!isWithin(attempt, 1, kMostAttempts))
        return contract::shortestText(attempt) + " cannot be an attempt";
    return {};
}

void SeriesJournals::begin(std::string_view metric, int rank, int attempt)
{
    m_key = {rank, attempt};
    m_part = &m_parts[m_key];
    m_attempt = &m_attempts[attempt];
    m_attempt->ranks = std::max(m_attempt->ranks, rank + 1);
    m_head = "{\"type\":\"" + std::string(rank == contract::kHostRank ? contract::record::kHost : contract::record::kMetrics) + "\",\"step\":";
    m_name = ",";
    contract::appendJsonString(m_name, metric);
    m_name += ':';
}

void SeriesJournals::add(std::int64_t step, double tMs, double value, bool isSuperseded)
{
    std::string& lines = m_part->lines;
    const std::size_t before = lines.size();
    lines += m_head;
    char digits[24];
    lines.append(digits, std::to_chars(digits, digits + sizeof digits, step).ptr);
    lines += ",\"t_ms\":";
    contract::appendJsonNumber(lines, tMs);
    lines += m_name;
    contract::appendJsonNumber(lines, value);
    lines += "}\n";
    m_buffered += lines.size() - before;

    if (m_key.first != contract::kHostRank) {  // a resumed run does not undo what the machine did
        std::optional<std::int64_t>& bound = isSuperseded ? m_attempt->firstSuperseded : m_attempt->lastKept;
        bound = !bound ? step : isSuperseded ? std::min(*bound, step) : std::max(*bound, step);
        m_attempt->lastStep = std::max(m_attempt->lastStep, step);
        m_writer.origin().lastStep = std::max(m_writer.origin().lastStep, step);
        ++m_writer.origin().values;
    }
    if (std::isfinite(tMs))
        m_attempt->lastMs = std::max(m_attempt->lastMs, tMs);
    if (lines.size() >= kPartBytes)
        flush(m_key, *m_part);
    if (m_buffered >= kAllPartsBytes)
        for (auto& [key, part] : m_parts)
            flush(key, part);
}

void SeriesJournals::setAttempt(int number, std::int64_t startUnixMs, std::int64_t parentStep)
{
    m_attempts[number].startUnixMs = startUnixMs;
    m_attempts[number].parentStep = parentStep;
}

std::filesystem::path SeriesJournals::partFile(const Key& key) const
{
    return m_writer.folder().root() / "parts" / (std::to_string(key.first) + "-" + std::to_string(key.second));
}

void SeriesJournals::flush(const Key& key, Part& part)
{
    if (part.lines.empty())
        return;
    m_writer.throwIfCancelled();
    const std::filesystem::path file = partFile(key);
    contract::createFolder(file.parent_path());
    std::ofstream stream(file, std::ios::binary | std::ios::app);
    stream.write(part.lines.data(), static_cast<std::streamsize>(part.lines.size()));
    stream.close();
    if (!stream)
        throw std::runtime_error(contract::cannotBe("written", file, errno));
    m_buffered -= part.lines.size();
    part.lines.clear();
    part.isOnDisk = true;
}

bool SeriesJournals::finish()
{
    completeAttempts();
    if (!areConsistent())
        return false;
    writeStarts();
    std::set<int> ranks;
    for (const auto& [key, part] : m_parts)
        ranks.insert(key.first);
    for (const int rank : ranks)
        writeJournal(rank);
    std::error_code ignored;
    std::filesystem::remove_all(m_writer.folder().root() / "parts", ignored);
    return true;
}

/// Each attempt goes on from the newest earlier one of which something is kept, from the last step that is, or from before its own first step.
void SeriesJournals::completeAttempts()
{
    m_attempts[1];
    if (const auto& [number, last] = *m_attempts.rbegin(); last.firstSuperseded && number < kMostAttempts)
        m_attempts[number + 1];  // which has recorded nothing
    std::optional<std::int64_t> kept, superseded;
    int parent = 0;
    std::int64_t start = m_writer.usualStart();
    for (auto& [number, attempt] : m_attempts) {
        attempt.parent = parent;
        if (!attempt.parentStep) {
            attempt.parentStep = kept ? *kept : std::min<std::int64_t>(0, superseded ? *superseded - 1 : 0);
            if (attempt.firstSuperseded && !attempt.lastKept)
                attempt.parentStep = std::min(*attempt.parentStep, *attempt.firstSuperseded - 1);
        }
        if (!attempt.startUnixMs)
            attempt.startUnixMs = start;
        constexpr double kLongestMs = 4e12;
        start = *attempt.startUnixMs + std::llround(std::min(attempt.lastMs, kLongestMs));
        if (attempt.lastKept) {
            kept = std::max(kept.value_or(*attempt.lastKept), *attempt.lastKept);
            parent = number;
        }
        if (attempt.firstSuperseded)
            superseded = std::min(superseded.value_or(*attempt.firstSuperseded), *attempt.firstSuperseded);
        m_writer.noteTime(static_cast<double>(start) / 1000);
    }
}

/// Whether the attempts supersede just what add() has said.
bool SeriesJournals::areConsistent() const
{
    std::vector<contract::Descent> attempts;
    for (const auto& [number, attempt] : m_attempts)
        attempts.push_back({.attempt = number, .parentStep = *attempt.parentStep, .parent = attempt.parent, .lastStep = attempt.lastStep});
    const contract::Lineage lineage = contract::lineageOf(attempts);
    return std::ranges::all_of(m_attempts, [&](const auto& each) {
        const auto& [number, attempt] = each;
        // Of the last step some metrics may be superseded: those that the next attempt has recorded again.
        return (!attempt.lastKept || contract::belongs(lineage, number, *attempt.lastKept))
            && (!attempt.firstSuperseded || !contract::belongs(lineage, number, *attempt.firstSuperseded + 1));
    });
}

contract::AttemptStart SeriesJournals::startOf(int number) const
{
    const Attempt& attempt = m_attempts.at(number);
    contract::AttemptStart start;
    start.attempt = number;
    start.startUnixMs = *attempt.startUnixMs;
    start.parentStep = *attempt.parentStep;
    start.parentAttempt = attempt.parent;
    start.ranks = attempt.ranks;
    return start;
}

void SeriesJournals::writeStarts()
{
    for (const auto& [number, attempt] : m_attempts) {
        contract::createFolder(m_writer.folder().attempt(number));
        m_writer.folder().writeStart(startOf(number));
    }
}

void SeriesJournals::writeJournal(int rank)
{
    contract::OutputFile journal(m_writer.folder().journal(rank), 0);
    const auto write = [&](std::string_view text) { journal.write(text.data(), text.size()); };
    std::string block;
    for (auto each = m_parts.lower_bound({rank, 0}); each != m_parts.end() && each->first.first == rank; ++each) {
        auto& [key, part] = *each;
        write(m_writer.header(startOf(key.second), rank));
        if (part.isOnDisk) {
            const contract::InputFile file(partFile(key));
            for (std::uint64_t at = 0; at < file.bytes(); at += block.size()) {
                m_writer.throwIfCancelled();
                block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPartBytes, file.bytes() - at)));
                file.read(block.data(), block.size(), at);
                write(block);
            }
        }
        write(part.lines);
        part.lines = {};
    }
    write(sealLine(journal.checksum()));
    journal.sync();
}

}  // namespace storage
