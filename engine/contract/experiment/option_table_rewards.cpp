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
                    "what you trust; a reward of weight 0 is journalled only; group: before a program, server, judge or model file, as in "
                    "group:program:./rank.sh, gives it all samples of a prompt at once, and pairs: lets it compare them two by two",
            .appliesTo = kOnImages},
        {.key = "reward.timeout", .label = "Timeout of a scorer", .type = Integer, .defaultValue = std::int64_t{120},
            .help = "The run fails when a program or a server needs longer than this for a batch of samples, or a judge for one question",
            .unit = "s", .minimum = 1, .maximum = 86400, .appliesTo = kOnImages, .isAdvanced = true},
        {.key = "reward.judge_model", .label = "Model of the judge", .type = Text, .defaultValue = "",
            .help = "Name under which the server of a judge knows its vision-language model", .appliesTo = kOnImages},
        {.key = "reward.judge_question", .label = "Question to the judge", .type = Text,
            .defaultValue = "How well does this image show {prompt}? Answer with one number from 0 (not at all) to 10 (perfectly).",
            .help = "What a judge is asked about each sample, with {prompt} for its prompt; the first number of the answer is the score",
            .appliesTo = kOnImages, .isAdvanced = true},
        {.key = "reward.judge_group_question", .label = "Question about a group", .type = Text,
            .defaultValue = "How well does each of these samples show {prompt}? Answer with a list of one number for each sample, in their "
                            "order, from 0 (not at all) to 10 (perfectly), as in [7, 3.5].",
            .help = "What a group:judge: is asked about all samples of a prompt together; the last list in square brackets has the scores",
            .appliesTo = kOnImages, .isAdvanced = true},
        {.key = "reward.judge_pair_question", .label = "Question about two samples", .type = Text,
            .defaultValue = "Which of these two samples shows {prompt} better? Answer with one number: 1 for the first, 2 for the second, 0 if "
                            "they are equally good.",
            .help = "What a pairs:judge: is asked about every two samples of a prompt; the answer begins with 1, 2 or 0", .appliesTo = kOnImages,
            .isAdvanced = true},
        {.key = "reward.workers", .label = "Questions at a time", .type = Integer, .defaultValue = std::int64_t{8},
            .help = "Questions that each rank asks a judge at the same time", .minimum = 1, .maximum = 1024, .appliesTo = kOnImages,
            .isAdvanced = true},
        {.key = "reward.shard", .label = "Divide CLIP models", .type = Boolean, .defaultValue = false,
            .help = "Each data-parallel rank keeps only a part of CLIP models and gets the others' parts, layer by layer, while it scores; "
                    "samples are then scored after they are drawn, and not while the next ones are", .appliesTo = kOnImages, .isAdvanced = true},
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
