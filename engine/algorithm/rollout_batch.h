// The results of a rollout as named fields: tensors, rows of different lengths, and texts.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace engine {

/// Rows of different lengths, such as the tokens of prompts.
struct RaggedRows {
    at::Tensor values;                  ///< [sum of lengths, …], the rows concatenated
    std::vector<std::int64_t> lengths;  ///< length of each row, at least 0
};

/// One text per row, such as the uid of its prompt.
using Texts = std::vector<std::string>;

/// Named fields that all have the same number of rows. Copies share their tensors.
class RolloutBatch {
public:
    using Field = std::variant<at::Tensor, RaggedRows, Texts>;

    /// Adds or replaces a field. @param field a tensor must be [B, …]
    /// @throws std::invalid_argument when the number of rows differs from that of the batch, or when ragged lengths do not
    ///         add up to the number of values.
    void set(const std::string& name, Field field);

    std::int64_t rows() const { return m_rows; }  ///< 0 when there are no fields

    /// Returns the field of that name, or nullptr when it does not exist or is of another kind.
    template <typename Kind>
    const Kind* find(const std::string& name) const
    {
        const auto found = m_fields.find(name);
        return found == m_fields.end() ? nullptr : std::get_if<Kind>(&found->second);
    }

    /// Returns the tensor field @p name. @throws std::out_of_range naming the field and the existing ones.
    const at::Tensor& tensor(const std::string& name) const;

    /// Returns rows first … first + count - 1. Their tensors share memory with this batch.
    RolloutBatch narrow(std::int64_t first, std::int64_t count) const;

    /// Returns a copy of the rows with the given indices, in that order.
    RolloutBatch select(const std::vector<std::int64_t>& rows) const;

    RolloutBatch to(c10::Device device) const;  ///< an upload does not make the host wait

private:
    template <typename OnTensor, typename OnRagged, typename OnTexts>
    RolloutBatch mapFields(std::int64_t rows, OnTensor onTensor, OnRagged onRagged, OnTexts onTexts) const;

    std::map<std::string, Field> m_fields;
    std::int64_t m_rows = 0;
};

/// Splits @p batch into parts of @p microBatch rows each, in order. They share its memory.
/// @throws EngineError WrongUsage naming both numbers when @p microBatch does not divide the number of rows.
std::vector<RolloutBatch> microBatches(const RolloutBatch& batch, std::int64_t microBatch);

}  // namespace engine
