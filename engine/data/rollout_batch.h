// Rows of what a rollout left, by name: tensors, rows of different lengths, texts.
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
    at::Tensor values;                  ///< [sum of lengths, …]: row after row
    std::vector<std::int64_t> lengths;  ///< of each row, 0 or more
};

/// One for each row, such as the uid of its prompt.
using Texts = std::vector<std::string>;

/// Fields of equal numbers of rows. Copies share their tensors.
class RolloutBatch {
public:
    using Field = std::variant<at::Tensor, RaggedRows, Texts>;

    /// Adds a field or replaces it. @param field a tensor is [B, …]
    /// @throws std::invalid_argument for another number of rows than the other fields have, naming both, or where
    ///         ragged lengths do not add up to the values.
    void set(const std::string& name, Field field);

    std::int64_t rows() const { return m_rows; }  ///< 0 without fields

    /// nullptr where there is none of that name, or of another kind.
    template <typename Kind>
    const Kind* find(const std::string& name) const
    {
        const auto found = m_fields.find(name);
        return found == m_fields.end() ? nullptr : std::get_if<Kind>(&found->second);
    }

    /// @throws std::out_of_range naming the field and those that there are.
    const at::Tensor& tensor(const std::string& name) const;

    /// Rows first … first + count - 1, sharing memory.
    RolloutBatch narrow(std::int64_t first, std::int64_t count) const;

    /// The rows of that numbers in that order, copied.
    RolloutBatch select(const std::vector<std::int64_t>& rows) const;

    RolloutBatch to(c10::Device device) const;

private:
    template <typename OnTensor, typename OnRagged, typename OnTexts>
    RolloutBatch changed(std::int64_t rows, OnTensor onTensor, OnRagged onRagged, OnTexts onTexts) const;

    std::map<std::string, Field> m_fields;
    std::int64_t m_rows = 0;
};

/// @p batch in equal parts of @p microBatch rows, in order; they share its memory.
/// @throws EngineError WrongUsage naming both numbers where the rows do not divide.
std::vector<RolloutBatch> microBatches(const RolloutBatch& batch, std::int64_t microBatch);

}  // namespace engine
