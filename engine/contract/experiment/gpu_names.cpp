#include "engine/contract/experiment/gpu_names.h"

#include "engine/contract/formats/text.h"

#include <algorithm>

namespace contract {
namespace {

constexpr char kFree[] = "free";

bool isIndex(const std::string& name) { return name.size() <= 4 && parseInteger(name).value_or(-1) >= 0; }

}  // namespace

bool wantsFreeGpus(const Experiment& experiment) { return experiment.text("launch.gpus") == kFree && experiment.text("run.device") != "cpu"; }

std::vector<std::string> namedGpus(const Experiment& experiment)
{
    const std::string& text = experiment.text("launch.gpus");
    std::vector<std::string> names;
    if (text.empty() || text == kFree || experiment.text("run.device") == "cpu")
        return names;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string name = text.substr(begin, end - begin);
        std::erase(name, ' ');
        names.push_back(name);
        begin = end + 1;
    }
    return names;
}

std::vector<Problem> gpuProblems(const Experiment& experiment)
{
    const std::vector<std::string> names = namedGpus(experiment);
    if (names.empty())
        return {};
    const std::string start = "launch.gpus = " + quotedText(experiment.text("launch.gpus")) + ": ";
    for (const std::string& name : names) {
        if (name == kFree)
            return {{"launch.gpus", start + "free stands alone; the ranks get as many free GPUs as there are ranks", 0}};
        if (!isIndex(name) && !name.starts_with("GPU-") && !name.starts_with("MIG-"))
            return {{"launch.gpus", start + quotedText(name) + " is neither the index nor the UUID of a GPU; `atelier doctor` shows them", 0}};
        if (std::ranges::count(names, name) > 1)
            return {{"launch.gpus", start + name + " is named twice; each rank needs a GPU of its own", 0}};
    }
    const auto ranks = static_cast<std::size_t>(experiment.integer("launch.ranks"));
    if (names.size() == ranks)
        return {};
    return {{"launch.gpus", start + "names " + std::to_string(names.size()) + (names.size() == 1 ? " GPU" : " GPUs") + " for launch.ranks = "
                + std::to_string(ranks) + "; name one for each rank", 0}};
}

}  // namespace contract
