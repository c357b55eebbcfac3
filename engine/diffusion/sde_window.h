// Which steps of a sampling run are stochastic: a window of them, the others follow the ODE (rows ).
#pragma once
#include <ATen/core/Generator.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

/// Steps start, start + 1, …, end - 1.
struct SdeWindow {
    std::int64_t start = 0, end = 0;

    bool contains(std::int64_t step) const { return start <= step && step < end; }
    std::int64_t size() const { return end - start; }
    bool operator==(const SdeWindow&) const = default;
};

struct SdeWindowOptions {
    std::optional<std::int64_t> size = {};  ///< nullopt: all steps but the last, whatever the range
    std::int64_t first = 0, last = 5;       ///< windows lie in [first, last)
};

/// @throws std::invalid_argument naming size, range and steps when no window fits into the range, or the range into the steps.
void requireFits(const SdeWindowOptions& options, std::int64_t steps);

/// Draws a window for each row, all of one size: from the row's own generator, or one for all rows when there is a single generator.
/// @param generators of the CPU. @throws std::invalid_argument as requireFits() does, or for another number of generators.
std::vector<SdeWindow> drawnWindows(const SdeWindowOptions& options, std::int64_t steps, std::int64_t rows, std::span<const at::Generator> generators);

/// MixGRPO's random window (row A-042): the same on all ranks. @param step of training
SdeWindow randomWindow(const SdeWindowOptions& options, std::int64_t steps, std::uint64_t seed, std::int64_t step);

/// MixGRPO's progressive window (row A-043): moves by its size every @p stepsPerWindow training steps, up to the end of the range.
SdeWindow progressiveWindow(const SdeWindowOptions& options, std::int64_t steps, std::int64_t step, std::int64_t stepsPerWindow);

}  // namespace engine
