// atelier logs
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/log_time.h"
#include "launcher/base/signal_pipe.h"
#include "ui/logs/log_clock.h"
#include "ui/logs/log_file_reader.h"
#include "ui/logs/log_filter.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>

namespace app {
namespace {

using ui::LogLevel;

struct LogsRequest {
    std::string run;
    std::optional<int> rank;
    std::size_t lines = 100;
    std::string level;
    std::string search;
    bool isRegex = false;
    bool isFollowing = false;
    bool isJson = false;
};

struct Line {
    std::int64_t time = 0;  ///< by rank 0's clock
    LogLevel level = LogLevel::Unknown;
    std::string source;  ///< "rank 0", "supervisor"
    std::string text;
};

/// Reads the lines of one file that pass the filter. A line without time or level has those of the line before it.
class Source {
public:
    Source(std::string name, const std::filesystem::path& file, ui::LogClock clock, const LogsRequest& request)
        : m_name(std::move(name))
        , m_clock(std::move(clock))
        , m_reader(file.string())
        , m_minimum(levels().at(request.level))
    {
        const ui::LogFilter filter {.minimumLevel = m_minimum, .text = QString::fromStdString(request.search), .isRegex = request.isRegex};
        if (!filter.problem().isEmpty())
            throw Failure("logs: " + filter.problem().toStdString(), kWrongUsage);
        m_matches = filter.matcher();
    }

    static const std::map<std::string, LogLevel>& levels()
    {
        static const std::map<std::string, LogLevel> levels = {{"", LogLevel::Unknown}, {"debug", LogLevel::Debug}, {"info", LogLevel::Info},
            {"warning", LogLevel::Warning}, {"error", LogLevel::Error}};
        return levels;
    }

    const std::string& name() const { return m_name; }
    const ui::LogClock& clock() const { return m_clock; }
    std::int64_t size() const { return m_reader.size(); }
    void seek(std::int64_t offset) { m_reader.seek(offset); }

    /// @param partial whether the file's last line counts that has no newline yet
    std::optional<Line> next(bool partial)
    {
        while (const auto line = m_reader.next()) {
            if (!line->isWhole && !partial)
                return std::nullopt;
            if (const std::int64_t time = contract::logTime(line->text); time > 0) {
                m_time = m_clock.byRankZero(time);
                m_level = LogLevel::Unknown;
            }
            if (const LogLevel level = ui::logLevel(line->text); level != LogLevel::Unknown)
                m_level = level;
            if (m_level >= m_minimum && !line->text.empty() && m_matches(line->text))
                return Line {m_time, m_level, m_name, std::string(line->text)};
        }
        return std::nullopt;
    }

private:
    std::string m_name;
    ui::LogClock m_clock;
    ui::LogFileReader m_reader;
    LogLevel m_minimum;
    std::function<bool(std::string_view)> m_matches;
    std::int64_t m_time = 0;
    LogLevel m_level = LogLevel::Unknown;
};

std::vector<Source> sourcesOf(const contract::RunFolder& folder, const LogsRequest& request)
{
    std::vector<Source> sources;
    const auto clocks = contract::rankClocks(folder);
    for (const std::filesystem::path& file : contract::entriesOf(folder.logs())) {
        const std::string stem = file.stem().string();
        const bool isRank = stem.starts_with("rank-");
        const std::int64_t rank = isRank ? contract::parseInteger(std::string_view(stem).substr(5)).value_or(-2) : contract::kSupervisorRank;
        if (file != folder.log(static_cast<int>(rank)) || (request.rank && *request.rank != rank))
            continue;
        sources.emplace_back(isRank ? "rank " + std::to_string(rank) : "supervisor", file, ui::LogClock(clocks, file), request);
    }
    if (sources.empty())
        throw Failure("run " + folder.id() + " has no log" + (request.rank ? " of rank " + std::to_string(*request.rank) : "") + " yet");
    return sources;
}

/// The last lines of one file.
std::deque<Line> lastLines(Source& source, const LogsRequest& request)
{
    constexpr std::int64_t kMostLineBytes = 1000;  // of usual lines
    const bool isFiltered = !request.search.empty() || !request.level.empty();
    const auto wanted = static_cast<std::int64_t>(std::min<std::size_t>(request.lines, 1'000'000)) * kMostLineBytes;
    std::deque<Line> lines;
    for (std::int64_t begin = isFiltered ? 0 : std::max<std::int64_t>(source.size() - wanted, 0);; begin = 0) {
        source.seek(begin);
        lines.clear();
        while (auto line = source.next(!request.isFollowing)) {
            lines.push_back(std::move(*line));
            if (lines.size() > request.lines)
                lines.pop_front();
        }
        if (begin == 0 || lines.size() == request.lines)
            return lines;
    }
}

Json lineJson(const Line& line)
{
    const auto level = std::ranges::find(Source::levels(), line.level, &std::pair<const std::string, LogLevel>::second);
    return {{"source", line.source}, {"level", level == Source::levels().end() ? "" : level->first}, {"text", contract::escapedBytes(line.text)}};
}

void print(const Line& line, bool hasSource)
{
    printText((hasSource ? line.source + ": " : "") + printable(contract::shownLogLine(line.text)) + "\n");
}

void follow(std::vector<Source>& sources)
{
    using namespace std::chrono_literals;
    launcher::SignalPipe signals {SIGINT, SIGTERM, SIGHUP};
    while (!signals.wait(200ms)) {
        std::vector<Line> lines;
        for (Source& source : sources) {
            while (auto line = source.next(false))
                lines.push_back(std::move(*line));
        }
        std::ranges::stable_sort(lines, {}, &Line::time);
        for (const Line& line : lines)
            print(line, line.time == 0);
    }
}

/// Says which lines stand at other places than their times say.
void printClocks(const std::vector<Source>& sources)
{
    if (sources.size() < 2)
        return;
    for (const Source& source : sources) {
        if (const std::int64_t ahead = source.clock().aheadMs(); ahead != 0)
            printWarning("the clock of " + source.name() + " is " + ui::clockDifference(ahead) + " min " + (ahead > 0 ? "ahead of" : "behind")
                + " rank 0's: its lines stand where rank 0's clock puts them");
    }
}

ExitCode logs(const LogsRequest& request)
{
    const contract::RunFolder folder = findRun(existingHome(), request.run);
    std::vector<Source> sources = sourcesOf(folder, request);
    std::vector<Line> lines;
    for (Source& source : sources) {
        std::deque<Line> own = lastLines(source, request);
        std::ranges::move(own, std::back_inserter(lines));
    }
    std::ranges::stable_sort(lines, {}, &Line::time);
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(std::min(lines.size(), request.lines)));
    if (request.isJson) {
        Json list = Json::array();
        for (const Line& line : lines)
            list.push_back(lineJson(line));
        printJson({{"run", folder.id()}, {"lines", list}});
        return kSuccess;
    }
    printClocks(sources);
    for (const Line& line : lines)
        print(line, line.time == 0);  // the others name their rank themselves
    if (request.isFollowing)
        follow(sources);
    return kSuccess;
}

}  // namespace

void addLogsCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<LogsRequest>();
    CLI::App* command = app.add_subcommand("logs", "Print the last lines of a run's logs, those of all ranks merged by time");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->add_option("--rank", request->rank, "Only the log of this rank; -1: the supervisor's")->check(CLI::Range(-1, 1'000'000));
    command->add_option("-n,--lines", request->lines, "Number of lines")->check(CLI::Range(1, 100'000'000))->capture_default_str();
    command->add_option("--level", request->level, "Only lines of this level or a graver one")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    CLI::Option* search = command->add_option("--search", request->search, "Only lines that contain this text")->type_name("TEXT");
    command->add_flag("--regex", request->isRegex, "The text is a regular expression")->needs(search);
    CLI::Option* following = command->add_flag("-f,--follow", request->isFollowing, "Go on with what is written, until Ctrl+C");
    command->add_flag("--json", request->isJson, "Print one JSON document")->excludes(following);
    command->callback([request, &action] { action = [request] { return logs(*request); }; });
}

}  // namespace app
