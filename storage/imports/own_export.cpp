#include "storage/imports/own_export.h"

#include "engine/contract/formats/text.h"
#include "storage/imports/moment.h"
#include "storage/imports/series_journals.h"
#include "storage/imports/table.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace storage {
namespace {

using Token = JsonReader::Token;

constexpr std::string_view kIdEnding = "-20261121-101500-x3k9";

[[noreturn]] void refuseInconsistent(const std::filesystem::path& file)
{
    throw std::runtime_error(file.string() + ": what is superseded there does not fit its attempts; the file was changed after the export");
}

void finishOwn(SeriesJournals& journals, RunWriter& writer, const std::filesystem::path& file)
{
    if (writer.origin().values == 0)
        throw std::runtime_error(file.string() + ": holds no values");
    if (!journals.finish())
        refuseInconsistent(file);
}

class OwnCsv {
public:
    OwnCsv(CsvReader& table, RunWriter& writer)
        : m_table(table)
        , m_writer(writer)
        , m_journals(writer)
    {
    }

    void read()
    {
        while (m_table.next()) {
            const auto& cells = m_table.cells();
            if (cells[kMetric] != m_metric || cells[kRank] != m_rank || cells[kAttempt] != m_attempt)
                beginSeries();
            const auto step = contract::parseInteger(cells[kStep]);
            if (!step || !wholeStep(static_cast<double>(*step)))
                m_table.fail(kStep, noStep(cells[kStep]));
            m_journals.add(*step, number(kTime), number(kValue), isSuperseded());
        }
        if (m_table.isTorn())
            m_writer.warn(tornSentence(m_table.file()));
        finishOwn(m_journals, m_writer, m_table.file());
    }

private:
    enum Column : std::size_t { kMetric, kRank, kAttempt, kStep, kTime, kValue, kSuperseded };

    void beginSeries()
    {
        const auto& cells = m_table.cells();
        m_metric = cells[kMetric];
        m_rank = cells[kRank];
        m_attempt = cells[kAttempt];
        const double rank = number(kRank), attempt = number(kAttempt);
        for (const auto& [column, problem] : {std::pair(kMetric, SeriesJournals::problemOf(m_metric, 0, 1)),
                 std::pair(kRank, SeriesJournals::problemOf("loss", rank, 1)), std::pair(kAttempt, SeriesJournals::problemOf("loss", 0, attempt))}) {
            if (!problem.empty())
                m_table.fail(column, problem);
        }
        m_journals.begin(m_metric, static_cast<int>(rank), static_cast<int>(attempt));
    }

    /// Spreadsheets write TRUE and FALSE, pandas True and False.
    bool isSuperseded() const
    {
        const auto& cells = m_table.cells();
        if (cells.size() <= kSuperseded)
            return false;
        if (!isCalled(cells[kSuperseded], "true") && !isCalled(cells[kSuperseded], "false"))
            m_table.fail(kSuperseded, contract::inQuotes(contract::shortened(cells[kSuperseded], 40)) + " is neither true nor false");
        return isCalled(cells[kSuperseded], "true");
    }

    double number(Column column) const
    {
        const std::string_view cell = m_table.cells()[column];
        const auto value = contract::parseReal(cell);
        if (!value)
            m_table.fail(column, contract::inQuotes(contract::shortened(cell, 40)) + " is no number");
        return *value;
    }

    CsvReader& m_table;
    RunWriter& m_writer;
    SeriesJournals m_journals;
    std::string m_metric, m_rank, m_attempt;  ///< the cells of the series that was begun last
};

class OwnJson {
public:
    OwnJson(JsonReader& json, RunWriter& writer)
        : m_json(json)
        , m_writer(writer)
        , m_journals(writer)
    {
    }

    void read()
    {
        expect(Token::BeginObject);
        for (Token token = m_json.next(); token == Token::Name; token = m_json.next()) {
            const std::string name(m_json.text());
            if (name == "attempts")
                eachItem([&](Token item) { readAttempt(item); });
            else if (name == "series")
                eachItem([&](Token item) { readSeries(item); });
            else
                m_json.skip(m_json.next());
        }
        finishOwn(m_journals, m_writer, m_json.file());
    }

private:
    [[noreturn]] void refuse() const { m_json.fail("is not as Atelier exports it"); }

    void expect(Token expected)
    {
        if (m_json.next() != expected)
            refuse();
    }

    template <typename OnItem>
    void eachItem(OnItem onItem)
    {
        expect(Token::BeginArray);
        for (Token token = m_json.next(); token != Token::EndArray; token = m_json.next())
            onItem(token);
    }

    /// Of the token that was read last: non-finite numbers are texts.
    double numberOf(Token token) const
    {
        if (token == Token::Number)
            return m_json.number();
        const auto value = token == Token::Text ? contract::parseReal(m_json.text()) : std::nullopt;
        if (!value)
            refuse();
        return *value;
    }

    std::int64_t wholeOf(Token token) const
    {
        const auto whole = wholeStep(numberOf(token));
        if (!whole)
            m_json.fail("must be a whole number");
        return *whole;
    }

    void readAttempt(Token token)
    {
        if (token != Token::BeginObject)
            refuse();
        std::int64_t number = 1, start = 0, parent = 0;
        for (token = m_json.next(); token == Token::Name; token = m_json.next()) {
            std::int64_t ignored = 0;
            const std::string_view name = m_json.text();
            std::int64_t& target = name == "attempt" ? number : name == "start_unix_ms" ? start : name == "parent_step" ? parent : ignored;
            target = wholeOf(m_json.next());
        }
        if (const std::string problem = SeriesJournals::problemOf("loss", 0, static_cast<double>(number)); !problem.empty())
            m_json.fail(problem);
        if (start < 0 || start > kLatestUnixMs)
            refuse();
        m_journals.setAttempt(static_cast<int>(number), start, parent);
    }

    void readSeries(Token token)
    {
        if (token != Token::BeginObject)
            refuse();
        std::string metric;
        double rank = 0, attempt = 1;
        for (token = m_json.next(); token == Token::Name; token = m_json.next()) {
            if (m_json.text() == "points") {
                if (const std::string problem = SeriesJournals::problemOf(metric, rank, attempt); !problem.empty())
                    m_json.fail(problem);
                m_journals.begin(metric, static_cast<int>(rank), static_cast<int>(attempt));
                eachItem([this](Token item) { readPoint(item); });
            } else if (m_json.text() == "metric") {
                expect(Token::Text);
                metric = m_json.text();
            } else if (m_json.text() == "rank") {
                rank = numberOf(m_json.next());
            } else if (m_json.text() == "attempt") {
                attempt = numberOf(m_json.next());
            } else {
                m_json.skip(m_json.next());
            }
        }
    }

    void readPoint(Token token)
    {
        if (token != Token::BeginArray)
            refuse();
        const std::int64_t step = wholeOf(m_json.next());
        const double tMs = numberOf(m_json.next()), value = numberOf(m_json.next());
        token = m_json.next();
        if (token != Token::True && token != Token::False)
            refuse();
        m_journals.add(step, tMs, value, token == Token::True);
        expect(Token::EndArray);
    }

    JsonReader& m_json;
    RunWriter& m_writer;
    SeriesJournals m_journals;
};

}  // namespace

bool isOwnExport(const CsvReader& table)
{
    constexpr std::array<std::string_view, 7> kColumns = {"metric", "rank", "attempt", "step", "t_ms", "value", "superseded"};
    const auto& names = table.names();
    return table.separator() == ',' && (names.size() == kColumns.size() || names.size() + 1 == kColumns.size())
        && std::equal(names.begin(), names.end(), kColumns.begin());
}

void readOwnCsv(CsvReader& table, RunWriter& writer) { OwnCsv(table, writer).read(); }
void readOwnJson(JsonReader& json, RunWriter& writer) { OwnJson(json, writer).read(); }

bool isRunId(const std::string& id)
{
    constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyz0123456789._-";
    constexpr std::size_t kLongestId = 100;
    return !id.empty() && id.size() <= kLongestId && id[0] != '.' && id[0] != '-' && id.find_first_not_of(kCharacters) == std::string::npos;
}

std::string nameInId(const std::string& id)
{
    if (id.size() <= kIdEnding.size())
        return id;
    const std::size_t begin = id.size() - kIdEnding.size();
    for (std::size_t i = 0; i + 4 < kIdEnding.size(); ++i) {  // the letters may be any
        const char character = id[begin + i];
        if (kIdEnding[i] == '-' ? character != '-' : character < '0' || character > '9')
            return id;
    }
    return id.substr(0, begin);
}

}  // namespace storage
