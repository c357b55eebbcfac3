#include "engine/diffusion/sde_window.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randint.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

SdeWindow allButLast(std::int64_t steps) { return {0, steps - 1}; }

SdeWindow drawnWindow(const SdeWindowOptions& options, const at::Generator& generator)
{
    const std::int64_t size = *options.size;
    const auto start = at::randint(options.first, options.last - size + 1, {1}, generator, at::kLong).item<std::int64_t>();
    return {start, start + size};
}

}  // namespace

void requireFits(const SdeWindowOptions& options, std::int64_t steps)
{
    const auto [size, first, last] = options;
    if (!size) {
        if (steps < 2)
            throw std::invalid_argument("without a window all steps but the last are stochastic, which needs at least 2 steps");
        return;
    }
    const std::string range = "the range [" + std::to_string(first) + ", " + std::to_string(last) + ")";
    if (*size < 1 || first < 0 || last - *size < first)
        throw std::invalid_argument("a window of " + std::to_string(*size) + " stochastic steps does not fit into " + range);
    if (last > steps)
        throw std::invalid_argument(range + " of stochastic steps goes beyond the " + std::to_string(steps) + " steps of a sample");
}

std::vector<SdeWindow> drawnWindows(const SdeWindowOptions& options, std::int64_t steps, std::int64_t rows, std::span<const at::Generator> generators)
{
    requireFits(options, steps);
    const auto count = static_cast<std::int64_t>(generators.size());
    if (!options.size)
        return std::vector<SdeWindow>(static_cast<std::size_t>(rows), allButLast(steps));
    if (count != 1 && count != rows)
        throw std::invalid_argument(std::to_string(count) + " random generators are given for " + std::to_string(rows) + " rows; give one for each, or one for all");
    std::vector<SdeWindow> windows;
    for (const at::Generator& generator : generators)
        windows.push_back(drawnWindow(options, generator));
    windows.resize(static_cast<std::size_t>(rows), windows.front());
    return windows;
}

SdeWindow randomWindow(const SdeWindowOptions& options, std::int64_t steps, std::uint64_t seed, std::int64_t step)
{
    requireFits(options, steps);
    if (!options.size)
        return allButLast(steps);
    return drawnWindow(options, at::detail::createCPUGenerator(seed + static_cast<std::uint64_t>(step)));
}

SdeWindow progressiveWindow(const SdeWindowOptions& options, std::int64_t steps, std::int64_t step, std::int64_t stepsPerWindow)
{
    requireFits(options, steps);
    if (!options.size)
        return allButLast(steps);
    const std::int64_t size = *options.size;
    const std::int64_t moves = std::max<std::int64_t>(0, step) / std::max<std::int64_t>(1, stepsPerWindow);
    const std::int64_t most = options.last - size;
    // `moves` may be large; compare before multiplying.
    const std::int64_t start = moves > (most - options.first) / size ? most : std::min(options.first + moves * size, most);
    return {start, start + size};
}

}  // namespace engine
