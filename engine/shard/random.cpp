#include "engine/shard/random.h"

#include "engine/kernels/cpu/processor.h"
#include "engine/shard/box_muller.h"

#include <algorithm>

namespace engine {
namespace {

std::uint64_t mixed(std::uint64_t value)  // splitmix64's finaliser
{
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

/// A RandomKey as Philox uses it: half of the counter, and the key.
struct Stream {
    explicit Stream(const RandomKey& random)
    {
        std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a of the purpose
        for (const char character : random.purpose)
            hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
        number = mixed(mixed(hash ^ mixed(random.step)) ^ random.row);
        key = mixed(random.seed);
    }

    std::uint64_t number, key;
};

constexpr std::uint64_t kWords = 4;  // per counter value
constexpr std::uint64_t kCounters = 32;  // computed at a time: enough that compilers keep the loops over them
constexpr std::uint64_t kBlock = kWords * kCounters;

using CounterWords = std::uint32_t[kWords][kCounters];

constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

/// The words of kCounters counters from @p first on; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
ATELIER_INLINE void philox(CounterWords& x, Stream stream, std::uint64_t first)
{
    for (std::uint64_t i = 0; i < kCounters; ++i) {
        x[0][i] = low(first + i);
        x[1][i] = high(first + i);
        x[2][i] = low(stream.number);
        x[3][i] = high(stream.number);
    }
    std::uint32_t k0 = low(stream.key);
    std::uint32_t k1 = high(stream.key);
    for (int round = 0; round < 10; ++round) {
        for (std::uint64_t i = 0; i < kCounters; ++i) {
            const std::uint64_t p0 = std::uint64_t {0xD2511F53U} * x[0][i];
            const std::uint64_t p1 = std::uint64_t {0xCD9E8D57U} * x[2][i];
            x[0][i] = high(p1) ^ x[1][i] ^ k0;
            x[1][i] = low(p1);
            x[2][i] = high(p0) ^ x[3][i] ^ k1;
            x[3][i] = low(p0);
        }
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
}

/// A uniform number in [0, 1).
ATELIER_INLINE float uniform(std::uint32_t word) { return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24F; }

ATELIER_MULTIVERSION
void drawUniform(float* out, std::uint64_t blocks, Stream stream, std::uint64_t counter)
{
    for (; blocks > 0; --blocks, out += kBlock, counter += kCounters) {
        CounterWords words;
        philox(words, stream, counter);
        for (std::uint64_t i = 0; i < kCounters; ++i) {
            for (std::uint64_t word = 0; word < kWords; ++word)
                out[i * kWords + word] = uniform(words[word][i]);
        }
    }
}

ATELIER_MULTIVERSION
void drawNormal(float* out, std::uint64_t blocks, Stream stream, std::uint64_t counter)
{
    for (; blocks > 0; --blocks, out += kBlock, counter += kCounters) {
        CounterWords words;
        philox(words, stream, counter);
        float normals[kWords][kCounters];
        for (std::uint64_t word = 0; word < kWords; word += 2) {
            for (std::uint64_t i = 0; i < kCounters; ++i) {
                const NormalPair pair = normalPair(uniform(words[word][i]), uniform(words[word + 1][i]));
                normals[word][i] = pair.first;
                normals[word + 1][i] = pair.second;
            }
        }
        for (std::uint64_t i = 0; i < kCounters; ++i) {
            for (std::uint64_t word = 0; word < kWords; ++word)
                out[i * kWords + word] = normals[word][i];
        }
    }
}

/// @param draw writes whole blocks, starting at a counter
template <typename Draw>
void fill(std::span<float> out, const RandomKey& key, std::uint64_t first, Draw draw)
{
    const Stream stream(key);
    while (!out.empty()) {
        const std::uint64_t counter = first / kWords;
        const std::uint64_t skipped = first % kWords;
        std::uint64_t count = out.size() / kBlock * kBlock;
        if (skipped == 0 && count > 0) {
            draw(out.data(), count / kBlock, stream, counter);
        } else {
            float block[kBlock];
            draw(block, 1, stream, counter);
            count = std::min(kBlock - skipped, std::uint64_t {out.size()});
            std::copy_n(block + skipped, count, out.data());
        }
        out = out.subspan(count);
        first += count;
    }
}

}  // namespace

std::uint64_t streamSeed(const RandomKey& key)
{
    const Stream stream(key);
    return mixed(stream.number ^ stream.key);
}

void fillNormal(std::span<float> out, const RandomKey& key, std::uint64_t first)
{
    fill(out, key, first, drawNormal);
}

void fillUniform(std::span<float> out, const RandomKey& key, std::uint64_t first)
{
    fill(out, key, first, drawUniform);
}

}  // namespace engine
