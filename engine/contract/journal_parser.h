// Reads journals: one line at a time into a reused structure. See [Note: journals].
#pragma once
#include "engine/contract/journal.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

struct JournalField {
    std::string name;
    bool isNumber = false;  ///< "NaN", "Infinity" and "-Infinity" are numbers
    double number = 0;
    std::string text;  ///< when it is no number; booleans as "true" and "false"
};

/// One line. Valid until the parser reads the next.
class JournalLine {
public:
    enum class Kind { Header, Record, Malformed };

    Kind kind = Kind::Malformed;
    JournalHeader header;  ///< Kind::Header
    std::string type;      ///< Kind::Record, as the next two
    std::int64_t step = 0;
    double tMs = 0;

    std::span<const JournalField> fields() const { return {m_fields.data(), m_count}; }
    const JournalField* field(std::string_view name) const;  ///< nullptr when absent
    std::string_view text(std::string_view name) const;      ///< empty when absent or a number
    double number(std::string_view name, double otherwise) const;

private:
    friend class JournalParser;
    std::vector<JournalField> m_fields;  ///< the first m_count are this line's; strings keep capacity
    std::size_t m_count = 0;
};

class JournalParser {
public:
    /// @param line without its newline. Never throws on bad content: that is Kind::Malformed.
    /// Nested values, lines over 1 MiB and a version above ours are malformed too.
    const JournalLine& parse(std::string_view line);

private:
    JournalLine m_line;
};

}  // namespace contract
