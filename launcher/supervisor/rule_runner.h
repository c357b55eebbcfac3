// Follows the values that rank 0 of an attempt records, and says when a rule of the experiment fires (run.rules).
#pragma once
#include "engine/contract/experiment/acting_rules.h"
#include "engine/contract/run/journal_parser.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace launcher {

class RuleRunner {
public:
    /// @param journal of rank 0; what it holds before @p offset is of earlier attempts
    RuleRunner(const std::vector<contract::ActingRule>& rules, std::filesystem::path journal, std::int64_t offset);

    /// Reads what was written since the last call. @return the rules that have fired, in the order of the records
    std::vector<contract::FiredRule> poll();

private:
    void take(std::string_view line, std::vector<contract::FiredRule>& fired);

    contract::RuleWatches m_watches;
    std::filesystem::path m_journal;
    std::int64_t m_offset;
    contract::JournalParser m_parser;
};

}  // namespace launcher
