// Checksums of files of other programs. Our own files have those of checksum.h, which are stronger and faster.
#pragma once
#include <cstdint>
#include <string_view>

namespace contract {

/// The checksum of the Castagnoli polynomial, as in TensorBoard's event files.
std::uint32_t crc32c(std::string_view bytes);

/// The checksum of IEEE 802.3's polynomial, as zlib's crc32(). @param previous of the bytes before these
std::uint32_t crc32(std::string_view bytes, std::uint32_t previous = 0);

}  // namespace contract
