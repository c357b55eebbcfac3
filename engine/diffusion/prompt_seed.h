// A seed of the initial noise that all samples of one prompt share (row A-047). Does not include torch.
#pragma once
#include <cstdint>
#include <span>

namespace engine {

/// Returns the first 8 bytes, big-endian, of the MD5 digest of "(id, id, …)", plus @p step modulo 2^64. The text is as Python writes a
/// tuple: "()", "(7,)", "(7, 8)".
/// @param tokens ids of the prompt; @param step of training
std::uint64_t promptSeed(std::span<const std::int64_t> tokens, std::int64_t step);

}  // namespace engine
