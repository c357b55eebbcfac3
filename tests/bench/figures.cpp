#include "tests/bench/figures.h"

#include <algorithm>

namespace bench {

double quantile(std::vector<double> values, double part)
{
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(part * last + 0.5)];
}

nlohmann::json row(const std::string& bench, const std::string& name, const std::string& figure,
    const std::string& unit, const std::vector<double>& runs, Better better, const Peer& peer)
{
    const double ours = quantile(runs, 0.5);
    return {{"bench", bench}, {"case", name}, {"figure", figure}, {"unit", unit}, {"ours", ours},
        {"peer", peer.value}, {"peer_name", peer.name},
        {"ratio", better == Better::Higher ? ours / peer.value : peer.value / ours}, {"runs", runs}};
}

}  // namespace bench
