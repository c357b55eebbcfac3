// Parses journals one line at a time into a reused structure. See [Note: journals].
#pragma once
#include "engine/contract/run/journal.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

struct JournalField {
    std::string name;
    bool isNumber = false;  ///< "NaN", "Infinity" and "-Infinity" are numbers
    double number = 0;
    std::string text;  ///< when isNumber is false; booleans as "true" and "false"
};

/// A parsed line. Valid until the parser's next parse().
class JournalLine {
public:
    enum class Kind { Header, Record, Malformed };

    Kind kind = Kind::Malformed;
    JournalHeader header;  ///< Kind::Header
    std::string type;      ///< Kind::Record, like step and tMs
    std::int64_t step = 0;
    double tMs = 0;

    std::span<const JournalField> fields() const { return {m_fields.data(), m_count}; }
    const JournalField* field(std::string_view name) const;  ///< nullptr when absent
    std::string_view text(std::string_view name) const;      ///< empty when absent or a number
    double number(std::string_view name, double fallback) const;  ///< fallback when absent or not a number

private:
    friend class JournalParser;
    std::vector<JournalField> m_fields;  ///< the first m_count belong to this line; the rest keep their capacity for reuse
    std::size_t m_count = 0;
};

class JournalParser {
public:
    JournalParser();
    JournalParser(JournalParser&&) noexcept;
    JournalParser& operator=(JournalParser&&) noexcept;
    ~JournalParser();

    /// @param line without its newline. Never throws on bad content: such a line is Kind::Malformed, and so are lines
    /// with nested values, lines over 1 MiB and headers of a newer version.
    const JournalLine& parse(std::string_view line);

private:
    struct Json;

    JournalField& next(std::string_view name);
    bool addNumber(std::string_view name, double value);
    void addText(std::string_view name, std::string_view value);
    template <typename Value>
    bool readField(std::string_view name, Value&& value);
    bool readFields(std::string_view line);

    JournalLine m_line;
    std::unique_ptr<Json> m_json;
};

}  // namespace contract
