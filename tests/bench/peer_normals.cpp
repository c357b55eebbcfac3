#include "tests/bench/peer_normals.h"

#include "engine/shard/box_muller.h"

#include <algorithm>

namespace bench {
namespace {

constexpr std::int64_t kGroup = 16;        // normal_() makes the pairs of Box and Muller of values i and i + 8
constexpr std::int64_t kGroupsAtOnce = 8;
constexpr std::int64_t kPairsAtOnce = kGroupsAtOnce * kGroup / 2;

ATELIER_MULTIVERSION
void renewState(std::uint32_t* state, int length)
{
    constexpr int kMiddle = 397;
    const auto twist = [](std::uint32_t a, std::uint32_t b) ATELIER_LAMBDA_INLINE {
        return (((a & 0x80000000U) | (b & 0x7fffffffU)) >> 1) ^ ((0 - (b & 1)) & 0x9908b0dfU);
    };
    for (int i = 0; i < length - kMiddle; ++i)
        state[i] = state[i + kMiddle] ^ twist(state[i], state[i + 1]);
    for (int i = length - kMiddle; i < length - 1; ++i)
        state[i] = state[i + kMiddle - length] ^ twist(state[i], state[i + 1]);
    state[length - 1] = state[kMiddle - 1] ^ twist(state[length - 1], state[0]);
}

/// In [0, 1).
ATELIER_INLINE float uniform(std::uint32_t state)
{
    std::uint32_t word = state ^ (state >> 11);
    word ^= (word << 7) & 0x9d2c5680U;
    word ^= (word << 15) & 0xefc60000U;
    word ^= word >> 18;
    return static_cast<float>(static_cast<std::int32_t>(word & 0xffffff)) * 0x1p-24F;
}

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

PeerNormals::PeerNormals(std::uint32_t seed)
{
    m_state[0] = seed;
    for (std::uint32_t i = 1; i < kState; ++i)
        m_state[i] = 1812433253U * (m_state[i - 1] ^ (m_state[i - 1] >> 30)) + i;
}

void PeerNormals::skip(std::int64_t words)
{
    for (; words > kState - m_next; m_next = 0) {
        words -= kState - m_next;
        renewState(m_state, kState);
    }
    m_next += static_cast<int>(words);
}

void PeerNormals::take(std::uint32_t* words, int count)
{
    while (count > 0) {
        if (m_next == kState) {
            renewState(m_state, kState);
            m_next = 0;
        }
        const int here = std::min(count, kState - m_next);
        words = std::copy_n(m_state + m_next, here, words);
        m_next += here;
        count -= here;
    }
}

/// @param count up to kGroupsAtOnce
void PeerNormals::drawGroups(std::int64_t count, float* values)
{
    constexpr int kHalf = kGroup / 2;
    std::uint32_t firstWords[kPairsAtOnce] = {}, secondWords[kPairsAtOnce] = {};
    for (std::int64_t group = 0; group < count; ++group) {
        take(firstWords + group * kHalf, kHalf);
        take(secondWords + group * kHalf, kHalf);
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
    skip(first * kGroup);
    for (std::int64_t group = first; group < last; group += kGroupsAtOnce)
        drawAt(group * kGroup, std::min(kGroupsAtOnce, last - group));
    skip(count - last * kGroup);
    if (count % kGroup != 0)  // the last 16 once more
        drawAt(count - kGroup, 1);
}

}  // namespace bench
