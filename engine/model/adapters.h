// Named low-rank adapters beside a model's linear layers (Hu et al., 2021): which parameters they are, and which is in use.
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

/// A linear that adapters stand beside.
struct AdapterLayer {
    std::string module;  ///< "transformer_blocks.0.attn.to_q"
    std::int64_t rank = 1;
    double scale = 1;    ///< alpha / rank, or alpha / √rank
};

/// Names that algorithms ask for (row E-093): the policy that trains, the one that samples or follows it, and the model
/// without any adapter, which has no parameters of its own.
inline constexpr char kDefaultAdapter[] = "default", kOldAdapter[] = "old", kReferenceAdapter[] = "reference";

/// First values. A fresh adapter changes nothing: B begins at zero, or where A's rows are orthogonal to it.
enum class AdapterInit {
    Gaussian,   ///< A ~ N(0, 1 / rank²), B = 0
    Kaiming,    ///< A ~ U(-1 / √in, 1 / √in), He et al.'s with a = √5, B = 0: what PEFT calls true
    Orthogonal  ///< see drawOrthogonal(): the rank is even
};

/// Of lora.init. PEFT's that change the base weights (PiSSA, OLoRA, LoftQ, CorDA) or need data (EVA) are not among them: the
/// model without an adapter would not be the base model.
/// @throws EngineError WrongUsage naming those that are known.
AdapterInit adapterInitOf(std::string_view name);

/// Paths of all linear layers, in their order.
std::vector<std::string> linearModules(const std::vector<UnitSpec>& units);

/// Freezes what is there and adds to the units, after it, for each layer and each name the parameters
/// "MODULE.lora_A.NAME.weight" [rank, in] and "MODULE.lora_B.NAME.weight" [out, rank]; "reference" needs none. Those of the
/// first name train.
/// @throws EngineError WrongUsage for a module that is no linear layer of the model, an odd rank that is to begin orthogonal, or no layer or name at all.
void declareAdapters(std::vector<UnitSpec>& units, const std::vector<AdapterLayer>& layers, const std::vector<std::string>& names,
    AdapterInit init = AdapterInit::Gaussian);

/// Which adapter of units that were declared so the passes use: at first the first name. One thread; every rank selects alike.
class Adapters {
public:
    /// @param units outlives this
    /// @param dropout see LowRankTerm, of all layers
    Adapters(UnitSequence& units, const std::vector<AdapterLayer>& layers, const std::vector<std::string>& names, double dropout = 0);
    ~Adapters() { use(std::nullopt); }
    Adapters(const Adapters&) = delete;
    Adapters& operator=(const Adapters&) = delete;

    const std::vector<std::string>& names() const { return m_names; }  ///< without "reference"
    std::optional<std::string> selected() const { return m_selected; }

    /// How much of the adapters is added, 1 at first (diffusers' adapter weight).
    void setWeight(double weight);

    /// Another adapter, or none ("reference", or no name), until the scope ends, also by an exception; then the one before
    /// again. What a pass that trains computes again on its way back it computes with the adapter that is selected then.
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

private:
    struct Layer {
        Parameter* weight = nullptr;
        double scale = 1;
    };
    void use(const std::optional<std::string>& name);

    std::vector<std::string> m_names;
    std::vector<Layer> m_layers;
    std::map<std::string, std::deque<LowRankTerm>> m_terms;  ///< by the adapter's name, of each layer
    std::optional<std::string> m_selected;
};

}  // namespace engine
