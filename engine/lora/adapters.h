// Named low-rank adapters on a model's linear layers (LoRA, Hu et al., 2021): their parameters, and which adapter is in use.
#pragma once
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// A linear layer that has adapters.
struct AdapterLayer {
    std::string module;  ///< "transformer_blocks.0.attn.to_q"
    std::int64_t rank = 1;
    double scale = 1;    ///< alpha / rank, or alpha / √rank
};

/// Adapter names that algorithms use (row E-093). "default" is the policy that trains; "old" samples, or follows "default";
/// "reference" stands for the model without an adapter and has no parameters.
inline constexpr char kDefaultAdapter[] = "default", kOldAdapter[] = "old", kReferenceAdapter[] = "reference";

/// Initial values. A new adapter does not change the model's output: B is zero, or the product of B and A is.
enum class AdapterInit {
    Gaussian,   ///< A ~ N(0, 1 / rank²), B = 0
    Kaiming,    ///< A ~ U(-1 / √in, 1 / √in), i.e. Kaiming uniform with a = √5, B = 0; PEFT's init_lora_weights=True
    Orthogonal  ///< see drawOrthogonal(); the rank must be even
};

/// The initialization that lora.init names. PEFT's methods that change the base weights (PiSSA, OLoRA, LoftQ, CorDA) are not
/// supported, since the model without an adapter would no longer be the base model; nor is EVA, which needs data.
/// @throws EngineError WrongUsage for an unknown name, listing the known ones.
AdapterInit adapterInitOf(std::string_view name);

/// Paths of all linear layers, in declaration order.
std::vector<std::string> linearModules(const std::vector<UnitSpec>& units);

/// Freezes all parameters in @p units and appends, for each layer and each name but "reference", the parameters
/// "MODULE.lora_A.NAME.weight" [rank, in] and "MODULE.lora_B.NAME.weight" [out, rank]. Those of the first name train.
/// @throws EngineError WrongUsage for a module that is not a linear layer of the model, an odd rank with
///         AdapterInit::Orthogonal, no layers, or no names but "reference".
void declareAdapters(std::vector<UnitSpec>& units, const std::vector<AdapterLayer>& layers, const std::vector<std::string>& names,
    AdapterInit init = AdapterInit::Gaussian);

/// Selects which adapter the passes use, for units that declareAdapters() extended. Initially the first name is selected. One
/// thread; every rank must select the same adapter.
class Adapters {
public:
    /// @param units must outlive this
    /// @param dropout of all layers, see LowRankTerm
    Adapters(UnitSequence& units, const std::vector<AdapterLayer>& layers, const std::vector<std::string>& names, double dropout = 0);
    ~Adapters() { use(std::nullopt); }
    Adapters(const Adapters&) = delete;
    Adapters& operator=(const Adapters&) = delete;

    const std::vector<std::string>& names() const { return m_names; }  ///< without "reference"
    std::optional<std::string> selected() const { return m_selected; }

    /// Scales the output of all adapters; initially 1 (diffusers' adapter weight).
    void setWeight(double weight);

    /// Selects another adapter, or none ("reference" or nullopt), until the scope ends; then restores the previous selection.
    /// Activations that a training pass recomputes in backward are computed with the adapter selected at that time.
    class Scope {
    public:
        /// @throws EngineError WrongUsage for an unknown name, listing the known ones.
        Scope(Adapters& adapters, std::optional<std::string> name);
        ~Scope() { m_adapters.use(m_previous); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Adapters& m_adapters;
        std::optional<std::string> m_previous;
    };

private:
    struct Layer {
        Parameter* weight = nullptr;
        double scale = 1;
    };
    void use(const std::optional<std::string>& name);

    std::vector<std::string> m_names;
    std::vector<Layer> m_layers;
    std::map<std::string, std::deque<LowRankTerm>> m_terms;  ///< of each layer, by the adapter's name
    std::optional<std::string> m_selected;
};

}  // namespace engine
