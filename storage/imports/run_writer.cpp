#include "storage/imports/run_writer.h"

#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace storage {
namespace {

namespace record = contract::record;

constexpr std::size_t kFlushBytes = std::size_t {1} << 20;
/// A journal's line may have 1 MiB; a name is cut after kLongestName.
constexpr std::size_t kLongestLine = std::size_t {512} << 10;
constexpr std::size_t kLongestName = 500;
constexpr std::size_t kMostParameters = 10'000;
constexpr std::size_t kLongestParameter = 4096;
constexpr int kMostPictures = 100'000;
/// Journals hold steps as JSON numbers, which are exact so far.
constexpr std::int64_t kLargestStep = std::int64_t {1} << 53;

bool isTime(double unixSeconds) { return unixSeconds > 0 && unixSeconds < 1e11; }

const char* endingOf(std::string_view content)
{
    constexpr std::array<std::pair<std::string_view, const char*>, 5> kKinds = {{{"\x89PNG\r\n\x1a\n", ".png"}, {"\xff\xd8\xff", ".jpg"},
        {"GIF87a", ".gif"}, {"GIF89a", ".gif"}, {"RIFF", ".webp"}}};
    const auto kind = std::ranges::find_if(kKinds, [&](const auto& each) { return content.starts_with(each.first); });
    return kind == kKinds.end() ? nullptr : kind->second;
}

/// "3 histograms were left out: Atelier has no place for them"
std::string leftOutSentence(const std::string& what, std::int64_t count)
{
    const bool isOne = count == 1;
    return std::to_string(count) + " " + what + (isOne ? " was" : "s were") + " left out; Atelier has no place for " + (isOne ? "it" : "them");
}

}  // namespace

std::string sealLine(const contract::Checksum& sum)
{
    // Readers ignore the type, and compare the last 64 bytes that they have read.
    return "{\"type\":\"source\",\"step\":0,\"t_ms\":0,\"sum\":\"" + sum.text() + "\"}\n";
}

RunWriter::RunWriter(const std::filesystem::path& folder, std::function<bool()> isCancelled)
    : m_folder(folder)
    , m_isCancelled(std::move(isCancelled))
{
    m_start.attempt = 0;
    contract::createFolder(m_folder.journals());
}

void RunWriter::beginAttempt(const Attempt& attempt)
{
    ++m_start.attempt;
    m_start.startUnixMs = isTime(attempt.unixSeconds) ? static_cast<std::int64_t>(std::floor(attempt.unixSeconds * 1000)) : m_usualStartUnixMs;
    m_start.host = attempt.host;
    m_start.versions = attempt.versions;
    m_start.parentStep = attempt.parentStep;
    m_start.parentAttempt = m_start.attempt - 1;
    contract::createFolder(m_folder.attempt(m_start.attempt));
    m_folder.writeStart(m_start);
    m_lines += header(m_start, 0);
    noteTime(static_cast<double>(m_start.startUnixMs) / 1000);
}

void RunWriter::noteTime(double unixSeconds) { m_lastSeconds = std::max(m_lastSeconds, unixSeconds); }

std::string RunWriter::header(const contract::AttemptStart& start, int rank) const
{
    std::string line = "{\"v\":" + std::to_string(contract::kJournalVersion) + ",\"run\":";
    contract::appendJsonString(line, contract::shortened(m_origin.identity));
    line += ",\"attempt\":" + std::to_string(start.attempt) + ",\"rank\":" + std::to_string(rank) + ",\"host\":";
    contract::appendJsonString(line, contract::shortened(start.host));
    return line + ",\"t_unix_ms\":" + std::to_string(start.startUnixMs) + "}\n";
}

/// Since the attempt's start; 0 for what is no time.
double RunWriter::msOf(double unixSeconds)
{
    if (!isTime(unixSeconds))
        return 0;
    noteTime(unixSeconds);
    // A double holds a time of today to a quarter of a microsecond.
    const double ms = std::round((unixSeconds * 1000 - static_cast<double>(m_start.startUnixMs)) * 1000) / 1000;
    return ms == 0 ? 0 : ms;
}

void RunWriter::beginLine(std::string_view type, std::int64_t step, double unixSeconds)
{
    m_lines.append("{\"type\":\"").append(type).append("\",\"step\":");
    char digits[24];
    m_lines.append(digits, std::to_chars(digits, digits + sizeof digits, std::clamp(step, -kLargestStep, kLargestStep)).ptr);
    m_lines += ",\"t_ms\":";
    contract::appendJsonNumber(m_lines, msOf(unixSeconds));
}

void RunWriter::endLine()
{
    m_lines += "}\n";
    if (m_lines.size() < kFlushBytes)
        return;
    throwIfCancelled();
    flushLines();
}

void RunWriter::flushLines()
{
    if (m_lines.empty())
        return;
    if (!m_journal)
        m_journal = std::make_unique<contract::OutputFile>(m_folder.journal(0), 0);
    m_journal->write(m_lines.data(), m_lines.size());
    m_lines.clear();
}

const std::string& RunWriter::quotedName(std::string_view name)
{
    const auto known = m_names.find(name);
    if (known != m_names.end())
        return known->second;
    std::string quoted = ",";
    // What a record itself has by these names is no metric.
    const bool isTaken = name == "type" || name == "step" || name == "t_ms";
    contract::appendJsonString(quoted, name.empty() ? "value" : contract::shortened(isTaken ? std::string(name) + "_" : std::string(name), kLongestName));
    quoted += ':';
    return m_names.emplace(name, std::move(quoted)).first->second;
}

void RunWriter::addValues(std::int64_t step, double unixSeconds, std::span<const NamedValue> values)
{
    if (values.empty())
        return;
    if (step > kLargestStep || step < -kLargestStep) {
        leaveOut("step beyond all bounds");
        return;
    }
    beginLine(record::kMetrics, step, unixSeconds);
    std::size_t begin = m_lines.size();
    for (const NamedValue& each : values) {
        if (m_lines.size() - begin > kLongestLine) {
            endLine();
            beginLine(record::kMetrics, step, unixSeconds);
            begin = m_lines.size();
        }
        m_lines += quotedName(each.name);
        contract::appendJsonNumber(m_lines, each.value);
    }
    endLine();
    m_origin.values += static_cast<std::int64_t>(values.size());
    m_origin.lastStep = std::max(m_origin.lastStep, step);
}

void RunWriter::addHostValues(double unixSeconds, std::span<const NamedValue> values)
{
    if (values.empty())
        return;
    if (m_hostLines.empty())
        m_hostLines = header(m_start, contract::kHostRank);
    const double ms = std::max(msOf(unixSeconds), 0.0);
    m_hostLines.append("{\"type\":\"").append(record::kHost).append("\",\"step\":" + std::to_string(static_cast<std::int64_t>(ms / 1000)) + ",\"t_ms\":");
    contract::appendJsonNumber(m_hostLines, ms);
    for (const NamedValue& each : values) {
        m_hostLines += ",";
        contract::appendJsonString(m_hostLines, contract::metric::kHostPrefix + contract::shortened(each.name, kLongestName));
        m_hostLines += ":";
        contract::appendJsonNumber(m_hostLines, each.value);
    }
    m_hostLines += "}\n";
}

void RunWriter::addText(std::string_view name, std::string_view text)
{
    m_lines.append(",\"").append(name).append("\":");
    contract::appendJsonString(m_lines, contract::shortened(text, contract::kLongestText));
}

void RunWriter::addEvent(std::int64_t step, double unixSeconds, std::string_view level, std::string_view kind, std::string_view message)
{
    beginLine(record::kEvent, step, unixSeconds);
    addText("level", level);
    addText("kind", kind);
    addText("message", message);
    endLine();
}

bool RunWriter::addPicture(std::int64_t step, double unixSeconds, std::string_view prompt, std::string_view content)
{
    const char* const ending = endingOf(content);
    if (!ending || m_pictures == kMostPictures)
        return false;
    contract::createFolder(m_folder.samples());
    const std::string name = "picture-" + std::to_string(++m_pictures) + ending;
    contract::OutputFile(m_folder.samples() / name, 0).write(content.data(), content.size());
    beginLine(record::kSample, step, unixSeconds);
    addText("file", "samples/" + name);
    addText("prompt", prompt);
    endLine();
    return true;
}

void RunWriter::addLog(std::string_view text)
{
    m_logText += text;
    if (m_logText.size() >= kFlushBytes)
        flushLog();
}

void RunWriter::flushLog()
{
    if (m_logText.empty())
        return;
    throwIfCancelled();
    if (!m_log) {
        contract::createFolder(m_folder.logs());
        m_log = std::make_unique<contract::OutputFile>(m_folder.log(0), 0);
    }
    m_log->write(m_logText.data(), m_logText.size());
    m_logText.clear();
}

void RunWriter::addParameter(std::string_view key, std::string_view value)
{
    std::string name = contract::shortened(key, kLongestName);
    if (m_parameters.contains(name) || m_parameters.size() < kMostParameters)
        m_parameters[std::move(name)] = contract::shortened(value, kLongestParameter);
}

void RunWriter::leaveOut(const std::string& what, std::int64_t count)
{
    throwIfCancelled();
    if (count > 0)
        m_leftOut[what] += count;
}

void RunWriter::warnOfDamage(const std::filesystem::path& file, std::int64_t records)
{
    if (records > 0)
        warn(file.string() + ": " + std::to_string(records) + (records == 1 ? " damaged record was left out" : " damaged records were left out"));
}

void RunWriter::throwIfCancelled() const
{
    if (m_isCancelled && m_isCancelled())
        throw ImportCancelled();
}

void RunWriter::finish()
{
    flushLines();
    if (m_journal && m_isSealed) {
        m_lines = sealLine(m_journal->checksum());
        flushLines();
    }
    if (m_journal)
        m_journal->sync();
    flushLog();
    if (!m_hostLines.empty())
        contract::OutputFile(m_folder.journal(contract::kHostRank), 0).write(m_hostLines.data(), m_hostLines.size());
    m_origin.parameters.assign(m_parameters.begin(), m_parameters.end());
    m_origin.lastUnixMs = static_cast<std::int64_t>(m_lastSeconds * 1000);
    for (const auto& [what, count] : m_leftOut)
        m_origin.leftOut.push_back(leftOutSentence(what, count));
    contract::writeOrigin(m_folder, m_origin);
}

}  // namespace storage
