#include "engine/checkpoint/load_report.h"

#include "engine/checkpoint/rank_file.h"

#include <algorithm>
#include <map>

namespace engine {
namespace {

std::string kindOf(const std::string& name) { return name.substr(0, name.find('/')); }

void addNames(std::string& sentence, const char* what, const std::set<std::string>& names)
{
    constexpr std::size_t kShown = 5;
    if (names.empty())
        return;
    sentence += (sentence.empty() ? "" : "; ") + std::string(what) + " ";
    std::size_t shown = 0;
    for (auto name = names.begin(); name != names.end() && shown < kShown; ++name, ++shown)
        sentence += (shown > 0 ? ", " : "") + *name;
    if (names.size() > kShown)
        sentence += " and " + std::to_string(names.size() - kShown) + " more";
}

}  // namespace

std::string LoadReport::sentence() const
{
    std::string sentence;
    addNames(sentence, "lacks", missing);
    addNames(sentence, "holds in another shape or dtype", mismatched);
    addNames(sentence, "holds without use for it", unexpected);
    return sentence;
}

LoadReport compareNames(const contract::CheckpointManifest& stored, const contract::CheckpointManifest& wanted)
{
    LoadReport report;
    std::set<std::string> storedKinds, wantedKinds;
    std::map<std::string, const contract::TensorEntry*> entries;
    for (const contract::TensorEntry& entry : stored.tensors) {
        entries.emplace(entry.name, &entry);
        storedKinds.insert(kindOf(entry.name));
    }
    const auto namesIn = [](const contract::CheckpointManifest& manifest) {
        std::set<std::string> names;
        for (const contract::TensorEntry& entry : manifest.tensors)
            names.insert(entry.name);
        return names;
    };
    // What does not train has no average: where it trained before, or trains from now on, only one of the two has it.
    const std::set<std::string> storedNames = namesIn(stored), wantedNames = namesIn(wanted);
    const auto isAverageIn = [](const std::set<std::string>& names, const std::string& name) {
        return kindOf(name) == "ema" && names.contains("model" + name.substr(3));
    };
    for (const contract::TensorEntry& entry : wanted.tensors) {
        const std::string kind = kindOf(entry.name);
        wantedKinds.insert(kind);
        const auto found = entries.find(entry.name);
        if (found != entries.end()) {
            if (found->second->shape != entry.shape || found->second->dtype != entry.dtype)
                report.mismatched.insert(entry.name);
            entries.erase(found);
        } else if (kind == "model" || (storedKinds.contains(kind) && !isAverageIn(storedNames, entry.name))) {
            report.missing.insert(entry.name);
        } else if (!storedKinds.contains(kind)) {
            report.absentKinds.insert(kind);
        }
    }
    // An average that is not kept is left out on purpose, and so is the optimizer of who wants weights only.
    const bool wantsOptimizer = !std::ranges::all_of(wantedKinds, isOfWeights);
    for (const auto& [name, entry] : entries) {
        const std::string kind = kindOf(name);
        const bool isLeftOut = isOfWeights(kind)
            ? kind == "ema" && (!wantedKinds.contains(kind) || isAverageIn(wantedNames, name))
            : !wantsOptimizer;
        if (!isLeftOut)
            report.unexpected.insert(name);
    }
    return report;
}

}  // namespace engine
