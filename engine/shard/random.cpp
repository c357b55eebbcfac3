#include "engine/shard/random.h"

#include <array>
#include <cmath>
#include <numbers>

namespace engine {
namespace {

std::uint64_t mixed(std::uint64_t value)  // splitmix64's finaliser
{
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

/// Four 32-bit words for each counter; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
class Philox {
public:
    explicit Philox(const RandomKey& key)
    {
        std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a of the purpose
        for (const char character : key.purpose)
            hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
        m_stream = mixed(mixed(hash ^ mixed(key.step)) ^ key.row);
        m_key = mixed(key.seed);
    }

    std::uint64_t seed() const { return mixed(m_stream ^ m_key); }

    std::array<std::uint32_t, 4> operator()(std::uint64_t counter) const
    {
        std::array<std::uint32_t, 4> x = {low(counter), high(counter), low(m_stream), high(m_stream)};
        std::uint32_t k0 = low(m_key);
        std::uint32_t k1 = high(m_key);
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * x[0];
            const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * x[2];
            x = {high(p1) ^ x[1] ^ k0, low(p1), high(p0) ^ x[3] ^ k1, low(p0)};
            k0 += 0x9E3779B9U;
            k1 += 0xBB67AE85U;
        }
        return x;
    }

private:
    static std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
    static std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

    std::uint64_t m_stream = 0;
    std::uint64_t m_key = 0;
};

float unit(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

std::array<float, 4> uniforms(const std::array<std::uint32_t, 4>& words)
{
    return {unit(words[0]), unit(words[1]), unit(words[2]), unit(words[3])};
}

std::array<float, 4> normals(const std::array<std::uint32_t, 4>& words)
{
    std::array<float, 4> result {};
    for (std::size_t pair = 0; pair < 4; pair += 2) {  // Box–Muller; 1 - u lies in (0, 1]
        const float radius = std::sqrt(-2.0F * std::log(1.0F - unit(words[pair])));
        const float angle = 2.0F * std::numbers::pi_v<float> * unit(words[pair + 1]);
        result[pair] = radius * std::cos(angle);
        result[pair + 1] = radius * std::sin(angle);
    }
    return result;
}

template <typename Convert>
void fill(std::span<float> out, const RandomKey& key, std::uint64_t first, Convert convert)
{
    const Philox philox(key);
    for (std::size_t done = 0; done < out.size();) {
        const std::uint64_t index = first + done;
        const auto four = convert(philox(index / 4));
        for (std::uint64_t lane = index % 4; lane < 4 && done < out.size(); ++lane)
            out[done++] = four[lane];
    }
}

}  // namespace

std::uint64_t streamSeed(const RandomKey& key) { return Philox(key).seed(); }

void fillNormal(std::span<float> out, const RandomKey& key, std::uint64_t first)
{
    fill(out, key, first, normals);
}

void fillUniform(std::span<float> out, const RandomKey& key, std::uint64_t first)
{
    fill(out, key, first, uniforms);
}

}  // namespace engine
