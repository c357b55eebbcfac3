#include "tests/bench/fsdp2_variants.h"

#include "tests/bench/ranks.h"
#include "tests/paths.h"

#include <cstdio>
#include <stdexcept>

namespace bench {

const std::vector<Fsdp2Variant>& fsdp2Variants()
{
    static const std::vector<Fsdp2Variant> variants = {
        {"FSDP2", {}},
        {"FSDP2, meta", {"--meta"}},
        {"FSDP2, no reshard", {"--no-reshard"}},
        {"FSDP2, math attention", {"--math-attention"}},
        {"FSDP2, math attention, meta", {"--math-attention", "--meta"}},
        {"FSDP2, math attention, no reshard", {"--math-attention", "--no-reshard"}},
        {"FSDP2, math attention, no reshard, meta", {"--math-attention", "--no-reshard", "--meta"}},
        {"FSDP2, math attention, malloc thresholds", {"--math-attention"}, true},
        {"FSDP2, math attention, no reshard, malloc thresholds", {"--math-attention", "--no-reshard"}, true},
        {"FSDP2, math attention, compile", {"--math-attention", "--compile"}},
        {"FSDP2, math attention, no reshard, compile", {"--math-attention", "--no-reshard", "--compile"}},
    };
    return variants;
}

nlohmann::json runFsdp2(const Fsdp2Variant& variant, const QStringList& arguments)
{
    return runRanks(peerPython(), QStringList {ATELIER_SOURCE_DIR "/tests/peers/fsdp2_dit.py"} + arguments + variant.options,
        variant.keepsFreedMemory);
}

Fsdp2Search::Fsdp2Search(const std::string& what, const QStringList& arguments, bool withCompiled)
{
    for (const Fsdp2Variant& variant : fsdp2Variants()) {
        if (variant.compiles() && !withCompiled)
            continue;
        const nlohmann::json& run = m_runs.emplace_back(&variant, runFsdp2(variant, arguments)).second;
        std::fprintf(stderr, "  %s: %s: step %.1f ms, start %.2f s, memory %.0f MiB\n", what.c_str(), variant.name.c_str(),
            run.at("median_ms").get<double>(), run.at("first_step_s").get<double>(), run.at("peak_mib").get<double>());
    }
}

const Fsdp2Variant& Fsdp2Search::best(const char* key, bool onlyResharding) const
{
    const Fsdp2Variant* best = nullptr;
    double least = 0;
    for (const auto& [variant, run] : m_runs) {
        const double value = run.at(key);
        if ((!onlyResharding || variant->reshards()) && (!best || value < least)) {
            best = variant;
            least = value;
        }
    }
    if (!best)
        throw std::logic_error("no variant of the peer was run");
    return *best;
}

}  // namespace bench
