// Options of algorithms that train on noised samples. Read by forwardSettings().
#include "engine/contract/experiment/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

constexpr std::string_view kNft = "algorithm.name=diffusion_nft", kDpo = "algorithm.name=dpo", kAwm = "algorithm.name=awm",
                           kDgpo = "algorithm.name=dgpo", kOld = "algorithm.name=diffusion_nft|dgpo", kStrata = "algorithm.name=awm|dgpo";

}  // namespace

std::vector<Option> forwardOptions()
{
    return {
        {.key = "nft.beta", .label = "Mixing strength", .type = Real, .defaultValue = 0.5,
            .help = "DiffusionNFT: how far its two implicit policies, towards good samples and away from bad ones, are from the old one",
            .minimum = kAboveZero, .maximum = 1e6, .appliesTo = kNft},
        {.key = "nft.adv_mode", .label = "Advantages that count", .type = Choice, .defaultValue = "continuous",
            .help = "DiffusionNFT: all advantages by their size, only those of one sign, or only their sign",
            .choices = {"continuous", "positive_only", "negative_only", "one_only", "binary"},
            .choiceLabels = {{"continuous", "All, by size"}, {"positive_only", "Positive ones"}, {"negative_only", "Negative ones"},
                {"one_only", "Whether positive"}, {"binary", "Their sign"}}, .appliesTo = kNft, .isAdvanced = true},
        {.key = "nft.timestep_fraction", .label = "Share of timesteps", .type = Real, .defaultValue = 1.0,
            .help = "DiffusionNFT: share of the sampler's timesteps that each sample is trained at, chosen at random",
            .minimum = 0.001, .maximum = 1, .appliesTo = kNft},
        {.key = "nft.weight_min", .label = "Smallest error", .type = Real, .defaultValue = 1e-5,
            .help = "DiffusionNFT: a sample's loss is divided by its mean error, but at least by this", .minimum = kAboveZero,
            .maximum = 1e6, .appliesTo = kNft, .isAdvanced = true},

        {.key = "dpo.source", .label = "Where pairs come from", .type = Choice, .defaultValue = "online",
            .help = "DPO: online draws samples and takes the best and the worst of each prompt by its rewards; offline reads them from the folders "
                    "chosen and rejected in data.folder, images of the same names, with the captions of the chosen ones",
            .choices = {"online", "offline"}, .choiceLabels = {{"online", "Samples, ranked by rewards"}, {"offline", "A folder of pairs"}},
            .appliesTo = "algorithm.name=dpo&model.name=diffusers|sd3"},
        {.key = "dpo.beta", .label = "Preference strength", .type = Real, .defaultValue = 2000.0,
            .help = "DPO: how strongly the preferred sample of a pair is to be preferred; less lets the model move further from the reference",
            .minimum = kAboveZero, .maximum = 1e9, .appliesTo = kDpo},

        {.key = "awm.weight", .label = "Weight of noise levels", .type = Choice, .defaultValue = "Uniform",
            .help = "Advantage-weighted matching: how the error counts at noise level t", .choices = {"Uniform", "t", "t**2", "huber", "ghuber"},
            .choiceLabels = {{"Uniform", "Equal"}, {"t", "t"}, {"t**2", "t²"}, {"huber", "Huber, t"}, {"ghuber", "Generalised Huber, t"}},
            .appliesTo = kAwm},
        {.key = "awm.huber_power", .label = "Power of the Huber weight", .type = Real, .defaultValue = 0.25,
            .help = "Advantage-weighted matching: power of the squared error with awm.weight = ghuber", .minimum = 0.001, .maximum = 10,
            .appliesTo = "awm.weight=ghuber", .isAdvanced = true},
        {.key = "awm.ema_coef", .label = "Distance from the average", .type = Real, .defaultValue = 0.0,
            .help = "Advantage-weighted matching: weight of the squared distance from the moving average's prediction, which ema.decay "
                    "keeps; 0 turns it off and saves a pass", .minimum = 0, .maximum = 1e6, .appliesTo = kAwm, .isAdvanced = true},

        {.key = "dgpo.dpo_beta", .label = "Group preference strength", .type = Real, .defaultValue = 100.0,
            .help = "DGPO: how strongly the better samples of a prompt are to be preferred over the others", .minimum = kAboveZero,
            .maximum = 1e9, .appliesTo = kDgpo},
        {.key = "dgpo.clip_loss", .label = "Clip the loss", .type = Boolean, .defaultValue = false,
            .help = "DGPO: samples that have moved further than policy.clip give no gradient", .appliesTo = kDgpo, .isAdvanced = true},
        {.key = "dgpo.clip_penalty", .label = "Clip the penalty", .type = Boolean, .defaultValue = false,
            .help = "DGPO: nor do they in the distance from the reference", .appliesTo = kDgpo, .isAdvanced = true},
        {.key = "dgpo.anchor_old", .label = "Compare with the old policy", .type = Boolean, .defaultValue = false,
            .help = "DGPO: errors are compared with those of the old policy; off: with those of the model that training began from",
            .appliesTo = kDgpo, .isAdvanced = true},
        {.key = "dgpo.switch_round", .label = "Rounds before it samples", .type = Integer, .defaultValue = std::int64_t{200},
            .help = "DGPO: after this many rounds samples come from the old policy", .unit = "rounds", .minimum = 0, .maximum = 1e9,
            .appliesTo = kDgpo, .isAdvanced = true},

        {.key = "old.schedule", .label = "Old policy", .type = Choice, .defaultValue = "copy",
            .help = "How the old policy follows the one that trains: a copy after each round, or a moving average whose decay rises",
            .choices = {"copy", "linear_to_0_3", "linear_to_0_5", "delayed_linear_to_0_999", "constant"},
            .choiceLabels = {{"copy", "A copy"}, {"linear_to_0_3", "Decay rises to 0.3"}, {"linear_to_0_5", "Decay rises to 0.5"},
                {"delayed_linear_to_0_999", "Decay rises to 0.999, later"}, {"constant", "Constant decay"}}, .appliesTo = kOld},
        {.key = "old.decay", .label = "Decay of the old policy", .type = Real, .defaultValue = 0.0,
            .help = "Constant decay of the old policy's moving average", .minimum = 0, .maximum = 1, .appliesTo = "old.schedule=constant"},
        {.key = "old.every", .label = "Rounds between updates of it", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "The old policy follows after every so many rounds", .unit = "rounds", .minimum = 1, .maximum = 1e9, .appliesTo = kOld,
            .isAdvanced = true},

        {.key = "timesteps.strategy", .label = "Choice of timesteps", .type = Choice, .defaultValue = "logit_normal",
            .help = "Timesteps that samples are trained at: drawn from a range in equal parts, or from the sampler's own",
            .choices = {"uniform", "logit_normal", "discrete", "discrete_with_init", "discrete_wo_init"},
            .choiceLabels = {{"logit_normal", "Logit-normal"}, {"discrete", "The sampler's"},
                {"discrete_with_init", "The sampler's, with the first"}, {"discrete_wo_init", "The sampler's, without the first"}},
            .appliesTo = kStrata},
        {.key = "timesteps.count", .label = "Timesteps per sample", .type = Integer, .defaultValue = std::int64_t{4},
            .help = "Timesteps that each sample is trained at in an update", .unit = "timesteps", .minimum = 1, .maximum = 1000,
            .appliesTo = "algorithm.name=awm|dgpo|dpo"},
        {.key = "timesteps.lowest", .label = "Start of the range", .type = Real, .defaultValue = 0.0,
            .help = "Start of the range of timesteps, as a fraction of the way from noise to data", .minimum = 0, .maximum = 1,
            .appliesTo = kStrata, .isAdvanced = true},
        {.key = "timesteps.highest", .label = "End of the range", .type = Real, .defaultValue = 0.9,
            .help = "End of the range of timesteps, as a fraction of the way from noise to data", .minimum = 0, .maximum = 1,
            .appliesTo = kStrata, .isAdvanced = true},
        {.key = "timesteps.shift", .label = "Shift of timesteps", .type = Real, .defaultValue = 3.0,
            .help = "Shift of drawn timesteps towards the data", .minimum = 0.01, .maximum = 100,
            .appliesTo = "timesteps.strategy=uniform|logit_normal", .isAdvanced = true},
    };
}

}  // namespace contract
