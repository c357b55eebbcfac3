#include "engine/data/captions.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace engine {
namespace {

std::vector<std::string> partsOf(const std::string& caption, const std::string& separator)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= caption.size();) {
        const std::size_t end = std::min(caption.find(separator, begin), caption.size());
        const std::size_t first = caption.find_first_not_of(" \t\r\n", begin);
        if (first < end) {
            const std::size_t last = caption.find_last_not_of(" \t\r\n", end - 1);
            parts.push_back(caption.substr(first, last - first + 1));
        }
        begin = end + separator.size();
    }
    return parts;
}

/// Returns 0 … count - 1 in random order.
std::vector<std::size_t> drawnOrder(std::size_t count, const RandomKey& key)
{
    std::vector<float> numbers(count);
    fillUniform(numbers, key);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t {0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    return order;
}

}  // namespace

std::string augmentedCaption(
    const std::string& caption, const CaptionRules& rules, std::uint64_t seed, std::uint64_t step, std::uint64_t row)
{
    float drawn = 0;
    fillUniform({&drawn, 1}, {seed, "caption dropout", step, row});
    if (static_cast<double>(drawn) < rules.dropout)
        return {};
    if (!rules.isShuffled)
        return caption;
    if (rules.separator.empty())
        throw std::invalid_argument("augmentedCaption: shuffling needs a separator");
    const std::vector<std::string> parts = partsOf(caption, rules.separator);
    const std::size_t kept = std::min(parts.size(), static_cast<std::size_t>(std::max<std::int64_t>(rules.fixedParts, 0)));
    std::string result;
    const auto add = [&](const std::string& part) { result += (result.empty() ? "" : rules.separator + " ") + part; };
    for (std::size_t index = 0; index < kept; ++index)
        add(parts[index]);
    for (const std::size_t index : drawnOrder(parts.size() - kept, {seed, "caption order", step, row}))
        add(parts[kept + index]);
    return result;
}

}  // namespace engine
