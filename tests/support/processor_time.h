// How long this process has computed, whatever else its machine does: for limits that only a wrong algorithm reaches.
#pragma once
#include <ctime>

namespace tests {

/// In seconds, of all threads.
inline double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace tests
