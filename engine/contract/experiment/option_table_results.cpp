// Options of what a run produces: validation losses, samples and checkpoints.
#include "engine/contract/experiment/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

}  // namespace

std::vector<Option> resultOptions()
{
    return {
        {.key = "validation.every", .label = "Validation interval", .type = Integer, .defaultValue = std::int64_t{100},
            .help = "Steps between validation losses; 0: never", .unit = "steps", .minimum = 0,
            .maximum = 1e12},

        {.key = "sample.every", .label = "Sample interval", .type = Integer, .defaultValue = std::int64_t{200},
            .help = "Steps between sample images; 0: only at the end", .unit = "steps", .minimum = 0,
            .maximum = 1e12},
        {.key = "sample.steps", .label = "Sampling steps", .type = Integer, .defaultValue = std::int64_t{30},
            .help = "Sampling steps from noise to image", .unit = "steps", .minimum = 1, .maximum = 1000},
        {.key = "sample.guidance", .label = "Guidance scale", .type = Real, .defaultValue = 2.0,
            .help = "Guidance scale of sample images; 1 or less turns guidance off, except for guidance-distilled models "
                    "(Flux)", .minimum = 0, .maximum = 100},
        {.key = "sample.prompts", .label = "Prompts", .type = Text, .defaultValue = "",
            .help = "Prompts of sample images, separated by |; empty: some captions of the data",
            .appliesTo = "model.name=diffusers|sd3"},
        {.key = "sample.negative", .label = "Negative prompt", .type = Text, .defaultValue = "",
            .help = "Negative prompt of sample images: guidance moves away from it", .appliesTo = "model.name=diffusers|sd3"},
        {.key = "sample.per_label", .label = "Images per label", .type = Integer, .defaultValue = std::int64_t{4},
            .help = "Images of each label in the sample grid", .unit = "images", .minimum = 1,
            .maximum = 64, .appliesTo = "model.name=dit"},
        {.key = "sample.judge", .label = "Judged samples", .type = Integer, .defaultValue = std::int64_t{200},
            .help = "Samples drawn at the end and judged by a classifier trained on the real data; 0: none",
            .unit = "samples", .minimum = 0, .maximum = 100000, .appliesTo = "model.name=dit"},

        {.key = "checkpoint.every", .label = "Checkpoint interval", .type = Integer, .defaultValue = std::int64_t{500},
            .help = "Steps between checkpoints; 0: only at the end", .unit = "steps", .minimum = 0,
            .maximum = 1e12},
        {.key = "checkpoint.keep", .label = "Newest to keep", .type = Integer, .defaultValue = std::int64_t{3},
            .help = "Number of newest checkpoints to keep; older ones are removed unless pinned", .minimum = 1,
            .maximum = 1000000},
        {.key = "checkpoint.keep_every", .label = "Multiples to keep", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Also keep the checkpoints of steps that are multiples of this; 0: none", .unit = "steps", .minimum = 0,
            .maximum = 1e12, .isAdvanced = true},
        {.key = "checkpoint.keep_best", .label = "Best to keep", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Also keep this many of the best checkpoints by checkpoint.best_metric; 0: none", .minimum = 0,
            .maximum = 1000000, .isAdvanced = true},
        {.key = "checkpoint.best_metric", .label = "Metric of the best",
            .type = Text, .defaultValue = "",
            .help = "Metric that ranks checkpoints, as last measured before each one was written; empty: the mean reward, critic/rewards/mean, in "
                    "training by a reward, and validation/loss otherwise; the lowest loss while no checkpoint has it", .isAdvanced = true},
        {.key = "checkpoint.best_is", .label = "Best value", .type = Choice, .defaultValue = "auto",
            .help = "Whether the lowest or the highest value of checkpoint.best_metric is best; auto takes highest for the mean reward and lowest for "
                    "any other metric",
            .choices = {"auto", "lowest", "highest"},
            .choiceLabels = {{"auto", "Automatic"}}, .isAdvanced = true},
        {.key = "checkpoint.max_gb", .label = "Size limit", .type = Real, .defaultValue = 0.0,
            .help = "Limit for the total size of all checkpoints: the oldest are removed first, never the newest, best or "
                    "pinned; 0: no limit", .unit = "GB", .minimum = 0, .maximum = 1e9, .isAdvanced = true},
        {.key = "checkpoint.save", .label = "Saved state", .type = Choice, .defaultValue = "all",
            .help = "What a checkpoint holds; a run resumed from weights alone starts with a new optimizer state",
            .choices = {"all", "weights"},
            .choiceLabels = {{"all", "Everything"}, {"weights", "Weights alone"}}, .isAdvanced = true},
        {.key = "checkpoint.load", .label = "Loaded state", .type = Choice, .defaultValue = "all",
            .help = "What a resumed run loads from the checkpoint; with weights it starts with a new optimizer state",
            .choices = {"all", "weights"},
            .choiceLabels = {{"all", "Everything"}, {"weights", "Weights alone"}}, .isAdvanced = true},
        {.key = "checkpoint.strict", .label = "Strict loading", .type = Boolean, .defaultValue = true,
            .help = "A checkpoint must match the names and shapes of the model's parameters; off: loads what matches and "
                    "reports the rest", .isAdvanced = true},
        {.key = "checkpoint.init_from", .label = "Initial weights from", .type = FilePath, .defaultValue = "",
            .help = "Folder of a checkpoint, of any run, with the initial weights of this run", .isAdvanced = true},
    };
}

}  // namespace contract
