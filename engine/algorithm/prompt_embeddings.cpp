#include "engine/algorithm/prompt_embeddings.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

namespace engine {
namespace {

const std::string kMaskSuffix = "_mask";

/// Returns [B, L, …], with zeros as padding.
at::Tensor denseRows(const RaggedRows& rows)
{
    const std::int64_t longest = rows.lengths.empty() ? 0 : *std::ranges::max_element(rows.lengths);
    std::vector<std::int64_t> shape = rows.values.sizes().vec();
    shape.front() = longest;
    shape.insert(shape.begin(), static_cast<std::int64_t>(rows.lengths.size()));
    const at::Tensor result = at::zeros(shape, rows.values.options());
    std::int64_t first = 0, row = 0;
    for (const std::int64_t length : rows.lengths) {
        result.select(0, row++).narrow(0, 0, length).copy_(rows.values.narrow(0, first, length));
        first += length;
    }
    return result;
}

/// [B, L] bool
at::Tensor maskOf(const RaggedRows& rows)
{
    return denseRows({at::ones({rows.values.size(0)}, rows.values.options().dtype(at::kBool)), rows.lengths});
}

/// Appends zero tokens until there are @p length of them.
at::Tensor paddedRows(const at::Tensor& rows, std::int64_t length)
{
    std::vector<std::int64_t> shape = rows.sizes().vec();
    shape[1] = length - shape[1];
    return at::cat({rows, at::zeros(shape, rows.options())}, 1);
}

/// Returns the number of tokens in each row, from its mask.
std::vector<std::int64_t> lengthsOf(const at::Tensor& mask)
{
    const at::Tensor kept = mask.to(at::kCPU, at::kBool).contiguous();
    std::vector<std::int64_t> lengths;
    for (std::int64_t row = 0; row < kept.size(0); ++row) {
        const bool* const begin = kept.const_data_ptr<bool>() + row * kept.size(1);
        const bool* const end = begin + kept.size(1);
        const bool* const padding = std::find(begin, end, false);
        if (std::find(padding, end, true) != end)
            throw std::invalid_argument("the mask of row " + std::to_string(row)
                + " has a token after padding; all tokens must come before the padding");
        lengths.push_back(padding - begin);
    }
    return lengths;
}

}  // namespace

PromptEmbeddings padToLongest(const RaggedRows& embeds, const RaggedRows* mask)
{
    if (mask && mask->lengths != embeds.lengths)
        throw std::invalid_argument("the rows of the mask and of the embeddings differ in length");
    const bool isEven = std::ranges::adjacent_find(embeds.lengths, std::not_equal_to()) == embeds.lengths.end();
    at::Tensor rows = denseRows(embeds);
    if (mask)
        return {std::move(rows), denseRows(*mask)};
    return {std::move(rows), isEven ? at::Tensor() : maskOf(embeds)};
}

PromptEmbeddings padToMultiple(const PromptEmbeddings& prompts, std::int64_t multiple)
{
    const std::int64_t length = prompts.embeds.size(1), padded = (length + multiple - 1) / multiple * multiple;
    if (padded == length)
        return prompts;
    const at::Tensor mask = prompts.mask.defined()
        ? prompts.mask
        : at::ones({prompts.embeds.size(0), length}, prompts.embeds.options().dtype(at::kBool));
    return {paddedRows(prompts.embeds, padded), paddedRows(mask, padded)};
}

RaggedPrompts withoutPadding(const PromptEmbeddings& prompts)
{
    const std::int64_t count = prompts.embeds.size(0), length = prompts.embeds.size(1);
    if (!prompts.mask.defined())
        return {{prompts.embeds.flatten(0, 1), std::vector<std::int64_t>(static_cast<std::size_t>(count), length)}, {}};
    if (prompts.mask.dim() != 2 || prompts.mask.size(0) != count || prompts.mask.size(1) != length)
        throw std::invalid_argument("the mask must have one value per token: " + std::to_string(count)
            + " rows of " + std::to_string(length) + " tokens");
    const auto lengths = lengthsOf(prompts.mask);
    std::vector<at::Tensor> rows = {prompts.embeds.flatten(0, 1).narrow(0, 0, 0)};
    for (std::int64_t row = 0; row < count; ++row)
        rows.push_back(prompts.embeds.select(0, row).narrow(0, 0, lengths[static_cast<std::size_t>(row)]));
    RaggedRows embeds {at::cat(rows), lengths};
    RaggedRows mask {at::ones({embeds.values.size(0)}, prompts.embeds.options().dtype(at::kBool)), lengths};
    return {std::move(embeds), std::move(mask)};
}

void dropPadding(RolloutBatch& batch, const std::string& name)
{
    const auto* embeds = batch.find<at::Tensor>(name);
    if (!embeds)
        return;
    const auto* mask = batch.find<at::Tensor>(name + kMaskSuffix);
    RaggedPrompts prompts = withoutPadding({*embeds, mask ? *mask : at::Tensor()});
    batch.set(name, std::move(prompts.embeds));
    if (prompts.mask)
        batch.set(name + kMaskSuffix, std::move(*prompts.mask));
}

std::optional<PromptEmbeddings> promptEmbeddings(
    const RolloutBatch& batch, const std::string& name, std::int64_t sequenceRanks)
{
    const auto* mask = batch.find<at::Tensor>(name + kMaskSuffix);
    if (const auto* ragged = batch.find<RaggedRows>(name))
        return padToMultiple(padToLongest(*ragged, batch.find<RaggedRows>(name + kMaskSuffix)), sequenceRanks);
    if (const auto* embeds = batch.find<at::Tensor>(name))
        return padToMultiple({*embeds, mask ? *mask : at::Tensor()}, sequenceRanks);
    return std::nullopt;
}

}  // namespace engine
