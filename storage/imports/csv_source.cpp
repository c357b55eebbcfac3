#include "storage/imports/csv_source.h"

#include "engine/contract/formats/text.h"
#include "storage/imports/csv_reader.h"
#include "storage/imports/own_export.h"
#include "storage/imports/table.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>

namespace storage {
namespace {

namespace fs = std::filesystem;
using Program = ForeignRun::Program;

/// Separates run and metric in the columns of Weights & Biases.
constexpr std::string_view kDash = " - ";

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
            table.fail(i, "the name is not UTF-8; save the file as UTF-8");
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
        , m_decimal(table.separator() == ';' ? ',' : '\0')
    {
        const std::vector<CsvColumn> columns = columnsOf(table);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].role == CsvColumn::Role::Step)
                m_step = i;
            else if (columns[i].role == CsvColumn::Role::Time)
                m_time = m_time.value_or(i);
            else if (columns[i].role == CsvColumn::Role::Metric && columns[i].run == run.key)
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
            m_table.fail(column, "is one metric more than a run may have");
        m_sources.push_back({column, *metric});
    }

    void readRow()
    {
        const auto& cells = m_table.cells();
        for (const Source& source : m_sources) {
            const std::string_view cell = cells[source.column];
            if (cell.empty())
                continue;
            if (const auto number = tableNumber(cell, m_decimal))
                m_rows.add(source.metric, *number);
            else if (!contract::trimmed(cell).empty())
                m_rows.addText();
        }
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
    char m_decimal;
    std::size_t m_step = 0;
    std::optional<std::size_t> m_time;
    std::vector<Source> m_sources;
};

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
    const CsvReader table(file);
    ForeignRun run {.program = Program::Csv, .place = file, .key = {}, .name = nameOfRunIn(file), .project = {}};
    if (isOwnExport(table)) {
        run.name = nameInId(file.stem().string());
        return {run};
    }
    const std::vector<CsvColumn> columns = columnsOf(table);
    if (isTensorBoardDownload(table))
        run.name = downloadName(file).run;
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
