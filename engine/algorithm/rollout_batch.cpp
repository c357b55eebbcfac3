#include "engine/algorithm/rollout_batch.h"

#include "engine/comm/errors.h"
#include "engine/shard/upload.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include <numeric>
#include <stdexcept>

namespace engine {
namespace {

std::int64_t rowsOf(const RolloutBatch::Field& field)
{
    if (const auto* tensor = std::get_if<at::Tensor>(&field))
        return tensor->defined() && tensor->dim() > 0 ? tensor->size(0) : -1;
    if (const auto* ragged = std::get_if<RaggedRows>(&field))
        return static_cast<std::int64_t>(ragged->lengths.size());
    return static_cast<std::int64_t>(std::get<Texts>(field).size());
}

std::int64_t sum(std::vector<std::int64_t>::const_iterator begin, std::vector<std::int64_t>::const_iterator end)
{
    return std::accumulate(begin, end, std::int64_t {0});
}

RaggedRows raggedPart(const RaggedRows& rows, std::int64_t first, std::int64_t count)
{
    const auto begin = rows.lengths.begin() + first, end = begin + count;
    return {rows.values.narrow(0, sum(rows.lengths.begin(), begin), sum(begin, end)), {begin, end}};
}

}  // namespace

void RolloutBatch::set(const std::string& name, Field field)
{
    const std::int64_t rows = rowsOf(field);
    if (rows < 0)
        throw std::invalid_argument("the field \"" + name + "\" has no rows; it must be a tensor with shape [B, …]");
    if (!m_fields.empty() && rows != m_rows)
        throw std::invalid_argument("the field \"" + name + "\" has " + std::to_string(rows) + " rows, but the batch has "
            + std::to_string(m_rows));
    if (const auto* ragged = std::get_if<RaggedRows>(&field)) {
        const std::int64_t length = sum(ragged->lengths.begin(), ragged->lengths.end());
        if (ragged->values.size(0) != length)
            throw std::invalid_argument("the row lengths of \"" + name + "\" add up to " + std::to_string(length)
                + ", but it has " + std::to_string(ragged->values.size(0)) + " values");
    }
    m_rows = rows;
    m_fields.insert_or_assign(name, std::move(field));
}

const at::Tensor& RolloutBatch::tensor(const std::string& name) const
{
    if (const auto* found = find<at::Tensor>(name))
        return *found;
    std::string names;
    for (const auto& [other, field] : m_fields)
        names += (names.empty() ? "" : ", ") + other;
    throw std::out_of_range("the batch has no tensor \"" + name + "\", only: " + names);
}

template <typename OnTensor, typename OnRagged, typename OnTexts>
RolloutBatch RolloutBatch::mapFields(std::int64_t rows, OnTensor onTensor, OnRagged onRagged, OnTexts onTexts) const
{
    RolloutBatch result;
    result.m_rows = rows;
    for (const auto& [name, field] : m_fields) {
        if (const auto* tensor = std::get_if<at::Tensor>(&field))
            result.m_fields.emplace(name, onTensor(*tensor));
        else if (const auto* ragged = std::get_if<RaggedRows>(&field))
            result.m_fields.emplace(name, onRagged(*ragged));
        else
            result.m_fields.emplace(name, onTexts(std::get<Texts>(field)));
    }
    return result;
}

RolloutBatch RolloutBatch::narrow(std::int64_t first, std::int64_t count) const
{
    if (first < 0 || count < 0 || first + count > m_rows)
        throw std::out_of_range("rows [" + std::to_string(first) + ", " + std::to_string(first + count)
            + ") are not within the batch's " + std::to_string(m_rows) + " rows");
    return mapFields(
        count, [=](const at::Tensor& tensor) { return tensor.narrow(0, first, count); },
        [=](const RaggedRows& ragged) { return raggedPart(ragged, first, count); },
        [=](const Texts& texts) { return Texts(texts.begin() + first, texts.begin() + first + count); });
}

RolloutBatch RolloutBatch::select(const std::vector<std::int64_t>& rows) const
{
    const at::Tensor index = at::tensor(rows, at::kLong);
    return mapFields(
        static_cast<std::int64_t>(rows.size()),
        [&](const at::Tensor& tensor) { return tensor.index_select(0, index.to(tensor.device())); },
        [&](const RaggedRows& ragged) {
            RaggedRows picked {ragged.values.narrow(0, 0, 0), {}};
            std::vector<at::Tensor> parts;
            for (const std::int64_t row : rows) {
                parts.push_back(raggedPart(ragged, row, 1).values);
                picked.lengths.push_back(parts.back().size(0));
            }
            if (!parts.empty())
                picked.values = at::cat(parts);
            return picked;
        },
        [&](const Texts& texts) {
            Texts picked;
            for (const std::int64_t row : rows)
                picked.push_back(texts.at(static_cast<std::size_t>(row)));
            return picked;
        });
}

RolloutBatch RolloutBatch::to(c10::Device device) const
{
    const auto moved = [device](const at::Tensor& tensor) { return tensor.is_cpu() ? uploaded(tensor, device) : tensor.to(device); };
    return mapFields(
        m_rows, moved, [&](const RaggedRows& ragged) { return RaggedRows {moved(ragged.values), ragged.lengths}; },
        [](const Texts& texts) { return texts; });
}

std::vector<RolloutBatch> microBatches(const RolloutBatch& batch, std::int64_t microBatch)
{
    if (microBatch < 1 || batch.rows() % microBatch != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "batch.micro = " + std::to_string(microBatch) + " does not divide the " + std::to_string(batch.rows())
                + " rows of this rank; set batch.micro to a divisor of that number");
    std::vector<RolloutBatch> parts;
    for (std::int64_t first = 0; first < batch.rows(); first += microBatch)
        parts.push_back(batch.narrow(first, microBatch));
    return parts;
}

}  // namespace engine
