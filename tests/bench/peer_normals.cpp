#include "tests/bench/peer_normals.h"

#include "engine/shard/box_muller.h"

#include <algorithm>
#include <functional>

namespace bench {
namespace {

constexpr std::int64_t kGroup = 16;        // normal_() makes the pairs of Box and Muller of values i and i + 8
constexpr std::int64_t kGroupsAtOnce = 8;
constexpr std::int64_t kPairsAtOnce = kGroupsAtOnce * kGroup / 2;

/// In [0, 1).
ATELIER_INLINE float uniform(std::uint32_t word) { return static_cast<float>(static_cast<std::int32_t>(word & 0xffffff)) * 0x1p-24F; }

ATELIER_MULTIVERSION
void makeNormal(const std::uint32_t* firstWords, const std::uint32_t* secondWords, float* first, float* second)
{
    for (std::int64_t i = 0; i < kPairsAtOnce; ++i) {
        const engine::NormalPair pair = engine::normalPair(uniform(firstWords[i]), uniform(secondWords[i]));
        first[i] = pair.first;
        second[i] = pair.second;
    }
}

}  // namespace

/// @param count up to kGroupsAtOnce
void PeerNormals::drawGroups(std::int64_t count, float* values)
{
    constexpr int kHalf = kGroup / 2;
    std::uint32_t firstWords[kPairsAtOnce] = {}, secondWords[kPairsAtOnce] = {};
    for (std::int64_t group = 0; group < count; ++group) {
        std::generate_n(firstWords + group * kHalf, kHalf, std::ref(m_words));
        std::generate_n(secondWords + group * kHalf, kHalf, std::ref(m_words));
    }
    float first[kPairsAtOnce], second[kPairsAtOnce];
    makeNormal(firstWords, secondWords, first, second);
    for (std::int64_t group = 0; group < count; ++group) {
        values = std::copy_n(first + group * kHalf, kHalf, values);
        values = std::copy_n(second + group * kHalf, kHalf, values);
    }
}

void PeerNormals::draw(std::int64_t count, std::int64_t begin, std::span<float> out)
{
    const std::int64_t end = begin + static_cast<std::int64_t>(out.size());
    float values[kGroupsAtOnce * kGroup];
    const auto drawAt = [&](std::int64_t place, std::int64_t groups) {
        drawGroups(groups, values);
        const std::int64_t from = std::max(place, begin);
        const std::int64_t to = std::min(place + groups * kGroup, end);
        if (from < to)
            std::copy(values + (from - place), values + (to - place), out.data() + (from - begin));
    };
    const std::int64_t whole = count / kGroup;
    const std::int64_t first = std::min(begin / kGroup, whole);
    const std::int64_t last = std::max(first, std::min((end + kGroup - 1) / kGroup, whole));
    m_words.discard(static_cast<unsigned long long>(first * kGroup));
    for (std::int64_t group = first; group < last; group += kGroupsAtOnce)
        drawAt(group * kGroup, std::min(kGroupsAtOnce, last - group));
    m_words.discard(static_cast<unsigned long long>(count - last * kGroup));
    if (count % kGroup != 0)  // the last 16 once more
        drawAt(count - kGroup, 1);
}

}  // namespace bench
