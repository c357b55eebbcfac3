// How the engine holds and moves what it trains.
#include "engine/contract/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

}  // namespace

std::vector<Option> engineOptions()
{
    return {
        {.key = "engine.compute_dtype", .type = Choice, .defaultValue = "bf16",
            .help = "Dtype of gathered parameters and activations; what trains is kept in fp32 all the same; fp16 is for GPUs",
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
        {.key = "engine.attention", .type = Choice, .defaultValue = "auto",
            .help = "How attention is computed: auto takes the fastest; math keeps the weights of all heads; by_head (CPU) one "
                    "head's after another's; flash, efficient and cudnn (both GPU) never hold them. What cannot be done here, "
                    "or with a mask, falls back to auto, as does a ring",
            .choices = {"auto", "math", "by_head", "flash", "efficient", "cudnn"}, .isAdvanced = true},
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
    };
}

}  // namespace contract
