#include "engine/contract/run/journal_parser.h"

#include "engine/contract/formats/text.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>

namespace contract {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kLongestLine = 1 << 20;
constexpr double kLargestExactInteger = 9007199254740992.0;

bool isWhole(double value)
{
    return std::abs(value) <= kLargestExactInteger && value == std::floor(value);
}

}  // namespace

const JournalField* JournalLine::field(std::string_view name) const
{
    const auto found = std::ranges::find(fields(), name, &JournalField::name);
    return found == fields().end() ? nullptr : &*found;
}

std::string_view JournalLine::text(std::string_view name) const
{
    const JournalField* found = field(name);
    return found && !found->isNumber ? std::string_view(found->text) : std::string_view();
}

double JournalLine::number(std::string_view name, double fallback) const
{
    const JournalField* found = field(name);
    return found && found->isNumber ? found->number : fallback;
}

struct JournalParser::Json {
    ondemand::parser parser;
    std::string line;  ///< a copy, followed by the bytes that simdjson may read behind a document
};

JournalParser::JournalParser()
    : m_json(std::make_unique<Json>())
{
}
JournalParser::JournalParser(JournalParser&&) noexcept = default;
JournalParser& JournalParser::operator=(JournalParser&&) noexcept = default;
JournalParser::~JournalParser() = default;

JournalField& JournalParser::next(std::string_view name)
{
    if (m_line.m_count == m_line.m_fields.size())
        m_line.m_fields.emplace_back();
    JournalField& field = m_line.m_fields[m_line.m_count++];
    field.name = name;
    return field;
}

/// @return whether the value may stand there.
bool JournalParser::addNumber(std::string_view name, double value)
{
    if (name == "step") {
        if (!isWhole(value))
            return false;
        m_line.step = static_cast<std::int64_t>(value);
    } else if (name == "t_ms") {
        m_line.tMs = value;
    } else {
        JournalField& field = next(name);
        field.isNumber = true;
        field.number = value;
    }
    return true;
}

void JournalParser::addText(std::string_view name, std::string_view value)
{
    if (name == "type") {
        m_line.type = value;
        return;
    }
    JournalField& field = next(name);
    field.isNumber = value == "NaN" || value == "Infinity" || value == "-Infinity";
    if (field.isNumber)
        field.number = *parseReal(value);
    else
        field.text = value;
}

/// @return false when the value is nested, or no JSON.
template <typename Value>
bool JournalParser::readField(std::string_view name, Value&& value)
{
    ondemand::json_type type {};
    if (value.type().get(type))
        return false;
    switch (type) {
    case ondemand::json_type::number: {
        double number = 0;  // integers of any size, too
        return !value.get_double().get(number) && addNumber(name, number);
    }
    case ondemand::json_type::string: {
        std::string_view text;
        if (value.get_string().get(text))
            return false;
        addText(name, text);
        return true;
    }
    case ondemand::json_type::boolean: {
        bool isSet = false;
        if (value.get_bool().get(isSet))
            return false;
        addText(name, isSet ? "true" : "false");
        return true;
    }
    case ondemand::json_type::null: {
        bool isNull = false;
        return !value.is_null().get(isNull) && isNull;
    }
    case ondemand::json_type::object:
    case ondemand::json_type::array:
        return false;
    }
    return false;
}

/// Takes the fields of a flat object. @return false at a nested value, and when the line is no JSON.
bool JournalParser::readFields(std::string_view line)
{
    std::string& padded = m_json->line;
    padded.assign(line);
    padded.append(simdjson::SIMDJSON_PADDING, ' ');
    ondemand::document document;
    ondemand::object object;
    if (m_json->parser.iterate(padded.data(), line.size(), padded.size()).get(document) || document.get_object().get(object))
        return false;
    for (auto next : object) {
        ondemand::field field;
        std::string_view name;
        if (std::move(next).get(field) || field.unescaped_key().get(name) || !readField(name, field.value()))
            return false;
    }
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing follows
}

const JournalLine& JournalParser::parse(std::string_view line)
{
    m_line.kind = JournalLine::Kind::Malformed;
    m_line.m_count = 0;
    m_line.type.clear();
    m_line.step = 0;
    m_line.tMs = 0;
    if (line.empty() || line.front() != '{' || line.size() > kLongestLine || !readFields(line))
        return m_line;

    if (!m_line.type.empty()) {
        m_line.kind = JournalLine::Kind::Record;
        return m_line;
    }
    const double version = m_line.number("v", 0);
    const double attempt = m_line.number("attempt", 0);
    const double rank = m_line.number("rank", kHostRank - 1);
    const double start = m_line.number("t_unix_ms", -1);
    const bool isHeader = version >= 1 && version <= kJournalVersion && attempt >= 1
        && attempt <= 1e6 && rank >= kHostRank && rank < 1e6 && isWhole(start) && start >= 0
        && !m_line.text("run").empty();
    if (isHeader) {
        m_line.kind = JournalLine::Kind::Header;
        m_line.header = {static_cast<int>(version), std::string(m_line.text("run")),
            static_cast<int>(attempt), static_cast<int>(rank), std::string(m_line.text("host")),
            static_cast<std::int64_t>(start)};
    }
    return m_line;
}

}  // namespace contract
