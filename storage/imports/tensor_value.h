// Tensors in event files: TensorFlow's TensorProto.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace storage {

/// The only number that a serialised tensor holds; nullopt when it holds none or several, texts, or complex numbers. float16, bfloat16,
/// float32, float64, integers and booleans are read, wherever the writer has put them.
std::optional<double> numberOf(std::string_view tensor);

/// The texts in a serialised tensor of texts, which they lie in; empty for others.
std::vector<std::string_view> textsOf(std::string_view tensor);

}  // namespace storage
