// Options of the engine: dtypes, sharding, sequence parallelism, recomputation and offload.
#include "engine/contract/experiment/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

}  // namespace

std::vector<Option> engineOptions()
{
    return {
        {.key = "engine.compute_dtype", .label = "Compute dtype", .type = Choice, .defaultValue = "bf16",
            .help = "Dtype of gathered parameters and activations; master weights stay in fp32; fp16 needs GPUs",
            .choices = {"fp32", "bf16", "fp16"},
            .choiceLabels = {{"fp32", "float32"}, {"bf16", "bfloat16"}, {"fp16", "float16"}}, .spellings = kDtypeSpellings},
        {.key = "engine.reduce_dtype", .label = "Reduction dtype", .type = Choice, .defaultValue = "fp32",
            .help = "Dtype in which gradients are reduced between ranks", .choices = {"fp32", "bf16"},
            .choiceLabels = {{"fp32", "float32"}, {"bf16", "bfloat16"}},
            .spellings = kDtypeSpellings, .isAdvanced = true},
        {.key = "engine.reshard_after_forward", .label = "Free after forward", .type = Boolean, .defaultValue = true,
            .help = "Free gathered parameters after forward and gather them again for backward"},
        {.key = "engine.reshard_group", .label = "Reshard group", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Size of the groups of ranks (of one host, for example) that keep the parameters sharded among "
                    "themselves after forward, so that backward gathers within the group only; 0 turns this off",
            .unit = "ranks", .minimum = 0, .maximum = 1024, .appliesTo = "engine.reshard_after_forward=true",
            .isAdvanced = true},
        {.key = "engine.prefetch", .label = "Prefetch parameters", .type = Boolean, .defaultValue = true,
            .help = "Gather the next unit while the current one computes", .isAdvanced = true},
        {.key = "engine.shard_size", .label = "Sharded over", .type = Text, .defaultValue = "auto",
            .help = "Ranks over which the model is sharded: all, a number, or auto: all, but where several hosts have several ranks each, those "
                    "of a host; further groups of ranks are replicas",
            .isAdvanced = true},
        {.key = "engine.ulysses", .label = "Ulysses group", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Ulysses sequence parallelism: ranks that share a sample and exchange heads for tokens",
            .unit = "ranks", .minimum = 1, .maximum = 1024, .isAdvanced = true},
        {.key = "engine.ring", .label = "Ring group", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Ring sequence parallelism: ranks (or groups of Ulysses ranks) that share a sample and pass keys and "
                    "values around",
            .unit = "ranks", .minimum = 1, .maximum = 1024, .isAdvanced = true},
        {.key = "engine.attention", .label = "Attention kernel", .type = Choice, .defaultValue = "auto",
            .help = "Attention kernel: auto picks the fastest; math stores the attention weights of all heads; by_head (CPU) "
                    "those of one head at a time; flash, efficient (GPU) and cudnn (GPU) store none; a kernel that does not "
                    "support the device, a mask or a ring falls back to auto",
            .choices = {"auto", "math", "by_head", "flash", "efficient", "cudnn"},
            .choiceLabels = {{"auto", "Automatic"}, {"by_head", "By head"}, {"cudnn", "cuDNN"}}, .isAdvanced = true},
        {.key = "engine.reduce_each_pass", .label = "Reduce in each pass", .type = Boolean, .defaultValue = true,
            .help = "Reduce gradients after each backward pass; off: only after the last pass of a step, with unsharded fp32 "
                    "gradients in memory", .isAdvanced = true},
        {.key = "engine.exchange", .label = "Communication", .type = Choice, .defaultValue = "auto",
            .help = "How ranks communicate: auto uses NCCL on GPUs, on CPUs shared memory on one host and Gloo across hosts; gloo on GPUs "
                    "lets ranks share one, slowly",
            .choices = {"auto", "shared", "gloo"},
            .choiceLabels = {{"auto", "Automatic"}, {"shared", "Shared memory"}}, .isAdvanced = true},
        {.key = "engine.kernels", .label = "GPU kernels", .type = Choice, .defaultValue = "auto",
            .help = "What computes layers on GPUs: auto uses Atelier's own kernels, which are compiled when a GPU is first used, where there are any",
            .choices = {"auto", "libtorch"}, .choiceLabels = {{"auto", "Automatic"}, {"libtorch", "LibTorch's operators"}}, .isAdvanced = true},
        {.key = "engine.recompute", .label = "Recomputed blocks", .type = Text, .defaultValue = "none",
            .help = "Activation checkpointing: blocks that recompute their activations in backward; none, all, every N or "
                    "names, as in blocks.0, blocks.1*", .isAdvanced = true},
        {.key = "engine.recompute_layers", .label = "Recompute cheap layers", .type = Boolean, .defaultValue = false,
            .help = "Compute norms, GELU and attention's heads again in backward instead of keeping them: less memory for activations, with the "
                    "same results and a little more time", .isAdvanced = true},
        {.key = "engine.keep_gathered", .label = "Blocks kept gathered", .type = Text, .defaultValue = "none",
            .help = "Blocks whose parameters stay gathered after forward despite engine.reshard_after_forward; none, all, "
                    "every N or names", .appliesTo = "engine.reshard_after_forward=true", .isAdvanced = true},
        {.key = "engine.evaluation_gather", .label = "Gathered in evaluation", .type = Choice, .defaultValue = "auto",
            .help = "Parameters that stay gathered while the model draws samples or validates: those of the whole model, which is "
                    "fast, or of one block at a time; auto: the whole model where it takes at most half of the free memory",
            .choices = {"auto", "model", "block"},
            .choiceLabels = {{"auto", "Automatic"}, {"model", "Whole model"}, {"block", "Block by block"}},
            .isAdvanced = true},
        {.key = "engine.fp32_blocks", .label = "Blocks in fp32", .type = Text, .defaultValue = "none",
            .help = "Blocks that compute in fp32 regardless of engine.compute_dtype; none, all, every N or names",
            .isAdvanced = true},
        {.key = "engine.offload", .label = "Offload to host memory", .type = Choice, .defaultValue = "none",
            .help = "Offload from GPU to host memory: optimizer states outside training, everything idle, or the shards "
                    "permanently (the CPU then updates the weights); no effect on CPU",
            .choices = {"none", "optimizer", "idle", "shards"},
            .choiceLabels = {{"none", "Nothing"}, {"optimizer", "Optimizer states"}, {"idle", "Everything idle"}, {"shards", "Shards, permanently"}},
            .isAdvanced = true},
        {.key = "engine.wrap.min_params", .label = "Parameters per unit",
            .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Consecutive blocks form one unit until it has this many parameters and are gathered and recomputed "
                    "together; 0: one unit per block",
            .unit = "parameters", .minimum = 0, .maximum = 1e12, .isAdvanced = true},
        {.key = "engine.wrap.keep_in_root", .label = "Blocks in the root unit", .type = Text, .defaultValue = "",
            .help = "Blocks that belong to the root unit and so stay gathered from forward to backward: comma-separated "
                    "names in which * stands for anything, as in blocks.0, blocks.1*; * makes the whole model one unit",
            .isAdvanced = true},
    };
}

}  // namespace contract
