// The header of a safetensors file: which tensors it holds, and where. https://huggingface.co/docs/safetensors
//
// A file starts with eight bytes, the little-endian length of the JSON header that follows; then come the tensors' values,
// row-major and little-endian, one after another without gaps. Files are untrusted: the parser here checks everything.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

struct SafetensorsTensor {
    std::string name;
    std::string dtype;  ///< "F32", "BF16", …: a name that dtypeBytes() knows
    std::vector<std::int64_t> shape;
    std::uint64_t offset = 0;  ///< of the values, in bytes from the start of the file; set when read, ignored when written

    std::uint64_t elements() const;
    std::uint64_t bytes() const;
};

/// The strings of the header's __metadata__ object, such as {"format": "pt"}.
using SafetensorsMetadata = std::map<std::string, std::string>;

struct SafetensorsHeader {
    std::vector<SafetensorsTensor> tensors;  ///< ascending in offset
    SafetensorsMetadata metadata;
};

inline constexpr std::uint64_t kLengthWordBytes = 8;
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  ///< limit for the JSON, as in the reference implementation
inline constexpr std::uint64_t kMaxElements = std::uint64_t {1} << 50;  ///< limit per tensor
inline constexpr std::size_t kMaxDims = 32;

/// Bytes of one element of a safetensors dtype; 0 when the dtype is unknown.
std::uint64_t dtypeBytes(std::string_view dtype);

/// Parses and checks a header. Needs at most a few times the memory of @p json.
/// @param json the header without its length word
/// @param fileBytes size of the whole file
/// @throws std::runtime_error in one sentence that names the tensor and the fault: malformed JSON, an unknown dtype, an
///         impossible shape, a byte count that contradicts the shape, values outside the file, overlaps, gaps, or two
///         tensors of the same name.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t fileBytes);

/// Returns the length word and JSON of a file that holds @p tensors in that order, padded to a multiple of 8 bytes.
/// @throws std::logic_error for an unknown dtype or two tensors of the same name.
std::string safetensorsHeader(const std::vector<SafetensorsTensor>& tensors, const SafetensorsMetadata& metadata);

/// A name from an untrusted file, made fit for a message: in double quotes, on one line, at most 200 bytes.
std::string quotedName(std::string_view name);

}  // namespace contract
