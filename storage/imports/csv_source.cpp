#include "storage/imports/csv_source.h"

#include "engine/contract/formats/text.h"
#include "storage/imports/csv_reader.h"
#include "storage/imports/own_export.h"
#include "storage/imports/table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace storage {
namespace {

namespace fs = std::filesystem;
using Program = ForeignRun::Program;

/// Separates run and metric in the columns of Weights & Biases.
constexpr std::string_view kDash = " - ";

constexpr char kNameIsNotUtf8[] = "the name is not UTF-8; save the file as UTF-8";
constexpr char kOneMetricMore[] = "is one metric more than a run may have";

/// A table with a row for each value of a metric, as MLflow and pandas' melt() have it; the other columns say nothing of the value.
struct LongForm {
    std::size_t metric = 0, value = 0;  ///< columns
    std::optional<std::size_t> run;
};

struct CsvColumn {
    enum class Role { Ignored, Step, Time, Metric };
    Role role = Role::Ignored;
    std::string run;     ///< in a download from Weights & Biases
    std::string metric;
};

/// Run and metric in the name of a TensorBoard download: "run-NAME-tag-METRIC".
struct DownloadName {
    std::string run;
    std::string metric;
};

DownloadName downloadName(const fs::path& file)
{
    const std::string stem = file.stem().string();
    const std::size_t tag = stem.find("-tag-");
    if (!stem.starts_with("run-") || tag == std::string::npos || tag + 5 == stem.size())
        return {stem, stem};
    const std::string run = tag > 4 ? stem.substr(4, tag - 4) : std::string();
    return {run.empty() || run == "." ? stem : run, stem.substr(tag + 5)};
}

bool isTensorBoardDownload(const CsvReader& table)
{
    const auto& names = table.names();
    return names.size() == 3 && isTimeName(names[0]) && stepRank(names[1]) && (names[2] == "Value" || names[2] == "value");
}

bool isWandbDownload(const CsvReader& table)
{
    const auto& names = table.names();
    return names.size() > 1 && stepRank(names[0])
        && std::all_of(names.begin() + 1, names.end(), [](const std::string& name) { return name.find(kDash) != std::string::npos; });
}

/// The first column that has one of the names.
template <std::size_t count>
std::optional<std::size_t> columnCalled(const CsvReader& table, const std::array<std::string_view, count>& all)
{
    for (const std::string_view wanted : all) {
        const auto found = std::ranges::find_if(table.names(), [&](const std::string& name) { return isCalled(contract::trimmed(name), wanted); });
        if (found != table.names().end())
            return static_cast<std::size_t>(found - table.names().begin());
    }
    return std::nullopt;
}

std::optional<LongForm> longFormOf(const CsvReader& table)
{
    const auto metric = columnCalled(table, std::to_array<std::string_view>({"metric", "key", "tag", "name"}));
    const auto value = columnCalled(table, std::to_array<std::string_view>({"value"}));
    if (!metric || !value)
        return std::nullopt;
    return LongForm {*metric, *value, columnCalled(table, std::to_array<std::string_view>({"run_id", "run_uuid", "run"}))};
}

CsvColumn wandbColumn(std::string_view name)
{
    const std::size_t dash = name.rfind(kDash);
    const std::string_view metric = name.substr(dash + kDash.size());
    const bool isOfOwn = metric.empty() || metric.starts_with('_') || metric.ends_with("__MIN") || metric.ends_with("__MAX");
    return {isOfOwn ? CsvColumn::Role::Ignored : CsvColumn::Role::Metric, std::string(name.substr(0, dash)), std::string(metric)};
}

void refuseOddNames(const CsvReader& table)
{
    std::map<std::string_view, std::size_t> columns;
    for (std::size_t i = 0; i < table.names().size(); ++i) {
        const std::string_view name = contract::trimmed(table.names()[i]);
        if (!contract::isUtf8(name))
            table.fail(i, kNameIsNotUtf8);
        const auto [known, isNew] = columns.emplace(name, i);
        if (!isNew && !name.empty())
            table.fail(i, "has the name of column " + std::to_string(known->second + 1) + ", too; rename one of them");
    }
}

/// What the columns hold. @throws std::runtime_error when none has steps
std::vector<CsvColumn> columnsOf(const CsvReader& table)
{
    refuseOddNames(table);
    const auto& names = table.names();
    const bool isWandb = isWandbDownload(table);
    std::vector<CsvColumn> columns;
    std::optional<std::size_t> step;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = contract::trimmed(names[i]);
        if (isWandb && i > 0) {
            columns.push_back(wandbColumn(name));
            continue;
        }
        const auto rank = stepRank(name);
        if (rank && (!step || *rank < *stepRank(names[*step])))
            step = i;
        const auto role = name.empty() ? CsvColumn::Role::Ignored : isTimeName(name) ? CsvColumn::Role::Time : CsvColumn::Role::Metric;
        columns.push_back({role, {}, std::string(name)});
    }
    if (!step)
        throw std::runtime_error(noStepsIn(table.file()));
    columns[*step].role = CsvColumn::Role::Step;
    if (isTensorBoardDownload(table))
        columns[2].metric = downloadName(table.file()).metric;
    return columns;
}

class CsvTable {
public:
    CsvTable(CsvReader& table, const ForeignRun& run, RunWriter& writer)
        : m_table(table)
        , m_writer(writer)
        , m_rows(writer)
        , m_run(run.key)
        , m_decimal(table.separator() == ';' ? ',' : '\0')
        , m_longForm(longFormOf(table))
    {
        const std::vector<CsvColumn> columns = columnsOf(table);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].role == CsvColumn::Role::Step)
                m_step = i;
            else if (columns[i].role == CsvColumn::Role::Time)
                m_time = m_time.value_or(i);
            else if (columns[i].role == CsvColumn::Role::Metric && columns[i].run == run.key && !m_longForm)
                addMetric(i, columns[i].metric);
        }
    }

    void read()
    {
        while (m_table.next())
            readRow();
        if (m_table.isTorn())
            m_writer.warn(tornSentence(m_table.file()));
        if (!m_rows.finish(m_table.file()))
            throw std::runtime_error(m_table.file().string() + ": holds no values");
    }

private:
    struct Source {
        std::size_t column = 0;
        std::size_t metric = 0;  ///< its number in m_rows
    };

    void addMetric(std::size_t column, const std::string& name)
    {
        const auto metric = m_rows.addMetric(name);
        if (!metric)
            m_table.fail(column, kOneMetricMore);
        m_sources.push_back({column, *metric});
    }

    void addCell(std::size_t metric, std::string_view cell)
    {
        if (cell.empty())
            return;
        if (const auto number = tableNumber(cell, m_decimal))
            m_rows.add(metric, *number);
        else if (!contract::trimmed(cell).empty())
            m_rows.addText();
    }

    /// The number of the metric that the row of a long form names.
    std::size_t metricOfRow(const LongForm& form)
    {
        const std::string_view name = contract::trimmed(m_table.cells()[form.metric]);
        if (const auto known = m_metrics.find(name); known != m_metrics.end())
            return known->second;
        if (name.empty())
            m_table.fail(form.metric, "names no metric");
        if (!contract::isUtf8(name))
            m_table.fail(form.metric, kNameIsNotUtf8);
        const auto metric = m_rows.addMetric(name);
        if (!metric)
            m_table.fail(form.metric, kOneMetricMore);
        return m_metrics.emplace(name, *metric).first->second;
    }

    void readRow()
    {
        const auto& cells = m_table.cells();
        if (m_longForm && m_longForm->run && contract::trimmed(cells[*m_longForm->run]) != m_run)
            return;
        if (m_longForm)
            addCell(metricOfRow(*m_longForm), cells[m_longForm->value]);
        for (const Source& source : m_sources)
            addCell(source.metric, cells[source.column]);
        const std::string_view cell = contract::trimmed(cells[m_step]);
        if (cell.empty())
            return m_rows.dropRow();
        const auto number = tableNumber(cell, m_decimal);
        const auto step = number ? wholeStep(*number) : std::nullopt;
        if (!step)
            m_table.fail(m_step, noStep(cell));
        if (!m_rows.endRow(*step, m_time ? tableSeconds(cells[*m_time]) : 0))
            m_table.fail(m_step, kGoesBackTooOften);
    }

    CsvReader& m_table;
    RunWriter& m_writer;
    TableWriter m_rows;
    std::string m_run;
    char m_decimal;
    std::optional<LongForm> m_longForm;
    std::map<std::string, std::size_t, std::less<>> m_metrics;  ///< of a long form, by name
    std::size_t m_step = 0;
    std::optional<std::size_t> m_time;
    std::vector<Source> m_sources;
};

/// The runs that a long form names, in their order.
std::vector<ForeignRun> runsNamedIn(CsvReader& table, std::size_t column)
{
    std::vector<ForeignRun> runs;
    std::set<std::string, std::less<>> known;
    while (table.next()) {
        const std::string_view cell = contract::trimmed(table.cells()[column]);
        if (known.contains(cell))
            continue;
        if (!contract::isUtf8(cell))
            table.fail(column, kNameIsNotUtf8);
        const std::string key(*known.emplace(cell).first);
        runs.push_back({.program = Program::Csv, .place = table.file(), .key = key, .name = key.empty() ? nameOfRunIn(table.file()) : key, .project = {}});
    }
    return runs;
}

}  // namespace

std::string nameOfRunIn(const fs::path& file)
{
    constexpr std::array<std::string_view, 7> kUsual = {"metrics", "trainer_state", "log", "logs", "history", "log_history", "progress"};
    const std::string stem = file.stem().string();
    const std::string folder = file.parent_path().filename().string();
    return std::ranges::find(kUsual, stem) != kUsual.end() && !folder.empty() ? folder : stem;
}

std::vector<ForeignRun> csvRuns(const fs::path& file)
{
    CsvReader table(file);
    ForeignRun run {.program = Program::Csv, .place = file, .key = {}, .name = nameOfRunIn(file), .project = {}};
    if (isOwnExport(table)) {
        run.name = nameInId(file.stem().string());
        return {run};
    }
    const std::vector<CsvColumn> columns = columnsOf(table);
    if (isTensorBoardDownload(table))
        run.name = downloadName(file).run;
    if (const auto form = longFormOf(table); form && form->run)
        return runsNamedIn(table, *form->run);
    if (!isWandbDownload(table))
        return {run};
    std::vector<ForeignRun> runs;
    for (const CsvColumn& column : columns) {
        if (column.role == CsvColumn::Role::Metric && std::ranges::find(runs, column.run, &ForeignRun::key) == runs.end())
            runs.push_back({.program = Program::Csv, .place = file, .key = column.run, .name = column.run, .project = {}});
    }
    return runs;
}

void readCsv(const ForeignRun& run, RunWriter& writer)
{
    CsvReader table(run.place);
    if (isOwnExport(table))
        return readOwnCsv(table, writer);
    CsvTable(table, run, writer).read();
}

}  // namespace storage
