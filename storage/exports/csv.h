// Cells of comma-separated values.
#pragma once
#include <string>

namespace storage {

/// @p text as a cell, in quotes where RFC 4180 asks for them.
std::string csvCell(const std::string& text);

}  // namespace storage
