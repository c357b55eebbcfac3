// What an experiment's options must have in common, and the files that must be there.
#include "engine/contract/batch_shape.h"
#include "engine/contract/experiment.h"
#include "engine/contract/mesh_shape.h"
#include "engine/contract/step_range.h"
#include "engine/contract/text.h"
#include "engine/contract/unit_selection.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <tuple>

namespace contract {
namespace {

/// What the digits ask of the model.
void checkDigits(const Experiment& experiment, std::vector<Problem>& problems)
{
    const auto& path = experiment.text("data.path");
    std::error_code error;
    if (path.empty())
        problems.push_back({"data.path", "data.path is not set: name the file to train on", 0});
    else if (!std::filesystem::is_regular_file(path, error))
        problems.push_back({"data.path", "data.path = " + inQuotes(path) + ": no such file", 0});
    else if (std::ifstream file(path, std::ios::binary); !file)
        problems.push_back(
            {"data.path", "data.path = " + inQuotes(path) + ": " + std::strerror(errno), 0});
}

/// Of a transformer from nothing.
void checkShape(const Experiment& experiment, std::vector<Problem>& problems)
{
    if (experiment.integer("model.width") % (2 * experiment.integer("model.heads")) != 0)
        problems.push_back({"model.width",
            "model.width = " + std::to_string(experiment.integer("model.width"))
                + ": must be a multiple of twice model.heads = "
                + std::to_string(experiment.integer("model.heads")),
            0});
    if (experiment.integer("model.heads") % experiment.integer("engine.ulysses") != 0)
        problems.push_back({"engine.ulysses",
            "engine.ulysses = " + std::to_string(experiment.integer("engine.ulysses")) + " does not divide model.heads = "
                + std::to_string(experiment.integer("model.heads")) + ": take a number that does",
            0});
}

void checkFolders(const Experiment& experiment, std::vector<Problem>& problems)
{
    const bool isNew = experiment.text("model.name") == "sd3";
    const bool takesFolder = experiment.text("data.source") == "folder";
    const std::tuple<const char*, const char*, bool> folders[] = {{"model.folder", "name the folder of a diffusers pipeline", !isNew},
        {"data.folder", "name the folder of pictures to train on", takesFolder}};
    for (const auto& [key, advice, isNeeded] : folders) {
        if (!isNeeded)
            continue;
        std::error_code error;
        if (experiment.text(key).empty())
            problems.push_back({key, std::string(key) + " is not set: " + advice, 0});
        else if (!std::filesystem::is_directory(experiment.text(key), error))
            problems.push_back({key, std::string(key) + " = " + inQuotes(experiment.text(key)) + ": no such folder", 0});
    }
    if (const std::string& prior = experiment.text("data.prior_folder"); !prior.empty() && !std::filesystem::is_directory(prior))
        problems.push_back({"data.prior_folder", "data.prior_folder = " + inQuotes(prior) + ": no such folder", 0});
    if (experiment.integer("data.resolution") % 16 != 0)
        problems.push_back({"data.resolution", "data.resolution = " + std::to_string(experiment.integer("data.resolution")) + ": must be a multiple of 16", 0});
    if (isNew && 16 % experiment.integer("model.patch") != 0)
        problems.push_back({"model.patch", "model.patch = " + std::to_string(experiment.integer("model.patch")) + ": must be 1, 2, 4, 8 or 16", 0});
    if (isNew && experiment.integer("lora.rank") > 0)
        problems.push_back({"lora.rank", "lora.rank: a model that begins from nothing trains whole; leave it 0", 0});
}

/// What an adapter asks of the rest.
void checkAdapter(const Experiment& experiment, std::vector<Problem>& problems)
{
    if (experiment.integer("lora.rank") == 0 && experiment.text("lora.init_from").empty())
        return;
    if (experiment.text("model.trainable") != "all")
        problems.push_back({"model.trainable",
            "model.trainable = " + inQuotes(experiment.text("model.trainable")) + ": an adapter trains alone; leave it at all, or set lora.rank = 0", 0});
    const bool isNew = experiment.text("lora.init_from").empty();
    if (const std::int64_t rank = experiment.integer("lora.rank"); isNew && experiment.text("lora.init") == "orthogonal" && rank % 2 != 0)
        problems.push_back({"lora.rank", "lora.rank = " + std::to_string(rank) + ": must be even for lora.init = \"orthogonal\"", 0});
    if (experiment.real("lora.dropout") > 0 && experiment.integer("engine.ulysses") * experiment.integer("engine.ring") > 1)
        problems.push_back({"lora.dropout",
            "lora.dropout = " + shortestText(experiment.real("lora.dropout"))
                + ": tokens that lie on several ranks would be left out alike; set it to 0, or engine.ulysses and engine.ring to 1", 0});
}

}  // namespace

std::vector<Problem> Experiment::validate() const
{
    std::vector<Problem> problems;
    if (text("model.name") == "dit") {
        checkDigits(*this, problems);
    } else {
        checkFolders(*this, problems);
        checkAdapter(*this, problems);
    }
    if (text("model.name") != "diffusers")
        checkShape(*this, problems);
    std::optional<Problem> problem;
    const MeshShape shape = meshShape(*this, static_cast<int>(integer("launch.ranks")), problem);
    if (!problem)
        accumulationSteps(*this, shape.data(), problem);
    if (problem)
        problems.push_back(*problem);
    for (const char* key : {"engine.recompute", "engine.keep_gathered", "engine.fp32_blocks"}) {
        if (!UnitSelection::parse(text(key)))
            problems.push_back({key, key + (" = " + inQuotes(text(key)))
                    + ": must be none, all, every N or names of blocks, as in blocks.0, blocks.1*", 0});
    }
    const std::string& profiled = text("run.profile_steps");
    if (!profiled.empty() && !parseStepRange(profiled))
        problems.push_back({"run.profile_steps",
            "run.profile_steps = " + inQuotes(profiled) + ": must be a range of steps from 1 on, as in 10..15", 0});
    if (text("run.name").empty() || text("run.name").size() > 100)
        problems.push_back({"run.name", "run.name: must have 1 to 100 characters", 0});
    return problems;
}

}  // namespace contract
