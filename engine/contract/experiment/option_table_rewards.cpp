// Options of rewards.
#include "engine/contract/experiment/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

}  // namespace

std::vector<Option> rewardOptions()
{
    return {
        {.key = "reward.functions", .label = "Rewards", .type = Text, .defaultValue = "",
            .help = "Rewards with their weights, of which the weighted sum is trained on, as in jpeg_size:0.2, program:./score.sh:1, "
                    "http://127.0.0.1:8000/score:1, judge:http://127.0.0.1:8000/v1/chat/completions, clip:./PickScore_v1:0.0385, "
                    "aesthetic:./clip-vit-large-patch14:1, model.pt:0.5; programs and .pt and .pt2 files run with your rights, so use only "
                    "what you trust; a reward of weight 0 is journalled only", .appliesTo = kOnImages},
        {.key = "reward.timeout", .label = "Timeout of a scorer", .type = Integer, .defaultValue = std::int64_t{120},
            .help = "The run fails when a program or a server needs longer than this for a batch of samples, or a judge for one sample",
            .unit = "s", .minimum = 1, .maximum = 86400, .appliesTo = kOnImages, .isAdvanced = true},
        {.key = "reward.judge_model", .label = "Model of the judge", .type = Text, .defaultValue = "",
            .help = "Name under which the server of a judge knows its vision-language model", .appliesTo = kOnImages},
        {.key = "reward.judge_question", .label = "Question to the judge", .type = Text,
            .defaultValue = "How well does this image show {prompt}? Answer with one number from 0 (not at all) to 10 (perfectly).",
            .help = "What a judge is asked about each sample, with {prompt} for its prompt; the first number of the answer is the score",
            .appliesTo = kOnImages, .isAdvanced = true},
        {.key = "reward.workers", .label = "Questions at a time", .type = Integer, .defaultValue = std::int64_t{8},
            .help = "Samples that each rank asks a judge about at the same time", .minimum = 1, .maximum = 1024, .appliesTo = kOnImages,
            .isAdvanced = true},
        {.key = "reward.clip", .label = "Reward limit", .type = Real, .defaultValue = 0.0,
            .help = "The weighted sum of rewards is clamped to this distance from 0; 0 turns that off", .minimum = 0, .maximum = 1e12,
            .appliesTo = kOnImages, .isAdvanced = true},

        {.key = "gold.reward", .label = "Watched reward", .type = Text, .defaultValue = "",
            .help = "A reward that is watched, not trained on, to see whether the model only pleases the one that is: the short name of a "
                    "reward of weight 0, or judge for the digits model, whose second classifier judges then", .appliesTo = kRollouts},
        {.key = "gold.patience", .label = "Rounds without a gain in it", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "The run stops when the watched reward has not exceeded its best for so many rounds; 0 never stops it", .unit = "rounds",
            .minimum = 0, .maximum = 1e9, .appliesTo = kRollouts},
    };
}

}  // namespace contract
