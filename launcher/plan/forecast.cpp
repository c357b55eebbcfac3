#include "launcher/plan/forecast.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/emoji_files.h"
#include "launcher/base/folders.h"
#include "launcher/base/program_path.h"
#include "launcher/home/checkpoint_sizes.h"
#include "launcher/machine/gpus.h"
#include "launcher/ranks/worker_job.h"

#include <nlohmann/json.hpp>

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

/// A new folder that is removed at the end.
class ScratchFolder {
public:
    explicit ScratchFolder(const fs::path& parent)
    {
        createFolder(parent);
        std::string name = (parent / "plan-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw std::runtime_error(contract::cannotBe("created", parent / "plan", errno));
        m_path = name;
    }
    ~ScratchFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

/// The disk on which @p path lies, or will lie.
std::optional<dev_t> diskOf(fs::path path)
{
    struct stat facts {};
    for (path = fs::absolute(path); ::stat(path.c_str(), &facts) != 0; path = path.parent_path()) {
        if (path == path.parent_path())
            return std::nullopt;
    }
    return facts.st_dev;
}

/// The last line that the worker prints for the experiment.
std::string planOf(const DataHome& home, const fs::path& scratch, const contract::Experiment& experiment)
{
    const fs::path file = scratch / "experiment.toml";
    contract::writeFileAtomically(file, experiment.toToml(contract::Experiment::Write::ChangedOnly));
    std::string plan;
    const std::string problem
        = runWorkers({.worker = programPath("atelier-worker"), .arguments = {"--plan", file.string(), "--cache", contract::sharedCache(home.runs() / "any").string()}}, [&](const std::string& line) {
              if (!line.empty())
                  plan = line;
          });
    if (!problem.empty())
        throw std::runtime_error(problem);
    return plan;
}

/// The free memory of the GPU with the least among those that ranks may get: those that are chosen, else the first.
std::int64_t freeOnGpus(const contract::Experiment& experiment)
{
    std::vector<Gpu> gpus = readGpus().gpus;
    std::vector<std::string> uuids;
    for (const Gpu& gpu : gpus)
        uuids.push_back(gpu.uuid);
    const std::vector<std::string> chosen = chosenGpus(experiment, uuids);
    std::erase_if(gpus, [&](const Gpu& gpu) { return chosen.empty() ? !gpu.isVisible : std::ranges::find(chosen, gpu.uuid) == chosen.end(); });
    if (static_cast<std::int64_t>(gpus.size()) > experiment.integer("launch.ranks"))
        gpus.resize(static_cast<std::size_t>(experiment.integer("launch.ranks")));
    const auto least = std::ranges::min_element(gpus, {}, &Gpu::freeBytes);
    return least == gpus.end() ? 0 : static_cast<std::int64_t>(least->freeBytes);
}

std::int64_t bytesFrom(const nlohmann::json& json)
{
    constexpr std::int64_t kMost = 1'000'000'000'000'000;  // the sum of all parts stays a number
    return std::clamp<std::int64_t>(json, 0, kMost);
}

std::int64_t checkpointsAtTheEnd(const contract::Experiment& experiment, std::int64_t checkpointBytes)
{
    constexpr double kMostBytes = 9e18;  // fit into a number
    double kept = std::min(kMostBytes / static_cast<double>(std::max<std::int64_t>(1, checkpointBytes)), checkpointsKept(experiment));
    if (const double limit = experiment.real("checkpoint.max_gb") * 1e9; limit > 0 && checkpointBytes > 0)
        kept = std::min(kept, std::max(1.0, std::floor(limit / static_cast<double>(checkpointBytes))));
    return static_cast<std::int64_t>(kept);
}

/// @param plan what a worker says of the experiment. @throws nlohmann::json::exception.
Forecast parsed(const std::string& plan, const contract::Experiment& experiment)
{
    constexpr std::size_t kMostParts = 100;
    const auto json = contract::parsedJson(plan);
    Forecast forecast;
    forecast.isOnGpus = json.at("device") == "cuda";
    forecast.ranks = std::max<std::int64_t>(1, json.at("ranks"));
    forecast.parameters = json.at("parameters");
    forecast.trained = json.at("trained");
    for (const auto& part : json.at("parts")) {
        if (forecast.parts.size() < kMostParts)
            forecast.parts.push_back({part.at("name"), bytesFrom(part.at("bytes")), part.at("host")});
    }
    forecast.knowsActivations = json.at("activations_known");
    forecast.freeBytes = json.at("available_bytes").get<std::int64_t>() / forecast.ranks;
    forecast.checkpointBytes = bytesFrom(json.at("checkpoint_bytes"));
    forecast.checkpoints = checkpointsAtTheEnd(experiment, forecast.checkpointBytes);
    forecast.sampleBytes = json.contains("sample_bytes") ? bytesFrom(json["sample_bytes"]) : 0;  // a run of an earlier version has none
    forecast.cacheBytes = json.contains("cache_bytes") ? bytesFrom(json["cache_bytes"]) : 0;
    return forecast;
}

}  // namespace

std::int64_t Forecast::rankBytes() const
{
    std::int64_t bytes = 0;
    for (const Part& part : parts)
        bytes += part.isOnHost ? 0 : part.bytes;
    return bytes;
}

std::int64_t Forecast::checkpointCopyBytes() const
{
    const auto copy = std::ranges::find(parts, "checkpoint", &Part::name);
    return copy == parts.end() || copy->isOnHost ? 0 : copy->bytes;
}

std::string meaningOf(const std::string& name)
{
    static const std::map<std::string, std::string> meanings = {{"program", "the program, its libraries and small data sets"},
        {"parameters", "this rank's part of the weights"}, {"average", "this rank's part of their moving average"},
        {"gradients", "summed gradients with memory of their own"}, {"optimizer", "this rank's part of the optimizer's states"},
        {"buffers", "weights gathered for a pass, and gradients before they are summed"}, {"activations", "values of a pass that backward needs"},
        {"encoding", "what encoding new data takes beyond training, before it"},
        {"features", "encoded data, kept after it is first read"},
        {"checkpoint", "copy from which a checkpoint is written"}};
    const auto found = meanings.find(name);
    return found == meanings.end() ? std::string() : found->second;
}

Forecast forecast(const DataHome& home, const contract::Experiment& experiment)
{
    const ScratchFolder scratch(home.cache);
    std::string plan;
    try {
        plan = planOf(home, scratch.path(), experiment);
        Forecast result = parsed(plan, experiment);
        if (result.isOnGpus)
            result.freeBytes = freeOnGpus(experiment);
        const std::string& cache = experiment.text("data.cache");
        result.isCacheElsewhere = !cache.empty() && diskOf(cache) != diskOf(home.data);
        std::error_code error;
        const fs::space_info space = fs::space(home.data, error);
        result.freeDisk = error ? 0 : static_cast<std::int64_t>(space.available);
        return result;
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error("the worker program " + programPath("atelier-worker") + " does not answer as this version expects; build or install it again");
    } catch (const std::system_error& error) {
        throw std::runtime_error(contract::cannotBe("written", scratch.path(), error.code().value()));
    }
}

std::optional<Forecast> readForecast(const contract::RunFolder& folder, int attempt)
{
    constexpr std::uint64_t kLongest = 1 << 20;
    try {
        const auto text = contract::fileContentIfAny(folder.attempt(attempt) / "forecast.json", kLongest, contract::Links::Refuse);
        return text ? std::optional(parsed(*text, contract::experimentOf(folder, attempt))) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace launcher
