#include "engine/contract/experiment/options.h"

#include "engine/contract/experiment/option_tables.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace contract {
namespace {

using enum OptionType;

const std::vector<Option>& table()
{
    static const std::vector<Option> all = [] {
        std::vector<Option> tables;
        for (const auto part : {runOptions, modelOptions, promptOptions, policyOptions, forwardOptions, rewardOptions, engineOptions, optimizerOptions, resultOptions})
            std::ranges::move(part(), std::back_inserter(tables));
        return tables;
    }();
    return all;
}

/// Splits a text at its separators; an empty text has no parts.
std::vector<std::string_view> partsOf(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

/// What the training scripts of diffusers, kohya_ss and OneTrainer call an option, for those who type it here.
struct NameElsewhere {
    std::string_view name;
    std::string_view key;
};

constexpr NameElsewhere kNamesElsewhere[] = {{"steps", "run.total_steps"}, {"max_steps", "run.total_steps"}, {"max_train_steps", "run.total_steps"},
    {"learning_rate", "optim.lr"}, {"optimizer", "optim.kind"}, {"optimizer_type", "optim.kind"}, {"max_grad_norm", "optim.clip_norm"},
    {"batch_size", "batch.micro"}, {"train_batch_size", "batch.micro"}, {"gradient_accumulation_steps", "batch.accumulation"},
    {"mixed_precision", "engine.compute_dtype"}, {"gradient_checkpointing", "engine.recompute"}, {"lr_scheduler", "schedule.type"},
    {"lr_warmup_steps", "schedule.warmup_steps"}, {"network_dim", "lora.rank"}, {"network_alpha", "lora.alpha"}, {"lora_rank", "lora.rank"},
    {"lora_alpha", "lora.alpha"}, {"pretrained_model_name_or_path", "model.folder"}, {"train_data_dir", "data.folder"},
    {"instance_data_dir", "data.folder"}, {"checkpointing_steps", "checkpoint.every"}, {"save_every_n_steps", "checkpoint.every"},
    {"checkpoints_total_limit", "checkpoint.keep"}, {"validation_prompt", "sample.prompts"}, {"num_processes", "launch.ranks"},
    {"nproc_per_node", "launch.ranks"}};

}  // namespace

std::span<const Option> options() { return table(); }

std::string_view groupLabel(std::string_view group)
{
    static constexpr std::pair<std::string_view, std::string_view> kLabels[] = {{"run", "Run"},
        {"launch", "Processes"}, {"slurm", "Slurm job"}, {"model", "Model"}, {"lora", "LoRA adapter"}, {"data", "Data"},
        {"flow", "Flow matching"}, {"algorithm", "Objective"}, {"rollout", "Rollouts"}, {"reward", "Rewards"}, {"gold", "Watched reward"},
        {"advantage", "Advantages"}, {"policy", "Policy update"}, {"distill", "Distillation"},
        {"nft", "DiffusionNFT"}, {"dpo", "DPO"}, {"awm", "Advantage-weighted matching"}, {"dgpo", "DGPO"}, {"old", "Old policy"},
        {"timesteps", "Timesteps"},
        {"correction", "Rollout correction"}, {"batch", "Batch"}, {"engine", "Engine"},
        {"engine.wrap", "Engine: units"}, {"optim", "Optimizer"}, {"scaler", "Loss scaling (fp16)"},
        {"schedule", "Learning-rate schedule"}, {"ema", "Average of the weights (EMA)"},
        {"validation", "Validation"}, {"sample", "Sample images"}, {"checkpoint", "Checkpoints"}};
    const auto found = std::ranges::find(kLabels, group, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(kLabels) ? std::string_view() : found->second;
}

std::string choiceLabel(const Option& option, std::string_view choice)
{
    const auto found = std::ranges::find(option.choiceLabels, choice, &ChoiceLabel::choice);
    std::string label(found == option.choiceLabels.end() ? choice : found->label);
    if (!label.empty() && label.front() >= 'a' && label.front() <= 'z' && found == option.choiceLabels.end())
        label.front() = static_cast<char>(label.front() - 'a' + 'A');
    return label;
}

std::vector<std::string_view> conditionsOf(const Option& option) { return partsOf(option.appliesTo, '&'); }

bool isMet(std::string_view condition, std::string_view other)
{
    const auto values = partsOf(condition.substr(condition.find('=') + 1), '|');
    return std::ranges::find(values, other) != values.end();
}

const Option* findOption(std::string_view key)
{
    const auto found = std::ranges::find(table(), key, &Option::key);
    return found == table().end() ? nullptr : &*found;
}

std::string_view nearestKey(std::string_view key)
{
    constexpr std::size_t kLongest = 100;
    if (key.size() > kLongest)
        return {};
    const std::string_view typedName = key.substr(key.rfind('.') + 1);
    std::string_view best;
    // {rank of the match, edits}; the edits decide between groups that have an option of the same name.
    std::pair<std::size_t, std::size_t> bestDistance = {std::max<std::size_t>(2, key.size() / 3) + 1, 0};
    for (const Option& option : table()) {
        // The right name in the wrong group, or without a group, is closer than any misspelling.
        const bool isSameName = option.name() == typedName;
        const std::size_t edits = editDistance(key, option.key);
        const std::pair distance(isSameName ? std::size_t{1} : edits, edits);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = option.key;
        }
    }
    // What other programs call it, unless the group is misspelled only.
    const auto elsewhere = std::ranges::find(kNamesElsewhere, typedName, &NameElsewhere::name);
    if (elsewhere != std::end(kNamesElsewhere) && bestDistance > std::pair<std::size_t, std::size_t>(1, 2))
        return elsewhere->key;
    return best;
}

std::string toText(const OptionValue& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return shortestText(*real);
    return std::get<std::string>(value);
}

std::string describeRange(const Option& option)
{
    switch (option.type) {
    case Boolean:
        return "true or false";
    case Text:
        return "text";
    case FilePath:
        return "path of a file";
    case FolderPath:
        return "path of a folder";
    case Choice: {
        std::string text = "one of: ";
        for (const std::string_view choice : option.choices)
            text.append(text.ends_with(": ") ? "" : ", ").append(choice);
        return text;
    }
    case Integer:
    case Real:
        break;
    }
    std::string text = option.type == Integer ? "an integer" : "a number";
    const bool hasMinimum = std::isfinite(option.minimum);
    const bool hasMaximum = std::isfinite(option.maximum);
    if (hasMinimum && hasMaximum)
        text += " from " + shortestText(option.minimum) + " to " + shortestText(option.maximum);
    else if (hasMinimum)
        text += " of at least " + shortestText(option.minimum);
    else if (hasMaximum)
        text += " of at most " + shortestText(option.maximum);
    return text;
}

}  // namespace contract
