// Parses the text of an experiment file for tests, and joins the messages of all problems.
#pragma once
#include "engine/contract/experiment/experiment.h"

namespace tests {

/// One problem per line, each after its line number.
inline std::string messages(const contract::ParsedExperiment& parsed)
{
    std::string all;
    for (const contract::Problem& problem : parsed.problems)
        all += std::to_string(problem.line) + " " + problem.message + "\n";
    return all;
}

/// Parses the text as if the file were in the folder /base.
inline contract::ParsedExperiment parsed(const std::string& toml) { return contract::parseExperiment(toml, "/base"); }

}  // namespace tests
