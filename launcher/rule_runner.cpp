#include "launcher/rule_runner.h"

#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "launcher/file_end.h"

#include <utility>

namespace launcher {
namespace {

constexpr std::int64_t kUsualBytes = 64 * 1024;
constexpr std::int64_t kMostBytes = 2 * 1024 * 1024;  // holds the longest line that is legal

}  // namespace

std::string FiredRule::sentence() const
{
    return rule.text + " (" + rule.metric + " is " + contract::shortestText(value) + " at step " + std::to_string(step) + ")";
}

RuleRunner::RuleRunner(const std::vector<contract::ActingRule>& rules, std::filesystem::path journal, std::int64_t offset)
    : m_watches(rules.begin(), rules.end())
    , m_journal(std::move(journal))
    , m_offset(offset)
{
}

std::vector<FiredRule> RuleRunner::poll()
{
    std::vector<FiredRule> fired;
    while (!m_watches.empty()) {
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

void RuleRunner::take(std::string_view text, std::vector<FiredRule>& fired)
{
    const contract::JournalLine& line = m_parser.parse(text);
    if (line.kind != contract::JournalLine::Kind::Record || (line.type != contract::record::kStep && line.type != contract::record::kMetrics))
        return;
    for (contract::RuleWatch& watch : m_watches) {
        const contract::JournalField* const field = line.field(watch.rule().metric);
        if (field && field->isNumber && watch.take(line.step, field->number))
            fired.push_back({watch.rule(), line.step, field->number});
    }
}

}  // namespace launcher
