#include "engine/contract/experiment/correction_spec.h"

#include "engine/contract/formats/text.h"

#include <cmath>
#include <string_view>
#include <utility>

namespace contract {
namespace {

std::vector<std::string_view> splitAtCommas(std::string_view text)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        std::string_view part = text.substr(0, comma);
        while (part.starts_with(' '))
            part.remove_prefix(1);
        while (part.ends_with(' '))
            part.remove_suffix(1);
        parts.push_back(part);
        if (comma == std::string_view::npos)
            return parts;
        text.remove_prefix(comma + 1);
    }
}

std::optional<double> parsePositive(std::string_view text)
{
    const std::optional<double> number = parseReal(text);
    return number && std::isfinite(*number) && *number > 0 ? number : std::nullopt;
}

Problem problemOf(std::string_view key, std::string_view value, const std::string& sentence)
{
    return {std::string(key), std::string(key) + " = " + quotedText(value) + ": " + sentence, 0};
}

std::optional<CorrectionBounds> parseBounds(std::string_view text, std::string_view key, Problem& problem)
{
    const std::size_t separator = text.find('_');
    const bool hasLower = separator != std::string_view::npos;
    const std::optional<double> upper = parsePositive(hasLower ? text.substr(separator + 1) : text);
    const std::optional<double> lower = hasLower ? parsePositive(text.substr(0, separator)) : upper;
    if (!upper || !lower) {
        problem = problemOf(key, text, "bounds are a number greater than 0, or two such numbers as in 0.5_2");
        return std::nullopt;
    }
    if (hasLower && *lower > *upper) {
        problem = problemOf(key, text, "the lower bound must come first");
        return std::nullopt;
    }
    return CorrectionBounds {hasLower ? *lower : 1 / *upper, *upper, hasLower};
}

std::optional<RejectionRule> parseRule(std::string_view name)
{
    using Over = RejectionRule::Over;
    using Statistic = RejectionRule::Statistic;
    static constexpr std::pair<std::string_view, Over> kOvers[]
        = {{"token_", Over::Entry}, {"seq_sum_", Over::RowSum}, {"seq_mean_", Over::RowMean}, {"seq_max_", Over::RowMax}};
    static constexpr std::pair<std::string_view, Statistic> kStatistics[]
        = {{"k1", Statistic::K1}, {"k2", Statistic::K2}, {"k3", Statistic::K3}};
    for (const auto& [prefix, over] : kOvers) {
        for (const auto& [suffix, statistic] : kStatistics) {
            const bool exists = over != Over::RowMax || statistic != Statistic::K1;
            if (exists && name == std::string(prefix) + std::string(suffix))
                return RejectionRule {std::string(name), over, statistic, {}};
        }
    }
    return std::nullopt;
}

bool parseRejections(const CorrectionTexts& texts, CorrectionSpec& spec, Problem& problem)
{
    constexpr std::string_view kModes = "correction.reject", kBounds = "correction.reject_threshold";
    const std::vector<std::string_view> names = splitAtCommas(texts.rejections), bounds = splitAtCommas(texts.rejectionBounds);
    if (bounds.size() != 1 && bounds.size() != names.size()) {
        problem = problemOf(kBounds, texts.rejectionBounds,
            "there are " + std::to_string(names.size()) + " modes in correction.reject; give one bound for all, or one for each");
        return false;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::optional<RejectionRule> rule = parseRule(names[i]);
        if (!rule) {
            problem = problemOf(kModes, names[i],
                "no such mode; there are token_k1 to token_k3, seq_sum_k1 to seq_sum_k3, seq_mean_k1 to seq_mean_k3, seq_max_k2 and "
                "seq_max_k3");
            return false;
        }
        const std::string_view text = bounds[bounds.size() == 1 ? 0 : i];
        const auto found = parseBounds(text, kBounds, problem);
        if (!found)
            return false;
        rule->bounds = *found;
        if (rule->bounds.hasLower && rule->statistic != RejectionRule::Statistic::K1) {
            problem = problemOf(kBounds, text, rule->name + " is never negative and has an upper bound only; give one number");
            return false;
        }
        spec.rejections.push_back(std::move(*rule));
    }
    return true;
}

}  // namespace

std::optional<CorrectionSpec> parseCorrection(const CorrectionTexts& texts, Problem& problem)
{
    CorrectionSpec spec;
    spec.normalisesWeights = texts.normalisesWeights;
    if (texts.importance == "token")
        spec.weights = CorrectionSpec::Weights::Entries;
    else if (texts.importance == "sequence")
        spec.weights = CorrectionSpec::Weights::Rows;
    else if (texts.importance != "none") {
        problem = problemOf("correction.importance", texts.importance, "must be one of: none, token, sequence");
        return std::nullopt;
    }
    const auto bounds = parseBounds(texts.importanceBounds, "correction.importance_threshold", problem);
    if (!bounds)
        return std::nullopt;
    spec.bounds = *bounds;
    if (!texts.rejections.empty() && !parseRejections(texts, spec, problem))
        return std::nullopt;
    return spec;
}

}  // namespace contract
