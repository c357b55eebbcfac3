#include "tests/storage/imported.h"

#include "engine/contract/formats/text.h"
#include "tests/paths.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

namespace tests {

namespace fs = std::filesystem;

fs::path foreignRuns() { return fs::path(ATELIER_SOURCE_DIR) / "tests/fixtures/foreign"; }

std::string contentOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& content)
{
    const auto before = fs::exists(file) ? fs::last_write_time(file) : fs::file_time_type::clock::now();
    std::ofstream(file, std::ios::binary) << content;
    fs::last_write_time(file, before + std::chrono::seconds(1));
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value); }

std::string everythingIn(const storage::Store& store)
{
    std::ostringstream text;
    for (const storage::RunRow& run : store.runs()) {
        text << run.id << " " << run.name << " " << run.project << " " << run.notes << " " << run.createdUnixMs << " " << run.lastStep << "\n";
        for (const storage::AttemptRow& attempt : store.attempts(run.id)) {
            text << attempt.number << " " << attempt.parentStep << " " << attempt.startUnixMs << "\n";
            std::map<std::string, std::string> parameters;  // an index has them in the order in which it first saw their keys
            for (const storage::ParameterRow& row : store.parameters(run.id, attempt.number))
                parameters[row.key] = row.value;
            for (const auto& [key, value] : parameters)
                text << key << "=" << value << "\n";
        }
        for (const storage::SeriesRow& series : store.series(run.id)) {
            text << series.metric << " " << series.rank << " " << series.attempt << ":";
            for (const storage::Point& point : store.points(series.id))
                text << " " << point.step << "," << contract::shortestText(point.tMs) << "," << contract::shortestText(point.value);
            text << "\n";
        }
        for (const storage::EventRow& event : store.events(run.id, 1000))
            text << event.step << " " << event.kind << " " << event.message << "\n";
        for (const storage::SampleRow& sample : store.samples(run.id))
            text << sample.step << " " << sample.prompt << " " << sample.file << "\n";
    }
    return text.str();
}

void ImportHome::importAll(const fs::path& path)
{
    const fs::path staging = root() / "staging";
    fs::create_directories(staging);
    for (const storage::ForeignRun& run : storage::findForeignRuns(path, failures)) {
        try {
            results.emplace_back(storage::importRun(run, runs(), staging), run);
            for (const std::string& problem : storage::Ingest(store).catchUp(contract::RunFolder(results.back().first.folder)).problems)
                failures.push_back(problem);
        } catch (const std::runtime_error& error) {
            failures.emplace_back(error.what());
        }
    }
}

std::string ImportHome::runCalled(const std::string& name) const
{
    for (const storage::RunRow& run : store.runs())
        if (run.name == name)
            return run.id;
    return {};
}

std::vector<storage::Point> ImportHome::points(const std::string& id, const std::string& metric, int attempt) const
{
    for (const storage::SeriesRow& series : store.series(id))
        if (series.metric == metric && series.attempt == attempt)
            return store.points(series.id);
    return {};
}

std::string ImportHome::parameter(const std::string& id, const std::string& key) const
{
    for (const storage::ParameterRow& row : store.parameters(id, 1))
        if (row.key == key)
            return row.value;
    return "(none)";
}

std::string ImportHome::leftOut(const std::string& name) const
{
    std::string joined;
    for (const auto& [result, run] : results) {
        if (result.folder != runs() / runCalled(name))
            continue;
        joined.clear();
        for (const std::string& sentence : result.leftOut)
            joined += (joined.empty() ? "" : "; ") + sentence;
    }
    return joined;
}

}  // namespace tests
