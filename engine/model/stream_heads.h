// From what streams of tokens bring to attention, to heads, and back.
// Dims: B samples, n tokens of a stream, H heads, d elements of a head.
#pragma once
#include "engine/model/attention.h"

#include <cstdint>
#include <vector>

namespace engine {

/// Queries, keys and values of all streams, one stream after the other, or their gradients. [B, H, tokens, d] each
struct Heads {
    at::Tensor query, key, value;

    static Heads like(Tape& tape, const Heads& other);  ///< memory of the same shapes
};

/// Which of a divided stream's tokens are here.
struct SequencePart {
    std::int64_t index = 0, count = 1;
};

/// One attention: what is asked.
struct StreamHeads {
    std::vector<AttentionStream> streams;
    AttentionForm form;
    SequencePart part;
    std::int64_t batch = 0, queries = 0, keys = 0;  ///< the latter two of all streams, here
    at::ScalarType dtype = at::kFloat;
    bool scalesQueries = false;  ///< split() does, otherwise whoever computes the scores

    StreamHeads(const std::vector<AttentionStream>& streams, const AttentionForm& form, const SequencePart& part = {});

    double scale() const;
    AttentionKernel kernel() const;  ///< for all that is here
    static std::int64_t tokensOf(const ProjectedPart& part) { return part.value ? part.value->data.size(1) : 0; }

    /// Memory for the results: [B, n, H · d] of each stream with queries.
    std::vector<Var> makeOutputs(Tape& tape) const;
    /// [B, H, tokens, d]
    std::vector<std::int64_t> apart(std::int64_t tokens) const { return {batch, form.heads, tokens, form.headSize}; }

    /// @param mayStay where one stream needs no change, its heads may be views of the projection
    Heads split(Tape& tape, bool mayStay) const;
    /// From gradients of heads to those of projections and norms.
    void splitBackward(Tape& tape, const Heads& gradients) const;
    /// Memory for the gradients of all parts, which outlives the scratch of backward.
    void reserveGradients(Tape& tape) const;

    /// @param mixed [B, H, queries, d]
    void join(Tape& tape, const at::Tensor& mixed, const std::vector<Var>& outputs) const;
    /// What outputs hold, or their gradients (zero where none came), as heads. [B, H, queries, d] in scratch memory
    at::Tensor outputHeads(Tape& tape, const std::vector<Var>& outputs) const;
    at::Tensor gradientHeads(Tape& tape, const std::vector<Var>& outputs) const;

private:
    enum class Role { Query, Key, Value };

    at::Tensor headsOf(const at::Tensor& projected, std::int64_t index) const;
    template <typename Body>
    void forParts(Body body) const;
    template <typename Body>
    at::Tensor splitOutputs(Tape& tape, const std::vector<Var>& outputs, Body valuesOf) const;
    static at::Tensor& of(Heads& heads, Role role);
};

}  // namespace engine
