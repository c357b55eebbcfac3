// Converts embeddings of prompts of different lengths between ragged and padded form.
// Dims: B rows, L tokens of the longest row, D features.
#pragma once
#include "engine/algorithm/rollout_batch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

namespace engine {

struct PromptEmbeddings {
    at::Tensor embeds;  ///< [B, L, D]; padding tokens are 0
    at::Tensor mask;    ///< [B, L], 0 for padding; undefined when no row has padding
};

/// Pads all rows to the length of the longest one.
/// @param embeds values [tokens, D]
/// @param mask values [tokens]; nullptr: derived from the lengths, and undefined when they are all equal
/// @throws std::invalid_argument when a row's mask and embeddings differ in length.
PromptEmbeddings padToLongest(const RaggedRows& embeds, const RaggedRows* mask);

/// Pads embeddings and mask with zeros until L is a multiple of @p multiple, the number of ranks in a sequence group.
PromptEmbeddings padToMultiple(const PromptEmbeddings& prompts, std::int64_t multiple);

/// Rows without their padding.
struct RaggedPrompts {
    RaggedRows embeds;
    std::optional<RaggedRows> mask;  ///< all true; nullopt when there was no mask
};

/// Removes the padding that the mask marks.
/// @throws std::invalid_argument naming a row whose mask has a token after padding.
RaggedPrompts withoutPadding(const PromptEmbeddings& prompts);

/// Replaces the padded fields @p name and @p name + "_mask" of @p batch by ragged ones without padding. No-op when @p name
/// is not a tensor field. A mask field of another kind counts as missing.
void dropPadding(RolloutBatch& batch, const std::string& name);

/// Returns the fields @p name and @p name + "_mask", ragged or padded, with L padded to a multiple of @p sequenceRanks.
/// @return nullopt when @p name is neither a tensor nor ragged. A mask field of another kind counts as missing.
std::optional<PromptEmbeddings> promptEmbeddings(
    const RolloutBatch& batch, const std::string& name, std::int64_t sequenceRanks);

}  // namespace engine
