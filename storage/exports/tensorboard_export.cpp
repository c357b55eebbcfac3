#include "storage/exports/tensorboard_export.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/records/event_file.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>

namespace storage {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxPngBytes = std::uint64_t {64} << 20;

/// The event files of a run, each created with its first record.
class EventFiles {
public:
    EventFiles(fs::path folder, double unixSeconds)
        : m_folder(std::move(folder))
        , m_unixSeconds(unixSeconds)
    {
    }

    /// @param part the folder below the run's; empty: the run's own
    contract::EventWriter& at(const std::string& part)
    {
        auto& writer = m_writers[part];
        if (!writer) {
            fs::create_directories(m_folder / part);
            char name[64];
            std::snprintf(name, sizeof name, "events.out.tfevents.%.0f.atelier", m_unixSeconds);
            writer = std::make_unique<contract::EventWriter>(m_folder / part / name, m_unixSeconds);
        }
        return *writer;
    }
    void finish()
    {
        for (const auto& [part, writer] : m_writers)
            writer->finish();
    }

private:
    fs::path m_folder;
    double m_unixSeconds;
    std::map<std::string, std::unique_ptr<contract::EventWriter>> m_writers;
};

/// From when the times of the series count, in seconds since 1970.
double beginOf(const std::vector<AttemptRow>& attempts, const SeriesRow& series)
{
    const auto found = std::ranges::find(attempts, series.attempt, &AttemptRow::number);
    return found == attempts.end() ? 0 : static_cast<double>(beginUnixMs(*found, series.rank)) / 1000;
}

void addSeries(EventFiles& files, const Store& store, const SeriesRow& series, double begin)
{
    for (const Point& point : store.points(series.id)) {
        const bool isSuperseded = series.supersededAfter && point.step > *series.supersededAfter;
        std::string part = series.rank > 0 ? "rank-" + std::to_string(series.rank) : "";
        if (isSuperseded)
            part += (part.empty() ? "superseded-" : "/superseded-") + std::to_string(series.attempt);
        files.at(part).addScalar(series.metric, point.step, begin + point.tMs / 1000, point.value);
    }
}

void addSamples(EventFiles& files, const Store& store, const RunRow& run)
{
    for (const SampleRow& sample : store.samples(run.id)) {
        if (sample.standing || !sample.file.ends_with(".png"))
            continue;
        std::string content;
        try {
            content = contract::fileContent(fs::path(run.folder) / sample.file, kMaxPngBytes);
        } catch (const std::exception&) {
            continue;  // a picture that someone has removed is no reason to keep the curves back
        }
        files.at("").addPng(
            "samples/" + (sample.prompt.empty() ? fs::path(sample.file).stem().string() : sample.prompt), sample.step, static_cast<double>(sample.unixMs) / 1000, content);
    }
}

/// The options as a table in Markdown.
std::string optionsText(const Store& store, const RunRow& run)
{
    std::string text = "| option | value |\n| --- | --- |\n";
    for (const ParameterRow& row : store.parameters(run.id, run.attempts)) {
        std::string value = row.value;
        for (std::size_t at = 0; (at = value.find_first_of("|\n", at)) != std::string::npos; at += 2)
            value.replace(at, 1, value[at] == '|' ? "\\|" : "  ");
        text += "| " + row.key + " | " + value + " |\n";
    }
    return text;
}

}  // namespace

void exportTensorBoard(const Store& store, const std::string& runId, const fs::path& folder)
{
    const auto run = store.run(runId);
    if (!run)
        throw std::runtime_error("run " + runId + " is not in the index; `atelier reindex` reads all run folders again");
    if (std::error_code error; fs::exists(folder, error) && !fs::is_empty(folder, error))
        throw std::runtime_error(folder.string() + " exists and is not empty; choose a new folder");
    const auto attempts = store.attempts(runId);
    const double begin = static_cast<double>(attempts.empty() ? run->createdUnixMs : beginUnixMs(attempts.front())) / 1000;
    EventFiles files(folder, begin);
    files.at("").addText("options/text_summary", 0, begin, optionsText(store, *run));
    for (const SeriesRow& series : store.series(runId))
        addSeries(files, store, series, beginOf(attempts, series));
    addSamples(files, store, *run);
    files.finish();
}

}  // namespace storage
