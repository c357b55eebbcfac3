// Options of policy optimization: rollouts, advantages, the update. Read by policySettings().
#include "engine/contract/experiment/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

constexpr std::string_view kPolicy = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|flow_dppo|grpo_guard",
                           kBranching = "algorithm.name=flow_grpo|dance_grpo|flow_dppo|grpo_guard",
                           kSteps = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|flow_dppo|grpo_guard|distill",
                           kAdvantages = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|flow_dppo|grpo_guard|diffusion_nft|awm|dgpo",
                           kReferred = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|flow_dppo|grpo_guard|distill|diffusion_nft|awm|dgpo",
                           kLimited = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|grpo_guard|diffusion_nft|awm|dgpo",
                           kClipped = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|grpo_guard|awm|dgpo";

}  // namespace

std::vector<Option> policyOptions()
{
    return {
        {.key = "rollout.prompts", .label = "Prompts per round", .type = Integer, .defaultValue = std::int64_t{16},
            .help = "Prompts that are sampled in a round, on all ranks together", .unit = "prompts", .minimum = 1, .maximum = 1048576,
            .appliesTo = kRollouts},
        {.key = "rollout.samples_per_prompt", .label = "Samples per prompt", .type = Integer, .defaultValue = std::int64_t{8},
            .help = "Samples drawn for each prompt in a round; a sample's advantage is over the others of its prompt",
            .unit = "samples", .minimum = 1, .maximum = 65536, .appliesTo = kRollouts},
        {.key = "rollout.steps", .label = "Steps per sample", .type = Integer, .defaultValue = std::int64_t{10},
            .help = "Denoising steps of a sample that is trained on", .unit = "steps", .minimum = 1, .maximum = 1000,
            .appliesTo = kRollouts},
        {.key = "rollout.guidance", .label = "Guidance of rollouts", .type = Real, .defaultValue = 1.0,
            .help = "Classifier-free guidance scale of rollouts and of the update; 1 turns it off", .minimum = 0, .maximum = 100,
            .appliesTo = kRollouts},
        {.key = "rollout.noise_level", .label = "Noise of steps (η)", .type = Real, .defaultValue = 1.0,
            .help = "Noise of the stochastic steps; more of it explores further and blurs samples",
            .minimum = 0, .maximum = 10, .appliesTo = kSteps},
        {.key = "rollout.sde_type", .label = "Kind of stochastic steps", .type = Choice, .defaultValue = "auto",
            .help = "Stochastic steps: sde of Flow-GRPO, cps that preserve coefficients, dance_sde of DanceGRPO; auto takes dance_sde "
                    "for dance_grpo and sde otherwise", .choices = {"auto", "sde", "cps", "dance_sde"},
            .choiceLabels = {{"auto", "As the objective has it"}, {"sde", "Flow-GRPO's"}, {"cps", "Coefficients-preserving"},
                {"dance_sde", "DanceGRPO's"}}, .appliesTo = kSteps,
            .isAdvanced = true},
        {.key = "rollout.window_size", .label = "Stochastic steps per sample", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Steps of each sample that are stochastic and trained on; 0 takes all but the last",
            .unit = "steps", .minimum = 0, .maximum = 1000, .appliesTo = kSteps},
        {.key = "rollout.window_begin", .label = "First stochastic step", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "First step that a window of rollout.window_size or rollout.branch_steps steps may include", .unit = "steps", .minimum = 0, .maximum = 1000,
            .appliesTo = kSteps, .isAdvanced = true},
        {.key = "rollout.window_end", .label = "End of stochastic steps", .type = Integer, .defaultValue = std::int64_t{5},
            .help = "First step that no window of rollout.window_size or rollout.branch_steps steps includes", .unit = "steps", .minimum = 1, .maximum = 1000,
            .appliesTo = kSteps, .isAdvanced = true},
        {.key = "rollout.window_strategy", .label = "Movement of the window", .type = Choice, .defaultValue = "random",
            .help = "MixGRPO: random draws the window for each round, progressive moves it from noise to data",
            .choices = {"random", "progressive"}, .appliesTo = "algorithm.name=mix_grpo"},
        {.key = "rollout.window_rounds", .label = "Rounds per window", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Rounds before a progressive window moves on", .unit = "rounds", .minimum = 1, .maximum = 1e9,
            .appliesTo = "rollout.window_strategy=progressive", .isAdvanced = true},
        {.key = "rollout.window_seed", .label = "Seed of windows", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Seed of MixGRPO's random windows, to which the number of the round is added", .minimum = 0, .maximum = 2147483647,
            .appliesTo = "rollout.window_strategy=random", .isAdvanced = true},
        {.key = "rollout.keep_every", .label = "Rounds between kept images", .type = Integer, .defaultValue = std::int64_t{5},
            .help = "After every so many rounds the best and the worst sample of the prompts that fared best and worst are kept as images; "
                    "0: never", .unit = "rounds", .minimum = 0, .maximum = 1e9, .appliesTo = kRollouts},

        {.key = "rollout.shared_noise", .label = "One noise for each prompt", .type = Boolean, .defaultValue = false,
            .help = "Begin all samples of a prompt with the same noise, as DanceGRPO does; they differ by their stochastic steps", .appliesTo = kSteps,
            .isAdvanced = true},
        {.key = "rollout.branch_steps", .label = "Steps where samples branch", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "TempFlow-GRPO: so many adjacent steps of each prompt's sample branch into rollout.samples_per_prompt samples, which are compared "
                    "with each other and differ by that one step; 0 draws samples that share nothing", .unit = "steps", .minimum = 0, .maximum = 1000,
            .appliesTo = kBranching},
        {.key = "rollout.noise_aware", .label = "Weigh branches by their noise", .type = Boolean, .defaultValue = true,
            .help = "Weigh each step where samples branch by the deviation of its noise, over the mean of all such steps of the round",
            .appliesTo = kBranching, .isAdvanced = true},

        {.key = "advantage.normalise_std", .label = "Divide by the deviation", .type = Boolean, .defaultValue = true,
            .help = "Divide advantages by the standard deviation of rewards", .appliesTo = kAdvantages},
        {.key = "advantage.global_std", .label = "Deviation of all rewards", .type = Boolean, .defaultValue = true,
            .help = "Take the standard deviation over the rewards of all prompts; off: over those of the sample's prompt",
            .appliesTo = "advantage.normalise_std=true"},
        {.key = "advantage.clip", .label = "Advantage limit", .type = Real, .defaultValue = 5.0,
            .help = "Advantages are clamped to this distance from 0", .minimum = kAboveZero, .maximum = 1e12,
            .appliesTo = kLimited, .isAdvanced = true},

        {.key = "policy.clip", .label = "Ratio clip", .type = Real, .defaultValue = 1e-4,
            .help = "Probability ratios are clipped to this distance from 1; grpo_guard needs less, such as 2e-6", .minimum = kAboveZero,
            .maximum = 1, .appliesTo = kClipped},
        {.key = "policy.kl_coef", .label = "Weight of the reference", .type = Real, .defaultValue = 0.0,
            .help = "Weight in the loss of the divergence from the model that training began from; 0 turns it off and saves a pass", .minimum = 0,
            .maximum = 1e6, .appliesTo = kReferred},
        {.key = "policy.reference", .label = "Reference", .type = Choice, .defaultValue = "start",
            .help = "What policy.kl_coef keeps the model near: the model that training began from, or the moving average that ema.decay keeps",
            .choices = {"start", "ema"}, .choiceLabels = {{"start", "The model at the start"}, {"ema", "The moving average"}},
            .appliesTo = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|flow_dppo|grpo_guard|distill|diffusion_nft|awm", .isAdvanced = true},
        {.key = "policy.kl_target", .label = "Aimed divergence", .type = Real, .defaultValue = 0.0,
            .help = "The weight of the reference is raised or lowered after each update so that the divergence comes near to this; 0 keeps it",
            .minimum = 0, .maximum = 1e6, .appliesTo = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|flow_dppo|grpo_guard|distill|diffusion_nft",
            .isAdvanced = true},
        {.key = "policy.kl_uses_dt", .label = "KL of whole steps", .type = Boolean, .defaultValue = false,
            .help = "Compute the KL penalty with the deviation of the whole step; off: without √-dt, as published", .appliesTo = kSteps,
            .isAdvanced = true},
        {.key = "policy.mini_batches", .label = "Updates per round", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Optimizer steps in one pass over the samples of a round", .unit = "updates", .minimum = 1, .maximum = 65536,
            .appliesTo = kRollouts},
        {.key = "policy.epochs", .label = "Passes over a round", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Passes of the update over the samples of a round", .unit = "passes", .minimum = 1, .maximum = 1024,
            .appliesTo = kRollouts},
        {.key = "policy.schedule_by_round", .label = "Schedule counts rounds", .type = Boolean, .defaultValue = false,
            .help = "The learning rate changes after the last update of a round only, and the steps of its schedule and warm-up are rounds; "
                    "off: it changes with each update",
            .appliesTo = kRollouts, .isAdvanced = true},
        {.key = "policy.shuffle", .label = "Shuffle a round's passes", .type = Boolean, .defaultValue = false,
            .help = "Take the passes of a round, of batch.micro samples each, in another order each time", .appliesTo = kRollouts,
            .isAdvanced = true},
        {.key = "policy.dppo_threshold", .label = "Divergence limit", .type = Real, .defaultValue = 1e-5,
            .help = "flow_dppo leaves out samples whose step has moved further than this in the direction of their advantage",
            .minimum = kAboveZero, .maximum = 1e12, .appliesTo = "algorithm.name=flow_dppo"},
        {.key = "policy.dppo_normalise", .label = "Divergence by the variance", .type = Boolean, .defaultValue = true,
            .help = "Divide the divergence of flow_dppo by the variance of the step", .appliesTo = "algorithm.name=flow_dppo",
            .isAdvanced = true},
        {.key = "policy.reference_scale", .label = "Published noise scale", .type = Boolean, .defaultValue = false,
            .help = "Scale the noise of cps and dance_sde steps by √-dt as the published implementation does, though they have it already",
            .appliesTo = "algorithm.name=flow_dppo|grpo_guard", .isAdvanced = true},
        {.key = "policy.recompute_old", .label = "Recompute log-probabilities", .type = Boolean, .defaultValue = false,
            .help = "Predict each round's log-probabilities anew before its updates; they are those of the sampler bit for bit, which the "
                    "journal's rollout_corr/ metrics then show, so that this only costs a pass", .appliesTo = kPolicy, .isAdvanced = true},

        {.key = "distill.mode", .label = "Distillation", .type = Choice, .defaultValue = "none",
            .help = "Learn from a teacher on the samples' trajectories: distill_kl from the means of its steps, distill_fm_mse from its "
                    "velocity", .choices = {"none", "distill_kl", "distill_fm_mse"},
            .choiceLabels = {{"distill_kl", "Means of steps"}, {"distill_fm_mse", "Velocity"}}, .appliesTo = kSteps},
        {.key = "distill.teacher", .label = "Teacher", .type = FolderPath, .defaultValue = "",
            .help = "Folder of the teacher: its diffusers pipeline, or for the digits model a checkpoint, such as that of another run", .appliesTo = "distill.mode=distill_kl|distill_fm_mse"},
        {.key = "distill.coef", .label = "Weight of distillation", .type = Real, .defaultValue = 1.0,
            .help = "Weight of the distance from the teacher in the loss", .minimum = 0, .maximum = 1e6,
            .appliesTo = "distill.mode=distill_kl|distill_fm_mse"},

        {.key = "correction.importance", .label = "Importance weights", .type = Choice, .defaultValue = "none",
            .help = "Weight samples by the ratio of their recomputed probability to the one they were drawn with, of each step (token) or of all "
                    "steps (sequence)",
            .choices = {"none", "token", "sequence"}, .choiceLabels = {{"token", "Of each step"}, {"sequence", "Of whole samples"}}, .appliesTo = kPolicy, .isAdvanced = true},
        {.key = "correction.importance_threshold", .label = "Importance weight bounds", .type = Text, .defaultValue = "2",
            .help = "Highest importance weight, as in 2; or two bounds, as in 0.5_2, outside of which it is 0",
            .appliesTo = "correction.importance=token|sequence", .isAdvanced = true},
        {.key = "correction.normalise", .label = "Weights of mean 1", .type = Boolean, .defaultValue = false,
            .help = "Divide importance weights by their mean", .appliesTo = "correction.importance=token|sequence", .isAdvanced = true},
        {.key = "correction.reject", .label = "Rejection modes", .type = Text, .defaultValue = "",
            .help = "Leave out samples whose probability has moved too far from the one they were drawn with: modes such as token_k1 or "
                    "seq_mean_k3, with commas between them", .appliesTo = kPolicy, .isAdvanced = true},
        {.key = "correction.reject_threshold", .label = "Rejection bounds", .type = Text, .defaultValue = "",
            .help = "Bounds for all rejection modes, or one for each with commas between them: 2 keeps ratios from 0.5 to 2 for k1 and statistics up "
                    "to 2 for k2 and k3", .appliesTo = kPolicy, .isAdvanced = true},
        {.key = "correction.bypass", .label = "Correct at each update", .type = Boolean, .defaultValue = false,
            .help = "Reject by the current policy at each update instead of by the policy at the start of the round", .appliesTo = kPolicy,
            .isAdvanced = true},
    };
}

}  // namespace contract
