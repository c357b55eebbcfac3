// Where the time of steps, or of an algorithm's rounds, goes: parts that add up to the whole.
#pragma once
#include "ui/steps/step_times.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct StackedParts {
    struct Part {
        QString name;
        std::vector<double> milliseconds;  ///< a mean for each bin; NaN where nothing was recorded
    };
    std::vector<Part> parts;
    std::int64_t firstBin = 0, width = 1;  ///< see StepBins
    XAxis axis = XAxis::Step;

    std::size_t bins() const { return parts.empty() ? 0 : parts.front().milliseconds.size(); }
    double total(std::size_t bin) const;  ///< of the parts that were recorded
};

/// The metrics that partsOfSteps() and partsOfRounds() add up.
const std::vector<std::string>& partsMetrics();
const std::vector<std::string>& roundMetrics();

/// Loading data, forward, backward, waiting for other ranks, optimizer, and what is left of a step. @param rank nullopt: the mean of all
StackedParts partsOfSteps(const StepTimes& times, std::optional<int> rank);

/// Drawing and scoring samples, passes of other models, updates: of the rounds of training by a reward, as rank 0 took them.
StackedParts partsOfRounds(const StepTimes& times);

}  // namespace ui
