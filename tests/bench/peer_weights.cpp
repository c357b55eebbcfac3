#include "tests/bench/peer_weights.h"

#include "tests/bench/peer_normals.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace bench {
namespace {

constexpr float kAdaBias = 0.5F, kTableStd = 0.5F;

class PeerWeights {
public:
    explicit PeerWeights(std::uint32_t seed)
        : m_random(seed)
    {
    }

    /// Fills the parameters of @p unit whose names begin with @p prefix.
    void draw(engine::Unit& unit, const std::string& prefix)
    {
        const std::vector<engine::LayoutPiece> pieces = unit.pieces();
        const at::Tensor master = unit.master.cpu();  // itself where it is there
        for (std::size_t i = 0; i < unit.spec().parameters.size(); ++i) {
            const engine::ParameterSpec& spec = unit.spec().parameters[i];
            if (!spec.name.starts_with(prefix))
                continue;
            const auto own = std::ranges::find(pieces, i, &engine::LayoutPiece::tensor);
            std::int64_t begin = 0;
            std::span<float> out;
            if (own != pieces.end()) {
                begin = own->tensorBegin;
                out = {master.data_ptr<float>() + own->shardBegin, static_cast<std::size_t>(own->count)};
            }
            if (spec.name.ends_with(".bias")) {
                std::ranges::fill(out, spec.name.find("ada.") != std::string::npos ? kAdaBias : 0.0F);
                continue;
            }
            m_random.draw(spec.elements(), begin, out);
            for (float& value : out)
                value *= stdOf(spec);
        }
        if (!unit.master.is_cpu())
            unit.master.copy_(master);
        unit.masterReplaced();
    }

    /// Passes over the draws of a unit.
    void skip(const engine::UnitSpec& unit)
    {
        for (const engine::ParameterSpec& spec : unit.parameters) {
            if (!spec.name.ends_with(".bias"))
                m_random.draw(spec.elements(), 0, {});
        }
    }

private:
    static float stdOf(const engine::ParameterSpec& spec)
    {
        return spec.isLinear ? 1 / std::sqrt(static_cast<float>(spec.shape[1])) : kTableStd;
    }

    PeerNormals m_random;
};

}  // namespace

const std::map<std::string, Preset>& presets()
{
    static const std::map<std::string, Preset> all = {
    {"tiny", {8, 1, 2, 128, 6, 4, 10, 32}},
    {"small", {32, 3, 4, 384, 12, 6, 10, 8}},
    {"base", {32, 3, 4, 768, 12, 12, 10, 4}},
    {"xl2", {32, 4, 2, 1152, 28, 16, 10, 32}},
};
    return all;
}

void initialise(engine::UnitSequence& units, std::uint32_t seed, Drop drop)
{
    PeerWeights weights(seed);
    for (const char* prefix : {"embed.", "pos", "time1.", "time2.", "label."})
        weights.draw(units[0], prefix);
    for (std::size_t i = 1; i < units.size(); ++i) {
        if (drop == Drop::Block && i == units.size() / 2)
            weights.skip(units[i].spec());
        weights.draw(units[i], "");
    }
    for (const char* prefix : {"final_ada.", "final."})
        weights.draw(units[0], prefix);
}

}  // namespace bench
