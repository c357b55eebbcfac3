// Named low-rank adapters beside a model's linear layers (Hu et al., 2021): which parameters they are, and which is in use.
#pragma once
#include "engine/comm/group.h"
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// A linear that adapters stand beside.
struct AdapterLayer {
    std::string module;  ///< "transformer_blocks.0.attn.to_q"
    std::int64_t rank = 1;
    double scale = 1;    ///< alpha / rank, or alpha / √rank
};

/// Paths of all linear layers, in their order.
std::vector<std::string> linearModules(const std::vector<UnitSpec>& units);

/// Freezes what is there and adds to the units, after it, for each layer and each name the parameters
/// "MODULE.lora_A.NAME.weight" [rank, in] ~ N(0, 1 / rank²) and "MODULE.lora_B.NAME.weight" [out, rank], zero.
/// Those of the first name train.
/// @throws EngineError WrongUsage for a module that is no linear layer of the model, or no layer or name at all.
void declareAdapters(
    std::vector<UnitSpec>& units, const std::vector<AdapterLayer>& layers, const std::vector<std::string>& names);

/// The adapters of units that were declared so. At first the first name is selected. One thread; every rank selects alike.
class Adapters {
public:
    /// @param units outlives this
    Adapters(UnitSequence& units, const std::vector<AdapterLayer>& layers, std::vector<std::string> names);
    ~Adapters() { use(std::nullopt); }
    Adapters(const Adapters&) = delete;
    Adapters& operator=(const Adapters&) = delete;

    const std::vector<std::string>& names() const { return m_names; }
    std::optional<std::string> selected() const { return m_selected; }

    /// How much of the adapters is added, 1 at first (diffusers' adapter weight).
    void setWeight(double weight);

    /// Another adapter, or none ("reference"), until the scope ends; then the one before again.
    class Scope {
    public:
        /// @throws EngineError WrongUsage for a name that is not there, naming those that are.
        Scope(Adapters& adapters, std::optional<std::string> name);
        ~Scope() { m_adapters.use(m_before); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Adapters& m_adapters;
        std::optional<std::string> m_before;
    };

    /// target ← decay · target + (1 - decay) · source, in float32; a copy where decay is 0. Collective over @p shard, the
    /// ranks of the units.
    /// @throws EngineError WrongUsage for a name that is not there or a decay that is not in [0, 1].
    void average(const std::string& source, const std::string& target, double decay, Group& shard);

private:
    struct Place {
        std::size_t unit = 0, index = 0;
    };
    struct Layer {
        Place weight;
        double scale = 1;
        std::map<std::string, std::pair<Place, Place>> matrices;  ///< A and B by the adapter's name
    };
    void use(const std::optional<std::string>& name);
    void require(const std::string& name) const;
    Parameter& at(Place place) { return m_units[place.unit].parameter(place.index); }
    void averageOne(Place source, Place target, double decay, Group& shard);

    UnitSequence& m_units;
    std::vector<std::string> m_names;
    std::vector<Layer> m_layers;
    std::map<std::string, std::deque<LowRankTerm>> m_terms;  ///< by the adapter's name, of each layer
    std::optional<std::string> m_selected;
};

}  // namespace engine
