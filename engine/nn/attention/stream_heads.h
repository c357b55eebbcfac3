// Converts the projections of token streams to attention heads and back.
// Dims: B samples, n tokens of a stream, H heads, d elements of a head.
#pragma once
#include "engine/nn/attention/attention.h"

#include <cstdint>
#include <vector>

namespace engine {

/// Queries, keys and values of all streams, concatenated, or their gradients: [B, H, tokens, d] each.
struct Heads {
    at::Tensor query, key, value;

    static Heads like(Tape& tape, const Heads& other);  ///< uninitialised memory of the same shapes
};

/// Which part of a divided stream's tokens this rank has.
struct SequencePart {
    std::int64_t index = 0, count = 1;
};

/// The inputs of one attention.
struct StreamHeads {
    std::vector<AttentionStream> streams;
    AttentionForm form;
    SequencePart part;
    std::int64_t batch = 0, queries = 0, keys = 0;  ///< queries and keys: of all streams, on this rank
    at::ScalarType dtype = at::kFloat;
    bool scalesQueries = false;  ///< whether split() applies scale(); otherwise the code that computes the scores does

    StreamHeads(const std::vector<AttentionStream>& streams, const AttentionForm& form, const SequencePart& part = {});

    double scale() const;
    /// The one that computes this attention. @param trains with backward
    AttentionKernel kernel(bool trains) const;
    static std::int64_t tokensOf(const ProjectedPart& part) { return part.value ? part.value->data.size(1) : 0; }

    /// Values for the outputs: [B, n, H · d] for each stream with queries.
    std::vector<Var> makeOutputs(Tape& tape) const;
    /// [B, H, tokens, d]
    std::vector<std::int64_t> headsShape(std::int64_t tokens) const { return {batch, form.heads, tokens, form.headSize}; }

    /// Whether a single stream needs no transformation.
    bool canBeViews() const;
    /// A tensor [B, n, H · d], an output or its gradient, as heads [B, H, n, d] in the same memory.
    at::Tensor headsOf(const at::Tensor& joined) const { return headsOf(joined, 0).transpose(1, 2); }

    /// @param allowViews return views of the projection if canBeViews()
    Heads split(Tape& tape, bool allowViews) const;
    /// Converts gradients of heads to those of projections and norms.
    void splitBackward(Tape& tape, const Heads& gradients) const;
    /// The gradients of projections as heads, where canBeViews(): to be overwritten.
    Heads gradientViews(Tape& tape) const;
    /// Allocates the gradients of all parts. Call it before backward's scratch memory, which they must outlive.
    void reserveGradients(Tape& tape) const;

    /// Writes @p mixed [B, H, queries, d] to the outputs.
    void join(Tape& tape, const at::Tensor& mixed, const std::vector<Var>& outputs) const;
    /// The outputs, or their gradients (zero for an output without one), as heads [B, H, queries, d] in scratch memory.
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
