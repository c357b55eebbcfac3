#include "engine/weights/load_report.h"

#include "engine/contract/formats/text.h"

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
        sentence += (shown > 0 ? ", " : "") + contract::escapedBytes(contract::shortened(*name));
    if (names.size() > kShown)
        sentence += " and " + std::to_string(names.size() - kShown) + " more";
}

}  // namespace

std::string LoadReport::sentence() const
{
    std::string sentence;
    addNames(sentence, "lacks", missing);
    addNames(sentence, "has with another shape or dtype:", mismatched);
    addNames(sentence, "has unexpected", unexpected);
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
    // Only trained parameters have an EMA. One that is trained in only one of the two has its EMA only there.
    const std::set<std::string> storedNames = namesIn(stored), wantedNames = namesIn(wanted);
    const auto isEmaOfKnownWeight = [](const std::set<std::string>& names, const std::string& name) {
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
        } else if (kind == "model" || (storedKinds.contains(kind) && !isEmaOfKnownWeight(storedNames, entry.name))) {
            report.missing.insert(entry.name);
        } else if (!storedKinds.contains(kind)) {
            report.absentKinds.insert(kind);
        }
    }
    // Skipped on purpose, so not unexpected: an EMA that the model does not keep, and optimizer state where only weights are
    // loaded.
    const bool wantsOptimizer = !std::ranges::all_of(wantedKinds, contract::isWeightsKind);
    for (const auto& [name, entry] : entries) {
        const std::string kind = kindOf(name);
        const bool isSkipped = contract::isWeightsKind(kind)
            ? kind == "ema" && (!wantedKinds.contains(kind) || isEmaOfKnownWeight(wantedNames, name))
            : !wantsOptimizer;
        if (!isSkipped)
            report.unexpected.insert(name);
    }
    return report;
}

}  // namespace engine
