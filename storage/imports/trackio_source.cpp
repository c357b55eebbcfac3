#include "storage/imports/trackio_source.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "storage/database.h"
#include "storage/imports/json_values.h"
#include "storage/imports/moment.h"

#include <stdlib.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace storage {
namespace {

namespace fs = std::filesystem;

/// The database, opened in a way that writes nothing beside it: as it is when no log lies beside it, else as a copy with that log.
class ReadDatabase {
public:
    explicit ReadDatabase(const fs::path& file)
    {
        const fs::path log = file.string() + "-wal";
        std::error_code error;
        fs::path opened = file;
        if (const auto bytes = fs::file_size(log, error); !error && bytes > 0) {
            std::string name = (fs::temp_directory_path() / "atelier-import-XXXXXX").string();
            if (!::mkdtemp(name.data()))
                throw std::runtime_error(contract::cannotBe("created", name, errno));
            m_folder = name;
            opened = m_folder / "copy.db";
            try {
                fs::copy_file(file, opened);
                fs::copy_file(log, opened.string() + "-wal");
            } catch (const fs::filesystem_error& failure) {
                removeCopy();
                throw std::runtime_error(contract::cannotBe("copied", file, failure.code().value()));
            }
        }
        try {
            m_database.emplace(opened, m_folder.empty() ? Database::Mode::Frozen : Database::Mode::ReadOnly);
            m_database->execute("PRAGMA trusted_schema = OFF");
        } catch (...) {
            removeCopy();
            throw;
        }
    }
    ~ReadDatabase()
    {
        m_database.reset();
        removeCopy();
    }
    ReadDatabase(const ReadDatabase&) = delete;
    ReadDatabase& operator=(const ReadDatabase&) = delete;

    Database& operator*() { return *m_database; }

    /// Whether there is a plain table of that name with that column: no view, which could compute for ever.
    bool has(const std::string& table, const std::string& column)
    {
        SQLite::Statement entry(m_database->connection(), "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?");
        entry.bind(1, table);
        if (!entry.executeStep() || !entry.getColumn(0).getString().starts_with("CREATE TABLE"))
            return false;
        SQLite::Statement columns(m_database->connection(), "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
        columns.bind(1, table);
        columns.bind(2, column);
        return columns.executeStep();
    }

private:
    void removeCopy()
    {
        std::error_code ignored;
        if (!m_folder.empty())
            fs::remove_all(m_folder, ignored);
    }

    fs::path m_folder;
    std::optional<Database> m_database;
};

std::string damaged(const fs::path& file, const SQLite::Exception& error)
{
    return file.string() + ": cannot be read as a database (" + contract::escapedBytes(error.what()) + ")";
}

/// Values of one JSON object by name, for a reader that wants them all at once.
struct Numbers {
    std::vector<std::pair<std::string, double>> named;
    std::vector<NamedValue> views;

    std::span<const NamedValue> all()
    {
        views.clear();
        for (const auto& [name, value] : named)
            views.push_back({name, value});
        return views;
    }
};

class Project {
public:
    Project(const ForeignRun& run, RunWriter& writer)
        : m_run(run)
        , m_writer(writer)
        , m_database(run.place)
        , m_key(m_database.has("metrics", "run_id") ? "run_id" : "run_name")
    {
    }

    void read()
    {
        begin();
        if (m_database.has("configs", m_key))
            eachRow("config, '', 0 FROM configs", [this](std::string_view json, double, std::int64_t) { addConfig(json); });
        eachRow("metrics, timestamp, step FROM metrics", [this](std::string_view json, double time, std::int64_t step) { addMetrics(json, time, step); });
        if (m_database.has("system_metrics", m_key))
            eachRow("metrics, timestamp, 0 FROM system_metrics", [this](std::string_view json, double time, std::int64_t) {
                collect(json);
                m_writer.addHostValues(time, m_numbers.all());
            });
        if (m_database.has("alerts", m_key))
            eachRow("level || ': ' || title || coalesce(': ' || text, ''), timestamp, coalesce(step, 0) FROM alerts",
                [this](std::string_view text, double time, std::int64_t step) { addAlert(text, time, step); });
    }

private:
    template <typename OnRow>
    void eachRow(const std::string& what, OnRow onRow)
    {
        SQLite::Statement rows((*m_database).connection(), "SELECT " + what + " WHERE " + m_key + " = ? ORDER BY id");
        rows.bind(1, m_run.key);
        while (rows.executeStep()) {
            const SQLite::Column content = rows.getColumn(0);
            const auto* const bytes = static_cast<const char*>(content.getBlob());
            onRow(std::string_view(bytes, bytes ? static_cast<std::size_t>(content.getBytes()) : 0), unixSecondsOf(rows.getColumn(1).getString()),
                rows.getColumn(2).getInt64());
        }
    }

    void begin()
    {
        SQLite::Statement first((*m_database).connection(), "SELECT min(timestamp) FROM metrics WHERE " + m_key + " = ?");
        first.bind(1, m_run.key);
        const double start = first.executeStep() ? unixSecondsOf(first.getColumn(0).getString()) : 0;
        m_writer.beginAttempt({.unixSeconds = start, .parentStep = 0, .host = {}});
    }

    void addConfig(std::string_view json)
    {
        const auto add = [this](const std::string& key, const std::string& text) {
            if (!key.starts_with("_"))
                m_writer.addParameter(key, text);
        };
        if (!visitJsonTexts(json, {}, add))
            m_writer.leaveOut("damaged configuration");
    }

    void collect(std::string_view json)
    {
        m_numbers.named.clear();
        const JsonVisitor visitor {.onNumber = [this](const std::string& key, double value) { m_numbers.named.emplace_back(key, value); },
            .onText = [this](const std::string&, const std::string&) { m_writer.leaveOut("text"); },
            .onMedium = [this](const std::string&, const nlohmann::json&) { m_writer.leaveOut("medium"); }};
        if (!visitJson(json, {}, visitor))
            m_writer.leaveOut("damaged row");
    }

    void addMetrics(std::string_view json, double time, std::int64_t step)
    {
        collect(json);
        m_writer.addValues(step, time, m_numbers.all());
    }

    void addAlert(std::string_view text, double time, std::int64_t step)
    {
        const std::string_view level = text.substr(0, text.find(": "));
        m_writer.addEvent(step, time, level == "error" ? "error" : level == "warn" ? "warning" : "info", "alert",
            text.substr(std::min(text.size(), level.size() + 2)));
    }

    const ForeignRun& m_run;
    RunWriter& m_writer;
    ReadDatabase m_database;
    std::string m_key;
    Numbers m_numbers;
};

}  // namespace

std::optional<std::vector<ForeignRun>> trackioRuns(const fs::path& file)
{
    if (!contract::fileBeginning(file, 16).starts_with("SQLite format 3"))
        return std::nullopt;
    try {
        ReadDatabase database(file);
        if (!database.has("metrics", "metrics") || !database.has("metrics", "run_name") || !database.has("metrics", "step")
            || !database.has("metrics", "timestamp"))
            return std::nullopt;
        const std::string key = database.has("metrics", "run_id") ? "run_id" : "run_name";
        std::vector<ForeignRun> runs;
        SQLite::Statement rows((*database).connection(), "SELECT " + key + ", max(run_name) FROM metrics GROUP BY 1 ORDER BY min(id)");
        while (rows.executeStep())
            runs.push_back({.program = ForeignRun::Program::Trackio, .place = file, .key = rows.getColumn(0).getString(),
                .name = rows.getColumn(1).getString(), .project = file.stem().string()});
        return runs;
    } catch (const SQLite::Exception& error) {
        throw std::runtime_error(damaged(file, error));
    }
}

void readTrackio(const ForeignRun& run, RunWriter& writer)
{
    const std::string stamp = stampOf(run);
    try {
        Project(run, writer).read();
    } catch (const SQLite::Exception& error) {
        throw std::runtime_error(damaged(run.place, error));
    }
    if (stampOf(run) != stamp)
        throw std::runtime_error(run.place.string() + ": is being written; import it again in a moment");
}

}  // namespace storage
