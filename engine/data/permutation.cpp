#include "engine/data/permutation.h"

#include <numeric>
#include <utility>

namespace engine {
namespace {

/// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
class SplitMix {
public:
    explicit SplitMix(std::uint64_t state)
        : m_state(state)
    {
    }

    std::uint64_t next()
    {
        std::uint64_t z = m_state += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

    /// Returns a uniform number in [0, bound). Rejects the first 2^64 mod bound values, which would favour small results.
    std::uint64_t below(std::uint64_t bound)
    {
        const std::uint64_t rejected = (0 - bound) % bound;
        std::uint64_t value = next();
        while (value < rejected)
            value = next();
        return value % bound;
    }

private:
    std::uint64_t m_state;
};

}  // namespace

std::vector<std::int64_t> randomPermutation(
    std::int64_t size, std::uint64_t seed, std::uint64_t stream)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), std::int64_t {0});
    // The seed is mixed before the stream is added; otherwise seed 1, stream 0 would equal seed 0, stream 1.
    SplitMix random(SplitMix(seed).next() + stream);
    for (std::size_t left = order.size(); left > 1; --left)  // Fisher–Yates
        std::swap(order[left - 1], order[random.below(left)]);
    return order;
}

}  // namespace engine
