#include "engine/contract/run/journal_parser.h"

#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace contract {
namespace {

/// SAX handler that passes the fields of a flat JSON object to the callbacks; it stops at nested values and errors.
template <typename OnNumber, typename OnText>
class FlatObject final : public nlohmann::json_sax<nlohmann::json> {
public:
    FlatObject(OnNumber onNumber, OnText onText)
        : m_onNumber(onNumber)
        , m_onText(onText)
    {
    }
    bool null() override { return m_isInside; }
    bool boolean(bool value) override { return text(value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override
    {
        return number(static_cast<double>(value));
    }
    bool number_unsigned(number_unsigned_t value) override
    {
        return number(static_cast<double>(value));
    }
    bool number_float(number_float_t value, const string_t&) override { return number(value); }
    bool string(string_t& value) override { return text(value); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return std::exchange(m_isInside, true) == false; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return false; }
    bool end_array() override { return false; }
    bool key(string_t& name) override
    {
        m_name.swap(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override
    {
        return false;
    }

private:
    bool number(double value)
    {
        if (m_isInside)
            m_onNumber(m_name, value);
        return m_isInside;
    }
    bool text(const std::string& value)
    {
        if (m_isInside)
            m_onText(m_name, value);
        return m_isInside;
    }

    OnNumber m_onNumber;
    OnText m_onText;
    std::string m_name;
    bool m_isInside = false;
};

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

const JournalLine& JournalParser::parse(std::string_view line)
{
    m_line.kind = JournalLine::Kind::Malformed;
    m_line.m_count = 0;
    m_line.type.clear();
    m_line.step = 0;
    m_line.tMs = 0;
    if (line.empty() || line.front() != '{' || line.size() > kLongestLine)
        return m_line;

    const auto next = [this](const std::string& name) -> JournalField& {
        if (m_line.m_count == m_line.m_fields.size())
            m_line.m_fields.emplace_back();
        JournalField& field = m_line.m_fields[m_line.m_count++];
        field.name = name;
        return field;
    };
    bool isValid = true;
    const auto onNumber = [&](const std::string& name, double value) {
        if (name == "step") {
            isValid = isValid && isWhole(value);
            m_line.step = isValid ? static_cast<std::int64_t>(value) : 0;
        } else if (name == "t_ms") {
            m_line.tMs = value;
        } else {
            JournalField& field = next(name);
            field.isNumber = true;
            field.number = value;
        }
    };
    const auto onText = [&](const std::string& name, const std::string& value) {
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
    };
    FlatObject reader(onNumber, onText);
    if (!nlohmann::json::sax_parse(line.begin(), line.end(), &reader) || !isValid)
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
