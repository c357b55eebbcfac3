// The checks of preflight() for what a run reads: its model, data, initial weights and rewards.
#include "engine/contract/adapters/adapter_file.h"
#include "engine/contract/adapters/adapter_targets.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/experiment/reward_spec.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/contract/formats/safetensors_set.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/prompts/prompt_lines.h"
#include "engine/contract/run/emoji_files.h"
#include "launcher/plan/preflight_checks.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;
using Level = PreflightItem::Level;
using Kind = PreflightFix::Kind;

PreflightFix chooseFolder(const char* key, const char* label) { return {.kind = Kind::ChoosePath, .label = label, .key = key}; }

/// Paths of the layers of the transformer in @p weights whose weights are matrices.
std::vector<std::string> matricesIn(const contract::SafetensorsSet& weights)
{
    constexpr std::string_view kWeight = ".weight";
    std::vector<std::string> layers;
    for (const auto& [name, item] : weights.items()) {
        if (name.ends_with(kWeight) && item.tensor->shape.size() == 2)
            layers.push_back(name.substr(0, name.size() - kWeight.size()));
    }
    return layers;
}

/// Whether lora.targets selects any layer of the model. The ranks check it too, but only when the run exists.
PreflightItem checkAdapter(const contract::Experiment& experiment, const contract::SafetensorsSet& weights)
{
    try {
        const auto count = std::ssize(contract::matchedModules(matricesIn(weights),
            contract::AdapterTargets::ofOption(experiment.text("lora.targets")), contract::AdapterTargets::ofOption(experiment.text("lora.exclude"))));
        return {Level::Ok, "Adapter", std::to_string(count) + (count == 1 ? " layer gets an adapter" : " layers get an adapter")};
    } catch (const std::exception& error) {
        return {Level::Error, "Adapter", std::string("lora.targets: ") + error.what(),
            {{.kind = Kind::SetOptions, .label = "Adapt all linear layers", .values = {{"lora.targets", "all-linear"}, {"lora.exclude", ""}}},
                {.kind = Kind::ShowOption, .label = "Show the option", .key = "lora.targets"}}};
    }
}

/// Whether the run can begin from the adapter that lora.init_from names.
PreflightItem checkFirstAdapter(const std::string& path, const contract::SafetensorsSet& weights)
{
    try {
        const auto count = std::ssize(contract::readAdapter(path, matricesIn(weights)).layers);
        return {Level::Ok, "Adapter", std::to_string(count) + (count == 1 ? " layer gets an adapter" : " layers get an adapter")};
    } catch (const std::exception& error) {
        return {Level::Error, "Adapter", contract::sentenceOf(error),
            {{.kind = Kind::ChoosePath, .label = "Choose a file…", .key = "lora.init_from"}, {.kind = Kind::ShowOption, .label = "Show the option", .key = "lora.init_from"}}};
    }
}

std::string billions(double count)
{
    char text[48];
    if (count >= 1e9)
        std::snprintf(text, sizeof text, "%.1f billion parameters", count / 1e9);
    else if (count >= 1e7)
        std::snprintf(text, sizeof text, "%.0f million parameters", count / 1e6);
    else
        std::snprintf(text, sizeof text, "%.2f million parameters", count / 1e6);
    return text;
}

/// Returns why files cannot be made in @p folder, which need not exist yet; empty when they can.
std::string whyNotWritable(fs::path folder)
{
    std::error_code ignored;
    while (!fs::exists(folder, ignored) && folder.has_relative_path())
        folder = folder.parent_path();
    return ::access(folder.c_str(), W_OK | X_OK) == 0 ? std::string() : contract::cannotBe("written", folder, errno);
}

/// Returns why the files in @p folder cannot be read; empty when the first of them can.
std::string whyNotReadable(const fs::path& folder)
{
    std::error_code error;
    for (const fs::path& entry : contract::entriesOf(folder, error)) {
        std::error_code ignored;
        if (fs::is_regular_file(entry, ignored) && ::access(entry.c_str(), R_OK) != 0)
            return contract::cannotBe("read", entry, errno);
        if (fs::is_regular_file(entry, ignored) || fs::is_directory(entry, ignored))
            return {};
    }
    return error ? contract::cannotBe("read", folder, error.value()) : folder.string() + " is empty";
}

/// Returns why nothing in @p folder can be trained on, by the names of its files; empty when something may. Does not look at more than some
/// thousand of them: the ranks look at all.
std::string whyNoData(const fs::path& folder)
{
    constexpr int kMost = 5000;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
    std::string unread;
    for (int i = 0; i < kMost && !error && entry != fs::recursive_directory_iterator(); ++i, entry.increment(error)) {
        const fs::path& file = entry->path();
        if (contract::hasImageName(file) || contract::hasVideoName(file) || file.extension() == ".safetensors")
            return {};
        if (unread.empty() && contract::hasUnreadImageName(file))
            unread = file.filename().string();
    }
    if (error || entry != fs::recursive_directory_iterator())
        return {};
    return folder.string() + " has no images (PNG, JPEG or WebP) and no videos"
        + (unread.empty() ? std::string() : "; files such as " + contract::quotedName(unread) + " have to be saved in one of these formats");
}

PreflightItem readableFolder(const std::string& folder, const char* key)
{
    std::string problem = whyNotReadable(folder);
    if (problem.empty())
        problem = whyNoData(folder);
    if (!problem.empty())
        return {Level::Error, "Data", problem, {chooseFolder(key, "Choose a folder…")}};
    return {Level::Ok, "Data", folder + " can be read"};
}

PreflightItem checkPrompts(const std::string& file)
{
    constexpr std::uint64_t kLooked = 65536;  // the ranks read all of it
    std::string problem;
    try {
        std::string text = contract::fileBeginning(file, kLooked);
        const bool isCut = text.size() == kLooked;
        if (isCut)
            text.resize(text.rfind('\n') + 1);  // the complete lines
        if (!isCut || !contract::trimmed(text).empty())
            contract::promptsOf(text, file);
    } catch (const std::exception& error) {
        problem = error.what();
    }
    if (!problem.empty())
        return {Level::Error, "Data", problem, {{.kind = Kind::ShowOption, .label = "Show the option", .key = "rollout.prompt_file"}}};
    return {Level::Ok, "Data", file + " can be read"};
}

PreflightItem checkEmoji(const DataHome& home)
{
    const fs::path folder = contract::emojiFolder(contract::sharedCache(home.runs() / "any"));
    std::error_code ignored;
    if (fs::is_directory(folder, ignored))
        return {Level::Ok, "Data", "the emoji images are in " + folder.string()};
    if (const std::string missing = contract::describeMissingFile({}); !missing.empty())
        return {Level::Error, "Data", "the emoji images are drawn from a font, and " + missing};
    return {Level::Ok, "Data", "the emoji images will be written to " + folder.string()};
}

}  // namespace

std::vector<PreflightItem> checkModel(const contract::Experiment& experiment)
{
    if (experiment.text("model.name") != "diffusers")
        return {};
    try {
        const contract::ModelFolder folder(experiment.text("model.folder"));
        const contract::SafetensorsSet weights(folder.component(experiment.text("model.component")));
        double count = 0;
        for (const auto& [name, item] : weights.items())
            count += static_cast<double>(item.tensor->elements());
        std::vector<PreflightItem> items = {{Level::Ok, "Model", folder.className() + ", " + billions(count)}};
        if (const std::string& adapter = experiment.text("lora.init_from"); !adapter.empty())
            items.push_back(checkFirstAdapter(adapter, weights));
        else if (experiment.integer("lora.rank") > 0)
            items.push_back(checkAdapter(experiment, weights));
        return items;
    } catch (const std::exception& error) {
        return {{Level::Error, "Model", contract::sentenceOf(error), {chooseFolder("model.folder", "Choose a model…")}}};
    }
}

std::vector<PreflightItem> checkData(const DataHome& home, const contract::Experiment& experiment)
{
    if (experiment.text("model.name") == "dit")
        return {{Level::Ok, "Data", experiment.text("data.path") + " can be read"}};
    std::vector<PreflightItem> items;
    if (contract::usesPromptFile(experiment))
        items.push_back(checkPrompts(experiment.text("rollout.prompt_file")));
    else if (experiment.text("data.source") == "folder")
        items.push_back(readableFolder(experiment.text("data.folder"), "data.folder"));
    else
        items.push_back(checkEmoji(home));
    if (const std::string& prior = experiment.text("data.prior_folder"); !prior.empty())
        items.push_back(readableFolder(prior, "data.prior_folder"));
    if (const std::string& cache = experiment.text("data.cache"); !cache.empty()) {
        if (const std::string problem = whyNotWritable(cache); !problem.empty())
            items.push_back({Level::Error, "Cache", problem, {chooseFolder("data.cache", "Choose a folder…"),
                {.kind = Kind::SetOptions, .label = "Use the usual folder", .values = {{"data.cache", ""}}}}});
    }
    return items;
}

std::vector<PreflightItem> checkOrigin(const contract::Experiment& experiment)
{
    std::vector<PreflightItem> items;
    const auto check = [&](const char* what, const char* key) {
        fs::path checkpoint = experiment.text(key);
        if (checkpoint.empty())
            return;
        if (checkpoint.filename() == contract::kManifestFile)
            checkpoint = checkpoint.parent_path();
        try {
            const contract::CheckpointManifest manifest = contract::readManifest(checkpoint);
            items.push_back({Level::Ok, what, "step " + std::to_string(manifest.step) + " of run " + manifest.run});
        } catch (const std::exception& error) {
            items.push_back({Level::Error, what, contract::sentenceOf(error), {chooseFolder(key, "Choose a checkpoint…")}});
        }
    };
    check("Initial weights", "checkpoint.init_from");
    if (experiment.text("model.name") == "dit" && experiment.text("distill.mode") != "none")
        check("Teacher", "distill.teacher");
    return items;
}

std::vector<PreflightItem> checkRewards(const contract::Experiment& experiment)
{
    const bool trainsByRewards = contract::isPolicyAlgorithm(experiment.text("algorithm.name"));
    contract::Problem ignored;
    const auto rewards = contract::parseRewards(trainsByRewards ? experiment.text("reward.functions") : "", ignored);
    std::vector<PreflightItem> items;
    for (const contract::RewardSpec& reward : rewards.value_or(std::vector<contract::RewardSpec>())) {
        const std::string name = contract::inQuotes(contract::shortened(reward.target));
        switch (reward.kind) {
        case contract::RewardKind::BuiltIn:
        case contract::RewardKind::Clip:
        case contract::RewardKind::Aesthetic:
            break;
        case contract::RewardKind::Program:
            items.push_back({Level::Ok, "Rewards", name + " will be started by each rank"});
            break;
        case contract::RewardKind::Server:
        case contract::RewardKind::Judge:
            items.push_back({Level::Ok, "Rewards", "samples and their prompts will be sent to " + name});
            break;
        case contract::RewardKind::Script:
        case contract::RewardKind::Package:
            items.push_back({Level::Warning, "Rewards",
                name + " is a program, not only weights: it will run with your rights; use only files whose origin you trust"});
            break;
        }
    }
    return items;
}

}  // namespace launcher
