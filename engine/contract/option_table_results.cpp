// What a run shows and keeps.
#include "engine/contract/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

}  // namespace

std::vector<Option> resultOptions()
{
    return {
        {.key = "validation.every", .type = Integer, .defaultValue = std::int64_t{100},
            .help = "Steps between validation losses; 0 never", .unit = "steps", .minimum = 0,
            .maximum = 1e12},

        {.key = "sample.every", .type = Integer, .defaultValue = std::int64_t{200},
            .help = "Steps between sample pictures; 0 only at the end", .unit = "steps", .minimum = 0,
            .maximum = 1e12},
        {.key = "sample.steps", .type = Integer, .defaultValue = std::int64_t{30},
            .help = "Steps from noise to picture", .unit = "steps", .minimum = 1, .maximum = 1000},
        {.key = "sample.guidance", .type = Real, .defaultValue = 2.0,
            .help = "Guidance scale of sample pictures; 1 or less is off, except where the model itself is told it (Flux)", .minimum = 0, .maximum = 100},
        {.key = "sample.prompts", .type = Text, .defaultValue = "",
            .help = "Prompts of sample pictures, with | between; empty: some captions of the data",
            .appliesTo = "model.name=diffusers|sd3"},
        {.key = "sample.negative", .type = Text, .defaultValue = "",
            .help = "What guidance leads sample pictures away from", .appliesTo = "model.name=diffusers|sd3"},
        {.key = "sample.per_label", .type = Integer, .defaultValue = std::int64_t{4},
            .help = "Pictures of each label in the grid", .unit = "pictures", .minimum = 1,
            .maximum = 64, .appliesTo = "model.name=dit"},
        {.key = "sample.judge", .type = Integer, .defaultValue = std::int64_t{200},
            .help = "Samples that a classifier trained on the real data judges at the end; 0 none",
            .unit = "samples", .minimum = 0, .maximum = 100000, .appliesTo = "model.name=dit"},

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
}

}  // namespace contract
