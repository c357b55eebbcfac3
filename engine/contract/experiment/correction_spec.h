// How a run corrects for samples that another policy than the one that trains has drawn: the options' texts, parsed.
// Rows.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <optional>
#include <string>
#include <vector>

namespace contract {

/// "u", or "l_u". Both are greater than 0, and lower <= upper.
struct CorrectionBounds {
    double lower = 0.5, upper = 2;
    bool hasLower = false;  ///< false: lower is 1 / upper
};

/// One mode of rejection, such as "seq_mean_k1": a statistic of the log-ratios of an entry or a row, and its bounds.
struct RejectionRule {
    enum class Statistic {
        K1,  ///< -log ratio; kept between the logarithms of both bounds
        K2,  ///< half its square; kept up to the upper bound
        K3   ///< ratio - 1 - log ratio; kept up to the upper bound
    };
    enum class Over { Entry, RowSum, RowMean, RowMax };

    std::string name;
    Over over = Over::Entry;
    Statistic statistic = Statistic::K1;
    CorrectionBounds bounds;
};

struct CorrectionSpec {
    enum class Weights { None, Entries, Rows };

    Weights weights = Weights::None;
    CorrectionBounds bounds;           ///< of the weights: truncated to the upper one, or 0 outside both when hasLower
    bool normalisesWeights = false;    ///< to a mean of 1
    std::vector<RejectionRule> rejections;

    bool isEnabled() const { return weights != Weights::None || !rejections.empty(); }
};

/// The values of correction.*.
struct CorrectionTexts {
    std::string importance = "none";    ///< "none", "token" or "sequence"
    std::string importanceBounds = "2"; ///< "u" or "l_u"
    bool normalisesWeights = false;
    std::string rejections = {};        ///< modes with commas between them; empty: none
    std::string rejectionBounds = {};   ///< for all modes, or one for each with commas between them
};

/// Parses the texts. On a mistake returns nullopt and sets @p problem.
std::optional<CorrectionSpec> parseCorrection(const CorrectionTexts& texts, Problem& problem);

}  // namespace contract
