#include "launcher/supervisor/rule_runner.h"

#include "engine/contract/run/journal.h"
#include "launcher/base/file_end.h"

#include <string>
#include <utility>

namespace launcher {
namespace {

constexpr std::int64_t kUsualBytes = 64 * 1024;
constexpr std::int64_t kMostBytes = 2 * 1024 * 1024;  // holds the longest line that is legal

}  // namespace

RuleRunner::RuleRunner(const std::vector<contract::ActingRule>& rules, std::filesystem::path journal, std::int64_t offset)
    : m_watches(rules)
    , m_journal(std::move(journal))
    , m_offset(offset)
{
}

std::vector<contract::FiredRule> RuleRunner::poll()
{
    std::vector<contract::FiredRule> fired;
    while (!m_watches.isEmpty()) {
        std::string text = readFilePart(m_journal, m_offset, kUsualBytes);
        if (text.size() == kUsualBytes && text.find('\n') == std::string::npos)
            text = readFilePart(m_journal, m_offset, kMostBytes);
        std::string_view rest = text;
        // A line without a newline is still being written.
        for (std::size_t newline; (newline = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(newline + 1))
            take(rest.substr(0, newline), fired);
        const std::size_t read = text.size() - rest.size();
        if (read == 0)
            break;
        m_offset += static_cast<std::int64_t>(read);
    }
    return fired;
}

void RuleRunner::take(std::string_view text, std::vector<contract::FiredRule>& fired)
{
    const contract::JournalLine& line = m_parser.parse(text);
    if (line.kind != contract::JournalLine::Kind::Record || (line.type != contract::record::kStep && line.type != contract::record::kMetrics))
        return;
    for (const contract::JournalField& field : line.fields()) {
        if (field.isNumber)
            m_watches.take(line.step, field.name, field.number, fired);
    }
}

}  // namespace launcher
