// A rectangular part of a matrix in a file.
#pragma once
#include <cstdint>
#include <string>

namespace contract {

struct MatrixWindow {
    std::string name;  ///< the tensor in the file; it has two dimensions
    std::int64_t firstRow = 0, rows = 0;
    std::int64_t firstColumn = 0, columns = 0;
    bool swapsHalves = false;  ///< the window's two halves of rows are stored in reverse order
};

}  // namespace contract
