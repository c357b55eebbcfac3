// A part of a matrix in a file.
#pragma once
#include <cstdint>
#include <string>

namespace contract {

struct MatrixWindow {
    std::string name;  ///< of the tensor in the file, [any, any]
    std::int64_t firstRow = 0, rows = 0;
    std::int64_t firstColumn = 0, columns = 0;
    bool swapsHalves = false;  ///< its second half of rows is the first in the file
};

}  // namespace contract
