#include "tests/storage/run_home.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/text.h"

#include <cmath>
#include <fstream>
#include <random>
#include <stdexcept>

namespace fs = std::filesystem;

namespace {

/// Formats a number as a JSON value: strings for non-finite values, and zeros with their sign.
std::string jsonNumber(double value)
{
    if (!std::isfinite(value))
        return "\"" + contract::shortestText(value) + "\"";
    return value == 0 && std::signbit(value) ? "-0.0" : contract::shortestText(value);
}

}  // namespace

RunHome::RunHome() { fs::create_directories(runs()); }

contract::RunFolder RunHome::createRun(const std::string& id, int ranks) const
{
    contract::RunFolder folder(runs() / id);
    fs::create_directories(folder.journals());
    beginAttempt(folder, 1, ranks);
    return folder;
}

void beginAttempt(const contract::RunFolder& folder, int number, int ranks, std::int64_t parentStep,
    const std::vector<std::pair<std::string, std::string>>& options)
{
    contract::Experiment experiment;
    for (const auto& [key, value] : options)
        if (const auto problem = experiment.setText(key, value))
            throw std::logic_error(problem->message);
    fs::create_directories(folder.attempt(number));
    append(folder.config(number), experiment.toToml(contract::Experiment::Write::Everything));
    contract::AttemptStart start;
    start.attempt = number;
    start.startUnixMs = 1'000'000 * number;
    start.ranks = ranks;
    start.host = "box";
    start.parentStep = parentStep;
    if (parentStep > 0)
        start.parentCheckpoint = "checkpoints/step-" + std::to_string(parentStep);
    folder.writeStart(start);
}

std::string headerLine(int attempt, int rank, std::int64_t startUnixMs)
{
    return "{\"v\":1,\"run\":\"r\",\"attempt\":" + std::to_string(attempt) + ",\"rank\":" + std::to_string(rank)
        + ",\"host\":\"box\",\"t_unix_ms\":" + std::to_string(startUnixMs) + "}\n";
}

std::string stepLine(std::int64_t step, double tMs,
    const std::vector<std::pair<std::string, double>>& values, const std::string& type)
{
    std::string line = "{\"type\":\"" + type + "\",\"step\":" + std::to_string(step)
        + ",\"t_ms\":" + jsonNumber(tMs);
    for (const auto& [name, value] : values)
        line += ",\"" + name + "\":" + jsonNumber(value);
    return line + "}\n";
}

void append(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary | std::ios::app) << text;
}

std::string randomJournal(int rank, int steps, int metrics)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
    std::normal_distribution<double> normal;
    std::string text = headerLine(1, rank);
    std::vector<std::pair<std::string, double>> values;
    for (int i = 0; i < metrics; ++i)
        values.emplace_back(i == 0 ? "loss" : "metric/" + std::to_string(i), 0.0);
    for (int step = 1; step <= steps; ++step) {
        for (auto& [name, value] : values)
            value = normal(random);
        text += stepLine(step, step * 12.345, values);
    }
    return text;
}

void writeCheckpoint(const contract::RunFolder& folder, std::int64_t step, int attempt, double loss)
{
    const fs::path place = folder.checkpoint(step);
    fs::create_directories(place);
    append(place / "rank-0.safetensors", "0123456789");
    contract::CheckpointManifest manifest;
    manifest.run = folder.id();
    manifest.attempt = attempt;
    manifest.step = step;
    manifest.unixMs = 5'000'000 + step;
    manifest.metrics = {{"loss", loss}};
    manifest.fileBytes = {{"rank-0.safetensors", 10}};
    contract::writeManifest(place, manifest);
}

std::string record(const QByteArray& text) { return QByteArray(text).replace('\'', '"').toStdString() + "\n"; }

const storage::SeriesRow* findSeries(const std::vector<storage::SeriesRow>& rows, const std::string& metric, int rank, int attempt)
{
    const auto found = std::ranges::find_if(
        rows, [&](const storage::SeriesRow& row) { return row.metric == metric && row.rank == rank && row.attempt == attempt; });
    return found == rows.end() ? nullptr : &*found;
}
