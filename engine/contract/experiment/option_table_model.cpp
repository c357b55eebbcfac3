// Options of the model, the data, the objective and the batch.
#include "engine/contract/experiment/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

}  // namespace

std::vector<Option> modelOptions()
{
    return {
        {.key = "model.name", .label = "Model", .type = Choice, .defaultValue = "dit",
            .help = "dit: a class-conditional diffusion transformer, from scratch; sd3: a transformer like Stable Diffusion "
                    "3's, from scratch, which reads captions word by word and generates pixels; diffusers: the model in "
                    "model.folder", .choices = {"dit", "sd3", "diffusers"},
            .choiceLabels = {{"dit", "DiT, class-conditional"}, {"sd3", "Like Stable Diffusion 3"}, {"diffusers", "Pretrained (diffusers)"}}},
        {.key = "model.folder", .label = "Model folder", .type = FolderPath, .defaultValue = "",
            .help = "Folder of a pretrained diffusers pipeline", .appliesTo = "model.name=diffusers"},
        {.key = "model.component", .label = "Transformer to train", .type = Choice, .defaultValue = "transformer",
            .help = "Which transformer of the folder trains; Wan 2.2 has two, transformer for high and transformer_2 for low "
                    "noise levels, and each trains on its own levels", .choices = {"transformer", "transformer_2"},
            .choiceLabels = {{"transformer_2", "Second transformer"}},
            .appliesTo = "model.name=diffusers", .isAdvanced = true},
        {.key = "model.patch", .label = "Patch size", .type = Integer, .defaultValue = std::int64_t{2},
            .help = "Side of the square of pixels that becomes one token", .unit = "px",
            .minimum = 1, .maximum = 64, .appliesTo = "model.name=dit|sd3"},
        {.key = "model.width", .label = "Width", .type = Integer, .defaultValue = std::int64_t{128},
            .help = "Width of the transformer; a multiple of model.heads", .minimum = 8, .maximum = 16384,
            .appliesTo = "model.name=dit|sd3"},
        {.key = "model.depth", .label = "Depth", .type = Integer, .defaultValue = std::int64_t{6},
            .help = "Number of transformer blocks", .unit = "blocks", .minimum = 1, .maximum = 512,
            .appliesTo = "model.name=dit|sd3"},
        {.key = "model.heads", .label = "Attention heads", .type = Integer, .defaultValue = std::int64_t{4},
            .help = "Attention heads", .minimum = 1, .maximum = 256, .appliesTo = "model.name=dit|sd3"},
        {.key = "model.label_dropout", .label = "Label dropout", .type = Real, .defaultValue = 0.1,
            .help = "Probability that a label is dropped in training, which classifier-free guidance needs", .minimum = 0,
            .maximum = 1, .appliesTo = "model.name=dit"},
        {.key = "model.trainable", .label = "Trained parameters", .type = Text, .defaultValue = "all",
            .help = "Parameters that train: all, or comma-separated names in which * stands for anything, as in "
                    "blocks.*.qkv.*; the others are frozen", .isAdvanced = true},

        {.key = "lora.rank", .label = "Adapter rank", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Rank of a LoRA adapter, which then is all that trains; 0: no adapter, the model itself trains",
            .minimum = 0, .maximum = 4096, .appliesTo = "model.name=diffusers"},
        {.key = "lora.alpha", .label = "Adapter alpha", .type = Real, .defaultValue = 64.0,
            .help = "The adapter's output is scaled by alpha / rank", .minimum = 1e-6, .maximum = 1e6,
            .appliesTo = "model.name=diffusers"},
        {.key = "lora.rslora", .label = "Scale by √rank (rsLoRA)", .type = Boolean, .defaultValue = false,
            .help = "Scale the adapter's output by alpha / √rank instead of alpha / rank",
            .appliesTo = "model.name=diffusers", .isAdvanced = true},
        {.key = "lora.targets", .label = "Adapted layers", .type = Text, .defaultValue = "all-linear",
            .help = "Layers that get an adapter: all-linear, comma-separated names as in to_q, to_k, or a regular expression "
                    "that matches whole names", .appliesTo = "model.name=diffusers"},
        {.key = "lora.exclude", .label = "Excluded layers", .type = Text, .defaultValue = "",
            .help = "Layers that get no adapter although lora.targets selects them, in the same notation",
            .appliesTo = "model.name=diffusers", .isAdvanced = true},
        {.key = "lora.dropout", .label = "Adapter dropout", .type = Real, .defaultValue = 0.0,
            .help = "Probability that an element of an adapter's input is dropped in training", .minimum = 0, .maximum = 0.99,
            .appliesTo = "model.name=diffusers", .isAdvanced = true},
        {.key = "lora.init", .label = "Adapter initialisation", .type = Choice, .defaultValue = "gaussian",
            .help = "Initial values of A, with B = 0: gaussian is N(0, 1 / rank²), kaiming is U(-1 / √in, 1 / √in), which "
                    "PEFT calls true; orthogonal initialises both A and B so that B A = 0 and needs an even lora.rank",
            .choices = {"gaussian", "kaiming", "orthogonal"}, .appliesTo = "model.name=diffusers", .isAdvanced = true},
        {.key = "lora.dtype", .label = "Adapter dtype", .type = Choice, .defaultValue = "fp32",
            .help = "Dtype in which the adapter's weights are stored while they train; their EMA is always fp32",
            .choices = {"fp32", "bf16"},
            .choiceLabels = {{"fp32", "float32"}, {"bf16", "bfloat16"}},
            .spellings = kDtypeSpellings, .appliesTo = "model.name=diffusers", .isAdvanced = true},
        {.key = "lora.init_from", .label = "Start from adapter", .type = FilePath, .defaultValue = "",
            .help = "File or folder of an adapter (PEFT, diffusers or Kohya) to start from; its layers and rank are used",
            .appliesTo = "model.name=diffusers", .isAdvanced = true},

        {.key = "data.path", .label = "Data file", .type = FilePath, .defaultValue = "",
            .help = "Training data: a gzipped CSV file with 64 pixel values and a label per line",
            .appliesTo = "model.name=dit"},
        {.key = "data.source", .label = "Source of the images", .type = Choice, .defaultValue = "folder",
            .help = "Training data: folder uses data.folder; emoji uses the images and names of this machine's emoji font, "
                    "which the first run writes to cache/emoji next to the folder of the runs",
            .choices = {"folder", "emoji"},
            .choiceLabels = {{"folder", "Image folder"}, {"emoji", "Emoji font"}}, .appliesTo = "model.name=diffusers|sd3"},
        {.key = "data.folder", .label = "Image folder", .type = FolderPath, .defaultValue = "",
            .help = "Folder of images (for video models also videos) with captions: NAME.txt next to NAME.png, or "
                    "metadata.jsonl", .appliesTo = "data.source=folder"},
        {.key = "data.resolution", .label = "Resolution", .type = Integer, .defaultValue = std::int64_t{512},
            .help = "Images are scaled to the area of a square with this side; a multiple of 16", .unit = "px",
            .minimum = 16, .maximum = 16384, .appliesTo = "model.name=diffusers|sd3"},
        {.key = "data.frames", .label = "Frames per video", .type = Integer, .defaultValue = std::int64_t{81},
            .help = "Maximum number of frames per video in training and in samples of video models; each video is cut to 1 + "
                    "4 k frames",
            .unit = "frames", .minimum = 1, .maximum = 100001, .appliesTo = "model.name=diffusers"},
        {.key = "data.frame_rate", .label = "Frame rate", .type = Real, .defaultValue = 16.0,
            .help = "Frames used per second of a video file; 0: its own frame rate; folders of frames are used as they are",
            .unit = "1/s", .minimum = 0, .maximum = 1000, .appliesTo = "model.name=diffusers"},
        {.key = "data.max_ratio", .label = "Largest aspect ratio", .type = Real, .defaultValue = 2.0,
            .help = "Largest aspect ratio (long side / short side) that images are cropped to; 1: squares only",
            .minimum = 1, .maximum = 16, .appliesTo = "model.name=diffusers|sd3"},
        {.key = "data.caption_dropout", .label = "Caption dropout", .type = Real, .defaultValue = 0.1,
            .help = "Probability that a caption is replaced by an empty one in training, which classifier-free guidance needs",
            .minimum = 0, .maximum = 1, .appliesTo = "model.name=diffusers|sd3"},
        {.key = "data.shuffle_captions", .label = "Shuffle caption parts", .type = Boolean, .defaultValue = false,
            .help = "Shuffle the comma-separated parts of a caption each time it is used",
            .appliesTo = "model.name=diffusers|sd3", .isAdvanced = true},
        {.key = "data.keep_parts", .label = "Caption parts kept in place",
            .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Number of leading caption parts that shuffling leaves in place",
            .unit = "parts", .minimum = 0, .maximum = 1000,
            .appliesTo = "data.shuffle_captions=true", .isAdvanced = true},
        {.key = "data.folder_repeats", .label = "Repeats from folder names", .type = Boolean, .defaultValue = false,
            .help = "Files in a folder called N_NAME, as in 10_dog, are seen N times per epoch, and NAME is the caption of "
                    "those without one", .appliesTo = "data.source=folder", .isAdvanced = true},
        {.key = "data.prior_folder", .label = "Regularisation images", .type = FolderPath, .defaultValue = "",
            .help = "Folder of images of what the model should not forget; an epoch has as many of them as of all others; "
                    "empty: none", .appliesTo = "model.name=diffusers|sd3", .isAdvanced = true},
        {.key = "data.prior_weight", .label = "Weight of regularisation", .type = Real, .defaultValue = 1.0,
            .help = "Weight of the loss of images in data.prior_folder",
            .minimum = 0, .maximum = 1000, .appliesTo = "model.name=diffusers|sd3", .isAdvanced = true},
        {.key = "data.alpha_masks", .label = "Transparency as mask", .type = Boolean, .defaultValue = false,
            .help = "Treat transparent parts of an image as black parts of a loss mask, unless it has a mask file "
                    "NAME-masklabel.png", .appliesTo = "model.name=diffusers|sd3", .isAdvanced = true},
        {.key = "data.unmasked_weight", .label = "Loss weight outside masks", .type = Real, .defaultValue = 0.0,
            .help = "Weight of the loss where the mask (NAME-masklabel.png next to NAME.png, or transparency) is black",
            .minimum = 0, .maximum = 1, .appliesTo = "model.name=diffusers|sd3", .isAdvanced = true},
        {.key = "data.cache", .label = "Cache folder", .type = FolderPath, .defaultValue = "",
            .help = "Cache folder for encoded images and captions; empty: cache/features next to the folder of the runs",
            .appliesTo = "model.name=diffusers|sd3", .isAdvanced = true},
        {.key = "data.validation_fraction", .label = "Held out for validation", .type = Real, .defaultValue = 0.1,
            .help = "Fraction of the data that is held out for the validation loss",
            .minimum = 0, .maximum = 0.5},

        {.key = "flow.sigmas", .label = "Noise levels", .type = Choice, .defaultValue = "uniform",
            .help = "Distribution of noise levels in training; logit_normal prefers the middle ones, as Stable Diffusion 3 did",
            .choices = {"uniform", "logit_normal"},
            .choiceLabels = {{"logit_normal", "Logit-normal"}}, .appliesTo = "model.name=diffusers|sd3"},
        {.key = "flow.shift", .label = "Noise level shift", .type = Real, .defaultValue = 1.0,
            .help = "Shift of the noise levels towards noise: σ = s u / (1 + (s - 1) u)", .minimum = 0.01, .maximum = 100,
            .appliesTo = "model.name=diffusers|sd3", .isAdvanced = true},
        {.key = "flow.guidance", .label = "Guidance input", .type = Real, .defaultValue = 1.0,
            .help = "Guidance scale that a guidance-distilled model (FLUX.1 dev) receives as an input in training",
            .minimum = 0, .maximum = 100, .appliesTo = "model.name=diffusers", .isAdvanced = true},

        {.key = "algorithm.name", .label = "Training objective", .type = Choice, .defaultValue = "flow_matching",
            .help = "Training objective: flow_matching regresses the velocity, noise - clean; the others draw samples and raise their "
                    "reward, from a model that is trained already", .choices = {"flow_matching", "flow_grpo", "dance_grpo", "mix_grpo",
                    "flow_dppo", "grpo_guard", "distill", "diffusion_nft", "dpo", "awm", "dgpo"},
            .choiceLabels = {{"flow_matching", "Flow matching"}, {"flow_grpo", "Flow-GRPO"}, {"dance_grpo", "DanceGRPO"},
                {"mix_grpo", "MixGRPO"}, {"flow_dppo", "Flow-DPPO"}, {"grpo_guard", "GRPO-Guard"}, {"distill", "Distillation"}, {"diffusion_nft", "DiffusionNFT"},
                {"dpo", "DPO"}, {"awm", "Advantage-weighted matching"}, {"dgpo", "DGPO"}}},

        {.key = "batch.micro", .label = "Samples per pass", .type = Integer, .defaultValue = std::int64_t{32},
            .help = "Samples per rank in each forward pass", .unit = "samples", .minimum = 1,
            .maximum = 1048576},
        {.key = "batch.accumulation", .label = "Passes per step", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Forward and backward passes per optimizer step; their gradients are accumulated", .unit = "passes",
            .minimum = 1, .maximum = 65536, .appliesTo = "algorithm.name=flow_matching"},
        {.key = "batch.global", .label = "Samples per step", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "Samples per step over all ranks, which determines the number of passes; 0 uses batch.accumulation",
            .unit = "samples", .minimum = 0, .maximum = 1e9, .appliesTo = "algorithm.name=flow_matching", .isAdvanced = true},
    };
}

}  // namespace contract
