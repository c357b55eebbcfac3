// Rows of a benchmark's result: what was measured, how often, and against what.
#pragma once
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace bench {

enum class Better { Higher, Lower };

struct Peer {
    double value = 0;
    std::string name;  ///< "limit" for a number to hold, else the program that it was measured of
};

/// The element with @p part (0 … 1) of the others below it. @p values is not empty.
double quantile(std::vector<double> values, double part);

/// A row; its own figure is the median of @p runs.
nlohmann::json row(const std::string& bench, const std::string& name, const std::string& figure,
    const std::string& unit, const std::vector<double>& runs, Better better, const Peer& peer);

}  // namespace bench
