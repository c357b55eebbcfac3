#include "engine/contract/experiment/slurm_rules.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace contract {
namespace {

/// Slurm's forms: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds.
bool isTimeLimit(std::string_view text)
{
    const std::size_t dash = text.find('-');
    const std::string_view rest = dash == std::string_view::npos ? text : text.substr(dash + 1);
    const auto isNumber = [](std::string_view digits) {
        return !digits.empty() && digits.size() < 9 && digits.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (dash != std::string_view::npos && !isNumber(text.substr(0, dash)))
        return false;
    int parts = 0;
    for (std::size_t begin = 0; begin <= rest.size(); ++parts) {
        const std::size_t end = std::min(rest.find(':', begin), rest.size());
        if (!isNumber(rest.substr(begin, end - begin)))
            return false;
        begin = end + 1;
    }
    return parts <= 3;
}

std::string setting(const Experiment& experiment, const char* key) { return key + (" = " + toText(experiment.value(key))); }

}  // namespace

bool isForSlurm(const Experiment& experiment) { return experiment.text("launch.target") == "slurm"; }

std::vector<Problem> slurmProblems(const Experiment& experiment)
{
    std::vector<Problem> problems;
    if (!isForSlurm(experiment))
        return problems;
    const std::int64_t ranks = experiment.integer("launch.ranks"), nodes = experiment.integer("slurm.nodes");
    const std::int64_t gpus = experiment.integer("slurm.gpus_per_node");
    if (ranks % nodes != 0)
        problems.push_back({"slurm.nodes",
            setting(experiment, "slurm.nodes") + " does not divide " + setting(experiment, "launch.ranks")
                + ": each node gets the same number of ranks", 0});
    else if (gpus > 0 && gpus != ranks / nodes)
        problems.push_back({"slurm.gpus_per_node",
            setting(experiment, "slurm.gpus_per_node") + ": each node gets " + std::to_string(ranks / nodes)
                + " of the ranks, and a rank has one GPU; set it to that number, or to 0 to train on processors", 0});
    if (!experiment.text("launch.gpus").empty())
        problems.push_back({"launch.gpus", "launch.gpus names GPUs of this machine, and the run is for Slurm: remove it", 0});
    if (const std::string& time = experiment.text("slurm.time"); !time.empty() && !isTimeLimit(time))
        problems.push_back({"slurm.time",
            "slurm.time = " + quotedText(time) + ": must be a time limit, in minutes or as in 8:00:00 or 2-12:00:00", 0});
    for (const char* key : {"slurm.partition", "slurm.account", "slurm.container", "slurm.options", "slurm.environment", "slurm.setup"}) {
        const std::string& text = experiment.text(key);
        const bool isScript = std::string_view(key) == "slurm.setup";
        const bool hasControl = std::ranges::any_of(
            text, [&](char each) { return static_cast<unsigned char>(each) < ' ' && !(isScript && (each == '\n' || each == '\t')); });
        const bool isWord = std::string_view(key) == "slurm.partition" || std::string_view(key) == "slurm.account";
        if (hasControl || (isWord && text.find_first_of(" \"'\\#") != std::string::npos))
            problems.push_back({key, key + (" = " + quotedText(text))
                    + (isWord ? ": must be a name without spaces and quotes"
                              : isScript ? ": must be text without control characters" : ": must be a single line"), 0});
    }
    return problems;
}

}  // namespace contract
