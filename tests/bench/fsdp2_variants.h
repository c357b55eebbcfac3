// The ways to run the FSDP2 peer among which a benchmark looks for its best one.
#pragma once
#include <nlohmann/json.hpp>

#include <QStringList>

#include <string>
#include <vector>

namespace bench {

struct Fsdp2Variant {
    std::string name;
    QStringList options;
    bool keepsFreedMemory = false;  ///< malloc returns no memory to the system

    bool reshards() const { return !options.contains("--no-reshard"); }
    bool compiles() const { return options.contains("--compile"); }
};

/// Both attention kernels, both ways to reshard, models built whole or on the meta device, malloc's defaults or thresholds,
/// eager or compiled.
const std::vector<Fsdp2Variant>& fsdp2Variants();

/// What one run of each variant measured.
class Fsdp2Search {
public:
    /// Runs tests/peers/fsdp2_dit.py once with @p arguments in each variant, those that compile only if @p withCompiled.
    Fsdp2Search(const std::string& what, const QStringList& arguments, bool withCompiled);

    /// The variant whose value of @p key was the lowest. @param onlyResharding among those that reshard after forward
    const Fsdp2Variant& best(const char* key, bool onlyResharding = false) const;

private:
    std::vector<std::pair<const Fsdp2Variant*, nlohmann::json>> m_runs;
};

/// One run of the peer; see runRanks().
nlohmann::json runFsdp2(const Fsdp2Variant& variant, const QStringList& arguments);

}  // namespace bench
