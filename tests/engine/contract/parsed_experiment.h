// What parsing the text of an experiment's file gave, and all that it complained of.
#pragma once
#include "engine/contract/experiment.h"

namespace tests {

/// One a line, each behind the number of its line.
inline std::string messages(const contract::ParsedExperiment& parsed)
{
    std::string all;
    for (const contract::Problem& problem : parsed.problems)
        all += std::to_string(problem.line) + " " + problem.message + "\n";
    return all;
}

/// As if it lay in the folder /base.
inline contract::ParsedExperiment parsed(const std::string& toml) { return contract::parseExperiment(toml, "/base"); }

}  // namespace tests
