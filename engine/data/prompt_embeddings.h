// Embeddings of prompts of different lengths, as a model takes them.
// Dims: B rows, L tokens of the longest row, D features.
#pragma once
#include "engine/data/rollout_batch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

namespace engine {

struct PromptEmbeddings {
    at::Tensor embeds;  ///< [B, L, D]; tokens past a row's end are 0
    at::Tensor mask;    ///< [B, L], 0 past a row's end; undefined where every row has all L tokens
};

/// Rows padded to the longest of them. @param embeds values [tokens, D]
/// @param mask values [tokens], or nullptr: then the lengths say it, and equal ones need no mask
/// @throws std::invalid_argument where a row's mask is not as long as its embeddings.
PromptEmbeddings dense(const RaggedRows& embeds, const RaggedRows* mask);

/// L rounded up to a multiple of @p multiple, the ranks of a sequence group, with zeros in embeddings and mask.
PromptEmbeddings paddedTo(const PromptEmbeddings& prompts, std::int64_t multiple);

/// Rows without their padding.
struct RaggedPrompts {
    RaggedRows embeds;
    std::optional<RaggedRows> mask;  ///< all true; nothing where there was none
};

/// @throws std::invalid_argument naming a row whose mask has a token after padding.
RaggedPrompts withoutPadding(const PromptEmbeddings& prompts);

/// Replaces the dense fields @p name and @p name + "_mask" of @p batch by ragged ones: each prompt of its own length.
/// Nothing where @p name is no tensor; a mask that is none counts as missing.
void dropPadding(RolloutBatch& batch, const std::string& name);

/// The fields @p name and @p name + "_mask", ragged or dense, as a model on @p sequenceRanks ranks takes them.
/// @return nothing where @p name is neither; a mask that is neither counts as missing.
std::optional<PromptEmbeddings> promptEmbeddings(
    const RolloutBatch& batch, const std::string& name, std::int64_t sequenceRanks);

}  // namespace engine
