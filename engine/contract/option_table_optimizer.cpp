// How weights follow gradients.
#include "engine/contract/option_tables.h"

#include <limits>

namespace contract {
namespace {

using enum OptionType;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<Option> optimizerOptions()
{
    return {
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
    };
}

}  // namespace contract
