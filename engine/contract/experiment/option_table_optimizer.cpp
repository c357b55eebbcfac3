// Options of the optimizer, the loss scaler, the learning-rate schedule and the EMA.
#include "engine/contract/experiment/option_tables.h"

#include <limits>

namespace contract {
namespace {

using enum OptionType;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<Option> optimizerOptions()
{
    return {
        {.key = "optim.kind", .label = "Optimizer", .type = Choice, .defaultValue = "adamw",
            .help = "Optimizer: adamw8bit stores its moments in 8 bits; muon orthogonalises the updates of the blocks' "
                    "matrices", .choices = {"adamw", "adamw8bit", "muon"},
            .choiceLabels = {{"adamw", "AdamW"}, {"adamw8bit", "AdamW, 8 bits"}}},
        {.key = "optim.momentum", .label = "Momentum", .type = Real, .defaultValue = 0.95,
            .help = "Muon: decay of the momentum; parameters other than the blocks' matrices are updated by AdamW",
            .minimum = 0, .maximum = 0.999999, .appliesTo = "optim.kind=muon"},
        {.key = "optim.lr", .label = "Learning rate", .type = Real, .defaultValue = 1e-3, .help = "Peak learning rate",
            .minimum = 0, .maximum = 100},
        {.key = "optim.beta1", .label = "First moment decay (β₁)", .type = Real, .defaultValue = 0.9,
            .help = "AdamW: decay of the first moment", .minimum = 0, .maximum = 0.999999},
        {.key = "optim.beta2", .label = "Second moment decay (β₂)", .type = Real, .defaultValue = 0.999,
            .help = "AdamW: decay of the second moment", .minimum = 0, .maximum = 0.99999999},
        {.key = "optim.eps", .label = "Epsilon (ε)", .type = Real, .defaultValue = 1e-8,
            .help = "AdamW: added to the denominator", .minimum = 0, .maximum = 1, .isAdvanced = true},
        {.key = "optim.weight_decay", .label = "Weight decay", .type = Real, .defaultValue = 0.01,
            .help = "AdamW: decoupled weight decay; norms and biases are not decayed", .minimum = 0,
            .maximum = 10},
        {.key = "optim.clip_norm", .label = "Gradient norm limit", .type = Real, .defaultValue = 1.0,
            .help = "Gradients are clipped to this global norm; 0 turns clipping off", .minimum = 0,
            .maximum = kUnlimited},

        {.key = "scaler.initial", .label = "Initial loss scale", .type = Real, .defaultValue = 65536.0,
            .help = "fp16: initial loss scale, which keeps small gradients in range", .minimum = 1e-6, .maximum = 1e12,
            .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.growth", .label = "Growth factor", .type = Real, .defaultValue = 2.0,
            .help = "fp16: the loss scale is multiplied by this after scaler.growth_interval steps without overflow", .minimum = 1,
            .maximum = 1024, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.backoff", .label = "Backoff factor", .type = Real, .defaultValue = 0.5,
            .help = "fp16: the loss scale is multiplied by this when gradients overflow", .minimum = 1e-6, .maximum = 1,
            .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.growth_interval", .label = "Steps before growth",
            .type = Integer, .defaultValue = std::int64_t{1000},
            .help = "fp16: consecutive steps without overflow before the loss scale grows", .unit = "steps", .minimum = 1,
            .maximum = 1e12, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.hysteresis", .label = "Overflows before backoff",
            .type = Integer, .defaultValue = std::int64_t{2},
            .help = "fp16: number of overflows since the last growth from which on the loss scale shrinks", .unit = "overflows",
            .minimum = 0, .maximum = 1e6, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.min", .label = "Smallest loss scale",
            .type = Real, .defaultValue = 1.0, .help = "fp16: smallest loss scale", .minimum = 1e-6,
            .maximum = 1e12, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},
        {.key = "scaler.max", .label = "Largest loss scale",
            .type = Real, .defaultValue = 16777216.0, .help = "fp16: largest loss scale", .minimum = 1e-6,
            .maximum = 1e12, .appliesTo = "engine.compute_dtype=fp16", .isAdvanced = true},

        {.key = "schedule.type", .label = "Schedule", .type = Choice, .defaultValue = "constant",
            .help = "Learning-rate schedule after warm-up; wsd stays constant and decays at the end",
            .choices = {"constant", "cosine", "linear", "wsd"},
            .choiceLabels = {{"wsd", "WSD: constant, then decay"}}},
        {.key = "schedule.warmup_steps", .label = "Warm-up steps", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Steps of warm-up, in which the learning rate rises to its peak",
            .unit = "steps", .minimum = 0,
            .maximum = 1e12},
        {.key = "schedule.warmup_ratio", .label = "Warm-up fraction", .type = Real, .defaultValue = 0.0,
            .help = "Length of the warm-up as a fraction of all steps; used when schedule.warmup_steps is 0",
            .minimum = 0, .maximum = 1},
        {.key = "schedule.initial_ratio", .label = "Initial fraction of peak", .type = Real, .defaultValue = 0.0,
            .help = "Learning rate at the start of the warm-up, as a fraction of the peak", .minimum = 0,
            .maximum = 1, .isAdvanced = true},
        {.key = "schedule.min_ratio", .label = "Final fraction of peak", .type = Real, .defaultValue = 0.0,
            .help = "Learning rate at the end, as a fraction of the peak", .minimum = 0, .maximum = 1,
            .appliesTo = "schedule.type=cosine|linear|wsd"},
        {.key = "schedule.cycles", .label = "Cosine cycles", .type = Real, .defaultValue = 0.5,
            .help = "Number of cosine cycles; 0.5 decays once", .minimum = 0, .maximum = 1000,
            .appliesTo = "schedule.type=cosine", .isAdvanced = true},
        {.key = "schedule.decay_ratio", .label = "Decay fraction", .type = Real, .defaultValue = 0.1,
            .help = "Fraction of all steps, at the end, in which the learning rate decays", .minimum = 0,
            .maximum = 1, .appliesTo = "schedule.type=wsd"},

        {.key = "ema.decay", .label = "EMA decay", .type = Real, .defaultValue = 0.999,
            .help = "Decay of the exponential moving average (EMA) of the weights; 0 turns it off", .minimum = 0,
            .maximum = 0.9999999},
        {.key = "ema.use", .label = "Evaluate with the EMA", .type = Boolean, .defaultValue = true,
            .help = "Samples and validation use the EMA of the weights if there is one; off: the weights themselves"},
    };
}

}  // namespace contract
