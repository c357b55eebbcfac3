#include "storage/imports/json_source.h"

#include "engine/contract/formats/text.h"
#include "storage/imports/csv_source.h"
#include "storage/imports/json_reader.h"
#include "storage/imports/own_export.h"
#include "storage/imports/table.h"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace storage {
namespace {

using Token = JsonReader::Token;

/// Reads an object, of which the beginning was read, and calls @p onLeaf(name, token) with every value in it that is no object; names are
/// joined by a slash. A list is skipped after the call.
template <typename OnLeaf>
void eachLeafOf(JsonReader& json, OnLeaf onLeaf)
{
    constexpr std::size_t kLongestPath = 4096;
    std::string path;
    std::vector<std::size_t> bases {0};
    while (!bases.empty()) {
        if (json.next() == Token::EndObject) {
            bases.pop_back();
            continue;
        }
        path.resize(bases.back());
        if (!path.empty())
            path += '/';
        path += json.text();
        if (path.size() > kLongestPath)
            json.fail("a name is longer than 4 KiB");
        const Token token = json.next();
        if (token == Token::BeginObject) {
            bases.push_back(path.size());
            continue;
        }
        onLeaf(path, token);
        if (token == Token::BeginArray)
            json.skip(token);
    }
}

/// Where the objects lie that are rows.
struct JsonLayout {
    enum class Kind { Own, List, Lines };
    Kind kind = Kind::Lines;
    std::string list;   ///< the name of the list in the document's object; empty: the document is the list
    std::string step;   ///< the name of the value that is the step
    std::string runId;  ///< of an export of our own
};

/// Finds the layout by the first objects of a file.
class JsonSurvey {
public:
    explicit JsonSurvey(const std::filesystem::path& file)
        : m_json(file)
    {
    }

    JsonLayout layout()
    {
        const Token first = m_json.next();
        if (first == Token::BeginArray) {
            m_layout.kind = JsonLayout::Kind::List;
            surveyList();
        } else if (first == Token::BeginObject) {
            surveyObject();
        } else {
            m_json.fail("is no object");
        }
        if (m_layout.step.empty() && m_layout.kind != JsonLayout::Kind::Own)
            throw std::runtime_error(noStepsIn(m_json.file()));
        return m_layout;
    }

private:
    static constexpr int kEnough = 100;  ///< objects

    void note(const std::string& name)
    {
        const auto rank = stepRank(name);
        if (rank && (m_layout.step.empty() || *rank < *stepRank(m_layout.step)))
            m_layout.step = name;
    }

    void surveyRow()
    {
        eachLeafOf(m_json, [this](const std::string& name, Token) { note(name); });
    }

    /// Of a list, of which the beginning was read.
    void surveyList()
    {
        int rows = 0;
        for (Token token = m_json.next(); token == Token::BeginObject && ++rows <= kEnough; token = m_json.next())
            surveyRow();
    }

    /// The document's object holds a list of rows, or is a row that others follow.
    void surveyObject()
    {
        JsonLayout row;
        try {
            for (Token token = m_json.next(); token == Token::Name; token = m_json.next()) {
                const std::string name(m_json.text());
                token = m_json.next();
                if (name == "run" && token == Token::Text)
                    row.runId = m_json.text();
                if ((name == "series" || name == "attempts") && token == Token::BeginArray && isRunId(row.runId)) {
                    m_layout = {JsonLayout::Kind::Own, {}, {}, row.runId};
                    return;
                }
                if (token == Token::BeginArray && hasRows(name))
                    return;
                if (token == Token::BeginObject)
                    eachLeafOf(m_json, [&](const std::string& inner, Token) { note(name + "/" + inner); });
                else
                    note(name);
            }
            for (int rows = 1; rows < kEnough && m_json.next() == Token::BeginObject; ++rows)
                surveyRow();
        } catch (const JsonTorn&) {
            if (m_layout.step.empty())
                throw;
        }
    }

    /// Reads a list, of which the beginning was read, up to its end unless it is one of rows.
    bool hasRows(const std::string& name)
    {
        const JsonLayout before = std::exchange(m_layout, {JsonLayout::Kind::List, name, {}, {}});
        Token token = m_json.next();
        for (int rows = 0; token == Token::BeginObject && rows < kEnough; ++rows, token = m_json.next())
            surveyRow();
        if (!m_layout.step.empty())
            return true;
        m_layout = before;
        for (; token != Token::EndArray; token = m_json.next())
            m_json.skip(token);
        return false;
    }

    JsonReader m_json;
    JsonLayout m_layout;
};

class JsonTable {
public:
    JsonTable(const std::filesystem::path& file, JsonLayout layout, RunWriter& writer)
        : m_json(file)
        , m_layout(std::move(layout))
        , m_writer(writer)
        , m_rows(writer)
    {
    }

    void read()
    {
        if (m_layout.kind == JsonLayout::Kind::Lines) {
            readLines();
        } else {
            findList();
            for (Token token = m_json.next(); token != Token::EndArray; token = m_json.next())
                readRow(token);
        }
        if (!m_rows.finish(m_json.file()))
            throw std::runtime_error(m_json.file().string() + ": holds no values");
    }

private:
    void readLines()
    {
        try {
            for (Token token = m_json.next(); token != Token::End; token = m_json.next())
                readRow(token);
        } catch (const JsonTorn&) {
            m_writer.warn(tornSentence(m_json.file()));
        }
    }

    /// Reads up to the beginning of the list.
    void findList()
    {
        m_json.next();
        if (m_layout.list.empty())
            return;
        while (m_json.next() == Token::Name) {
            const bool isIt = m_json.text() == m_layout.list;
            const Token token = m_json.next();
            if (isIt && token == Token::BeginArray)
                return;
            m_json.skip(token);
        }
        m_json.fail("was changed while it was read");
    }

    void readRow(Token token)
    {
        if (token != Token::BeginObject)
            m_json.fail("is no object");
        m_step.reset();
        m_seconds = 0;
        m_texts = 0;
        eachLeafOf(m_json, [this](const std::string& name, Token leaf) { readLeaf(name, leaf); });
        if (!m_step)
            return m_rows.dropRow();
        for (; m_texts > 0; --m_texts)
            m_rows.addText();
        if (!m_rows.endRow(*m_step, m_seconds))
            m_json.fail(kGoesBackTooOften);
    }

    void readLeaf(const std::string& name, Token token)
    {
        if (token == Token::Null)
            return;
        const Column& column = columnOf(name);
        if (column.role == Role::Ignored)
            return;
        std::optional<double> number;
        if (token == Token::Number)
            number = m_json.number();
        else if (token == Token::Text)
            number = column.role == Role::Metric ? nonFiniteOf(m_json.text()) : tableNumber(m_json.text());
        else if (token == Token::True || token == Token::False)
            number = token == Token::True ? 1 : 0;
        if (column.role == Role::Step)
            return readStep(token, number);
        if (column.role == Role::Time)
            m_seconds = tableSeconds(token == Token::Text ? std::string(m_json.text()) : contract::shortestText(number.value_or(0)));
        else if (!number)
            ++m_texts;
        else if (!m_rows.add(column.metric, *number))
            m_json.fail(contract::inQuotes(contract::shortened(name, 40)) + " is there twice in an object");
    }

    void readStep(Token token, std::optional<double> number)
    {
        const auto step = number ? wholeStep(*number) : std::nullopt;
        if (!step)
            m_json.fail(noStep(token == Token::Text ? std::string(m_json.text()) : number ? contract::shortestText(*number) : std::string("[")));
        m_step = step;
    }

    /// Of "NaN", "inf" and the like; other texts are no numbers, even if they look so.
    static std::optional<double> nonFiniteOf(std::string_view text)
    {
        const auto number = tableNumber(text);
        return number && !std::isfinite(*number) ? number : std::nullopt;
    }

    enum class Role { Ignored, Step, Time, Metric };
    struct Column {
        Role role = Role::Metric;
        std::size_t metric = 0;  ///< its number in m_rows
    };

    const Column& columnOf(const std::string& name)
    {
        const auto known = m_columns.find(name);
        if (known != m_columns.end())
            return known->second;
        if (!contract::isUtf8(name))
            m_json.fail("the name is not UTF-8; save the file as UTF-8");
        Column column;
        if (name == m_layout.step) {
            column.role = Role::Step;
        } else if (isTimeName(name)) {
            column.role = Role::Time;
        } else if (name == "_runtime" || name.starts_with("_wandb")) {
            column.role = Role::Ignored;
        } else if (const auto metric = m_rows.addMetric(name)) {
            column.metric = *metric;
        } else {
            m_json.fail("is one metric more than a run may have");
        }
        return m_columns.emplace(name, column).first->second;
    }

    JsonReader m_json;
    JsonLayout m_layout;
    RunWriter& m_writer;
    TableWriter m_rows;
    std::unordered_map<std::string, Column> m_columns;
    std::optional<std::int64_t> m_step;  ///< of the row, and so are the next two
    double m_seconds = 0;
    std::int64_t m_texts = 0;
};

}  // namespace

ForeignRun jsonRun(const std::filesystem::path& file)
{
    const JsonLayout layout = JsonSurvey(file).layout();
    return {.program = ForeignRun::Program::Json, .place = file, .key = layout.runId,
        .name = layout.kind == JsonLayout::Kind::Own ? nameInId(layout.runId) : nameOfRunIn(file), .project = {}};
}

void readJson(const ForeignRun& run, RunWriter& writer)
{
    JsonLayout layout = JsonSurvey(run.place).layout();
    if (layout.kind != JsonLayout::Kind::Own)
        return JsonTable(run.place, std::move(layout), writer).read();
    JsonReader json(run.place);
    readOwnJson(json, writer);
}

}  // namespace storage
