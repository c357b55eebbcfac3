#include "engine/contract/options.h"

#include "engine/contract/text.h"

#include <algorithm>
#include <cmath>

namespace contract {
namespace {

using enum OptionType;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

constexpr Spelling kDtypes[] = {
    {"bfloat16", "bf16"}, {"float16", "fp16"}, {"16", "fp16"}, {"float32", "fp32"}, {"32", "fp32"}};

const std::vector<Option>& table()
{
    static const std::vector<Option> all = {
        {.key = "run.name", .type = Text, .defaultValue = "run",
            .help = "Name of the run; the folder's name starts with it"},
        {.key = "run.project", .type = Text, .defaultValue = "",
            .help = "Project that the run belongs to in the runs table"},
        {.key = "run.total_steps", .type = Integer, .defaultValue = std::int64_t{1000},
            .help = "Optimizer steps to train for, skipped ones included", .unit = "steps",
            .minimum = 1, .maximum = 1e12},
        {.key = "run.seed", .type = Integer, .defaultValue = std::int64_t{42},
            .help = "Seed of weights, data order, noise and samples", .minimum = 0, .maximum = 2147483647},
        {.key = "run.deterministic", .type = Boolean, .defaultValue = false,
            .help = "Make two runs of the same experiment equal bit for bit"},
        {.key = "run.device", .type = Choice, .defaultValue = "auto",
            .help = "Where ranks compute; auto takes CUDA when there is a GPU for every rank",
            .choices = {"auto", "cpu", "cuda"}},
        {.key = "run.threads", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "CPU threads of each rank; 0 divides the cores among the ranks", .unit = "threads",
            .minimum = 0, .maximum = 1024, .isAdvanced = true},
        {.key = "run.profile_steps", .type = Text, .defaultValue = "",
            .help = "Steps to profile, as in 10..15: a Chrome trace of each rank in the run's profile folder",
            .isAdvanced = true},
        {.key = "run.peak_tflops", .type = Real, .defaultValue = 0.0,
            .help = "Peak of a rank's device in the compute dtype, for MFU; 0 takes the data sheet's of known GPUs",
            .unit = "TFLOP/s", .minimum = 0, .maximum = 1e6, .isAdvanced = true},

        {.key = "launch.ranks", .type = Integer, .defaultValue = std::int64_t{2},
            .help = "Training processes to start", .unit = "processes", .minimum = 1, .maximum = 1024},
        {.key = "launch.timeout", .type = Integer, .defaultValue = std::int64_t{600},
            .help = "A collective that waits longer than this ends the run", .unit = "s",
            .minimum = 5, .maximum = 86400, .isAdvanced = true},
        {.key = "launch.stall_after", .type = Integer, .defaultValue = std::int64_t{60},
            .help = "A run without a record for this long (and ten median steps) is shown as stalled",
            .unit = "s", .minimum = 5, .maximum = 86400, .isAdvanced = true},

        {.key = "data.path", .type = FilePath, .defaultValue = "",
            .help = "Training data: a gzipped CSV of 64 pixels and a label a line"},
        {.key = "data.validation_fraction", .type = Real, .defaultValue = 0.1,
            .help = "Part of the data that is held out for the validation loss",
            .minimum = 0, .maximum = 0.5},

        {.key = "model.name", .type = Choice, .defaultValue = "dit",
            .help = "Architecture: dit is a class-conditional diffusion transformer",
            .choices = {"dit"}},
        {.key = "model.patch", .type = Integer, .defaultValue = std::int64_t{2},
            .help = "Edge of the square of pixels that becomes one token", .unit = "px",
            .minimum = 1, .maximum = 64, .appliesTo = "model.name=dit"},
        {.key = "model.width", .type = Integer, .defaultValue = std::int64_t{128},
            .help = "Width of the transformer; a multiple of model.heads", .minimum = 8, .maximum = 16384,
            .appliesTo = "model.name=dit"},
        {.key = "model.depth", .type = Integer, .defaultValue = std::int64_t{6},
            .help = "Number of transformer blocks", .unit = "blocks", .minimum = 1, .maximum = 512,
            .appliesTo = "model.name=dit"},
        {.key = "model.heads", .type = Integer, .defaultValue = std::int64_t{4},
            .help = "Attention heads", .minimum = 1, .maximum = 256, .appliesTo = "model.name=dit"},
        {.key = "model.label_dropout", .type = Real, .defaultValue = 0.1,
            .help = "Part of the labels dropped, so that guidance can be used", .minimum = 0, .maximum = 1,
            .appliesTo = "model.name=dit"},
        {.key = "model.trainable", .type = Text, .defaultValue = "all",
            .help = "Parameters that train, all or names with commas between in which * stands for anything, as in "
                    "blocks.*.qkv.*; the others stay as they are",
            .isAdvanced = true},

        {.key = "algorithm.name", .type = Choice, .defaultValue = "flow_matching",
            .help = "Objective: flow_matching regresses the velocity noise - clean",
            .choices = {"flow_matching"}},

        {.key = "batch.micro", .type = Integer, .defaultValue = std::int64_t{32},
            .help = "Samples per rank and forward pass", .unit = "samples", .minimum = 1,
            .maximum = 1048576},
        {.key = "batch.accumulation", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Forward and backward passes whose gradients make one step", .unit = "passes",
            .minimum = 1, .maximum = 65536},
        {.key = "batch.global", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Samples of a step over all ranks, in as many passes as that takes; 0 goes by batch.accumulation",
            .unit = "samples", .minimum = 0, .maximum = 1e9, .isAdvanced = true},

        {.key = "engine.compute_dtype", .type = Choice, .defaultValue = "bf16",
            .help = "Dtype of gathered parameters and activations; masters are always fp32; fp16 is for GPUs",
            .choices = {"fp32", "bf16", "fp16"}, .spellings = kDtypes},
        {.key = "engine.reduce_dtype", .type = Choice, .defaultValue = "fp32",
            .help = "Dtype in which gradients travel between ranks", .choices = {"fp32", "bf16"},
            .spellings = kDtypes, .isAdvanced = true},
        {.key = "engine.reshard_after_forward", .type = Boolean, .defaultValue = true,
            .help = "Free gathered parameters after forward and gather them again for backward"},
        {.key = "engine.reshard_group", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Ranks (of one host, say) that keep the parameters among them after forward, so that backward "
                    "gathers from them only; 0 keeps nothing",
            .unit = "ranks", .minimum = 0, .maximum = 1024, .appliesTo = "engine.reshard_after_forward=true",
            .isAdvanced = true},
        {.key = "engine.prefetch", .type = Boolean, .defaultValue = true,
            .help = "Gather the next unit while the present one computes", .isAdvanced = true},

        {.key = "engine.shard_size", .type = Text, .defaultValue = "all",
            .help = "Ranks that hold the model once, in shards: all, auto or a number; the others hold copies",
            .isAdvanced = true},
        {.key = "engine.ulysses", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Sequence parallelism: ranks that share a sample and exchange heads for tokens",
            .unit = "ranks", .minimum = 1, .maximum = 1024, .isAdvanced = true},
        {.key = "engine.ring", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Sequence parallelism: ranks (or groups of Ulysses ranks) that pass keys and values round",
            .unit = "ranks", .minimum = 1, .maximum = 1024, .isAdvanced = true},
        {.key = "engine.reduce_each_pass", .type = Boolean, .defaultValue = true,
            .help = "Reduce gradients after each pass; off: after the last one only, with whole fp32 gradients in memory",
            .isAdvanced = true},
        {.key = "engine.exchange", .type = Choice, .defaultValue = "auto",
            .help = "How ranks on CPU exchange: auto shares memory on one host and uses Gloo across hosts",
            .choices = {"auto", "shared", "gloo"}, .isAdvanced = true},
        {.key = "engine.recompute", .type = Text, .defaultValue = "none",
            .help = "Activation checkpointing: blocks that keep nothing of forward and compute it again; none, all, every N "
                    "or names, as in blocks.0, blocks.1*",
            .isAdvanced = true},
        {.key = "engine.keep_gathered", .type = Text, .defaultValue = "none",
            .help = "Blocks whose parameters stay gathered after forward all the same; none, all, every N or names",
            .appliesTo = "engine.reshard_after_forward=true", .isAdvanced = true},
        {.key = "engine.fp32_blocks", .type = Text, .defaultValue = "none",
            .help = "Blocks that compute in fp32 whatever engine.compute_dtype is; none, all, every N or names",
            .isAdvanced = true},
        {.key = "engine.offload", .type = Choice, .defaultValue = "none",
            .help = "What lies in host memory instead of the GPU's: the optimizer's states outside training, all that is "
                    "idle, or the shards for good (then the CPU updates the weights); on CPU nothing to do",
            .choices = {"none", "optimizer", "idle", "shards"}, .isAdvanced = true},
        {.key = "engine.wrap.min_params", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Blocks in a row are gathered, and recomputed, together until they have so many parameters; 0: each by itself",
            .unit = "parameters", .minimum = 0, .maximum = 1e12, .isAdvanced = true},
        {.key = "engine.wrap.keep_in_root", .type = Text, .defaultValue = "",
            .help = "Blocks that stay gathered from forward to backward, names with commas between in which * stands for "
                    "anything, as in blocks.0, blocks.1*; * makes the whole model one unit",
            .isAdvanced = true},

        {.key = "optim.kind", .type = Choice, .defaultValue = "adamw",
            .help = "Optimizer: adamw8bit keeps its moments in 8 bits, muon orthogonalises the blocks' matrices",
            .choices = {"adamw", "adamw8bit", "muon"}},
        {.key = "optim.momentum", .type = Real, .defaultValue = 0.95,
            .help = "Muon: decay of the momentum; what is not a matrix of a block is left to AdamW", .minimum = 0,
            .maximum = 0.999999, .appliesTo = "optim.kind=muon"},
        {.key = "optim.lr", .type = Real, .defaultValue = 1e-3, .help = "Peak learning rate",
            .minimum = 0, .maximum = 100},
        {.key = "optim.beta1", .type = Real, .defaultValue = 0.9,
            .help = "AdamW: decay of the first moment", .minimum = 0, .maximum = 0.999999},
        {.key = "optim.beta2", .type = Real, .defaultValue = 0.999,
            .help = "AdamW: decay of the second moment", .minimum = 0, .maximum = 0.99999999},
        {.key = "optim.eps", .type = Real, .defaultValue = 1e-8,
            .help = "AdamW: added to the denominator", .minimum = 0, .maximum = 1, .isAdvanced = true},
        {.key = "optim.weight_decay", .type = Real, .defaultValue = 0.01,
            .help = "AdamW: decoupled weight decay; norms and biases are not decayed", .minimum = 0,
            .maximum = 10},
        {.key = "optim.clip_norm", .type = Real, .defaultValue = 1.0,
            .help = "Largest global gradient norm; 0 switches clipping off", .minimum = 0,
            .maximum = kUnlimited},

        {.key = "scaler.initial", .type = Real, .defaultValue = 65536.0,
            .help = "fp16: factor of the loss that keeps small gradients in range", .minimum = 1e-6, .maximum = 1e12,
            .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.growth", .type = Real, .defaultValue = 2.0,
            .help = "fp16: the factor grows by so much after growth_interval steps without overflow", .minimum = 1,
            .maximum = 1024, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.backoff", .type = Real, .defaultValue = 0.5,
            .help = "fp16: the factor shrinks to so much of itself at overflows", .minimum = 1e-6, .maximum = 1,
            .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.growth_interval", .type = Integer, .defaultValue = std::int64_t{1000},
            .help = "fp16: steps in a row without overflow before the factor grows", .unit = "steps", .minimum = 1,
            .maximum = 1e12, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.hysteresis", .type = Integer, .defaultValue = std::int64_t{2},
            .help = "fp16: overflows since the last growth from which on the factor shrinks", .unit = "overflows",
            .minimum = 0, .maximum = 1e6, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.min", .type = Real, .defaultValue = 1.0, .help = "fp16: least factor", .minimum = 1e-6,
            .maximum = 1e12, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.max", .type = Real, .defaultValue = 16777216.0, .help = "fp16: largest factor", .minimum = 1e-6,
            .maximum = 1e12, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},

        {.key = "schedule.type", .type = Choice, .defaultValue = "constant",
            .help = "Learning rate after warm-up; wsd stays and falls at the end",
            .choices = {"constant", "cosine", "linear", "wsd"}},
        {.key = "schedule.warmup_steps", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Steps in which the learning rate rises from 0", .unit = "steps", .minimum = 0,
            .maximum = 1e12},
        {.key = "schedule.warmup_ratio", .type = Real, .defaultValue = 0.0,
            .help = "Warm-up as a part of all steps, where warmup_steps is 0", .minimum = 0, .maximum = 1},
        {.key = "schedule.initial_ratio", .type = Real, .defaultValue = 0.0,
            .help = "Learning rate that the warm-up begins with, as a part of the peak", .minimum = 0,
            .maximum = 1, .isAdvanced = true},
        {.key = "schedule.min_ratio", .type = Real, .defaultValue = 0.0,
            .help = "Learning rate at the end as a part of the peak", .minimum = 0, .maximum = 1,
            .appliesTo = "schedule.type=cosine|linear|wsd"},
        {.key = "schedule.cycles", .type = Real, .defaultValue = 0.5,
            .help = "Waves of the cosine; 0.5 falls once", .minimum = 0, .maximum = 1000,
            .appliesTo = "schedule.type=cosine", .isAdvanced = true},
        {.key = "schedule.decay_ratio", .type = Real, .defaultValue = 0.1,
            .help = "Part of all steps, the last ones, in which the learning rate falls", .minimum = 0,
            .maximum = 1, .appliesTo = "schedule.type=wsd"},

        {.key = "ema.decay", .type = Real, .defaultValue = 0.999,
            .help = "Decay of the weights' moving average; 0 keeps none", .minimum = 0, .maximum = 0.9999999},
        {.key = "ema.use", .type = Boolean, .defaultValue = true,
            .help = "Samples and validation use the average where there is one; off: the weights themselves"},

        {.key = "validation.every", .type = Integer, .defaultValue = std::int64_t{100},
            .help = "Steps between validation losses; 0 never", .unit = "steps", .minimum = 0,
            .maximum = 1e12},

        {.key = "sample.every", .type = Integer, .defaultValue = std::int64_t{200},
            .help = "Steps between sample pictures; 0 only at the end", .unit = "steps", .minimum = 0,
            .maximum = 1e12},
        {.key = "sample.steps", .type = Integer, .defaultValue = std::int64_t{30},
            .help = "Euler steps from noise to picture", .unit = "steps", .minimum = 1, .maximum = 1000},
        {.key = "sample.guidance", .type = Real, .defaultValue = 2.0,
            .help = "Classifier-free guidance scale; 1 is off", .minimum = 0, .maximum = 100},
        {.key = "sample.per_label", .type = Integer, .defaultValue = std::int64_t{4},
            .help = "Pictures of each label in the grid", .unit = "pictures", .minimum = 1,
            .maximum = 64},
        {.key = "sample.judge", .type = Integer, .defaultValue = std::int64_t{200},
            .help = "Samples that a classifier trained on the real data judges at the end; 0 none",
            .unit = "samples", .minimum = 0, .maximum = 100000},

        {.key = "checkpoint.every", .type = Integer, .defaultValue = std::int64_t{500},
            .help = "Steps between checkpoints; 0 only at the end", .unit = "steps", .minimum = 0,
            .maximum = 1e12},
        {.key = "checkpoint.keep", .type = Integer, .defaultValue = std::int64_t{3},
            .help = "Newest checkpoints to keep; older ones are removed, pinned ones stay", .minimum = 1,
            .maximum = 1000000},
        {.key = "checkpoint.keep_every", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Keep the checkpoints of every n-th step as well; 0 none", .unit = "steps", .minimum = 0,
            .maximum = 1e12, .isAdvanced = true},
        {.key = "checkpoint.keep_best", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Keep the best ones by checkpoint.best_metric as well; 0 none", .minimum = 0,
            .maximum = 1000000, .isAdvanced = true},
        {.key = "checkpoint.best_metric", .type = Text, .defaultValue = "validation/loss",
            .help = "Metric by which checkpoints are the best, as last measured before them", .isAdvanced = true},
        {.key = "checkpoint.best_is", .type = Choice, .defaultValue = "lowest",
            .help = "Which value of checkpoint.best_metric is the best", .choices = {"lowest", "highest"},
            .isAdvanced = true},
        {.key = "checkpoint.max_gb", .type = Real, .defaultValue = 0.0,
            .help = "Size of all checkpoints beyond which the oldest go, the newest, best and pinned excepted; 0 any",
            .unit = "GB", .minimum = 0, .maximum = 1e9, .isAdvanced = true},
        {.key = "checkpoint.save", .type = Choice, .defaultValue = "all",
            .help = "What a checkpoint holds; from weights alone training resumes with a new optimizer",
            .choices = {"all", "weights"}, .isAdvanced = true},
        {.key = "checkpoint.load", .type = Choice, .defaultValue = "all",
            .help = "What a resume takes from the checkpoint; with weights the optimizer begins anew",
            .choices = {"all", "weights"}, .isAdvanced = true},
        {.key = "checkpoint.strict", .type = Boolean, .defaultValue = true,
            .help = "A checkpoint must have the model's names and shapes; off loads what fits and reports the rest",
            .isAdvanced = true},
        {.key = "checkpoint.init_from", .type = FilePath, .defaultValue = "",
            .help = "Folder of a checkpoint of any run whose weights this one begins with", .isAdvanced = true},
    };
    return all;
}

}  // namespace

std::span<const Option> options() { return table(); }

bool appliesWith(const Option& option, std::string_view other)
{
    std::string_view values = option.appliesTo;
    values.remove_prefix(std::min(values.find('=') + 1, values.size()));
    while (!values.empty()) {
        const std::size_t end = std::min(values.find('|'), values.size());
        if (values.substr(0, end) == other)
            return true;
        values.remove_prefix(std::min(end + 1, values.size()));
    }
    return option.appliesTo.empty();
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
    std::string_view best;
    // Nearness first, then edits: they decide among the groups that have a name in common.
    std::pair<std::size_t, std::size_t> bestDistance = {std::max<std::size_t>(2, key.size() / 3) + 1, 0};
    for (const Option& option : table()) {
        // A right name in the wrong group, or with none, is nearer than any spelling.
        const bool isSameName = option.name() == key.substr(key.rfind('.') + 1);
        const std::size_t edits = editDistance(key, option.key);
        const std::pair distance(isSameName ? std::size_t{1} : edits, edits);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = option.key;
        }
    }
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
