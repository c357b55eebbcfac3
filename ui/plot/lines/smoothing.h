// Smooths a series. See [Note: smoothing].
//
// [Note: smoothing]
// Widths are in steps, never in points, and each value is weighted by the number of steps since the previous
// logged value (the first value has the weight of the second). So a curve looks the same however often it was
// logged. Smoothing is computed on all points, before any thinning; of a line that is too long to be held whole, they
// are read for it, see thinned_smoothing.h. Non-finite values are left out, and the
// smoothed line is interrupted there. A mean is clamped to the minimum and maximum of its values, so that rounding
// never changes a constant line. The exponential mean uses earlier points only, so later points never change it.
#pragma once
#include "ui/plot/lines/exponential_mean.h"
#include "ui/plot/lines/gaussian_smoothing.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ui {

struct Smoothing {
    enum class Kind { Off, Exponential, Gaussian, RunningMean, RunningMedian };
    Kind kind = Kind::Off;
    /// In steps, > 0: the half-life (Exponential), the standard deviation (Gaussian), or the full width of the
    /// window including its centre (RunningMean, RunningMedian).
    double width = 50;

    bool operator==(const Smoothing&) const = default;

    /// How many steps before and after a point can influence its smoothed value; 0 for Off and Exponential, which
    /// do not depend on later points.
    double reach() const;
};

/// Computes and holds the smoothed values of a series that only grows at its end.
class Smoother {
public:
    explicit Smoother(const Smoothing& smoothing = {});
    /// Goes on from @p values, which were smoothed elsewhere. @param mean of Kind::Exponential: its state after them
    Smoother(const Smoothing& smoothing, std::vector<double> values, const ExponentialMean& mean);

    /// Smooths the points added since the last call.
    /// @param steps ascending; must begin with the steps of the last call.
    /// @param values as many as @p steps; must begin with the values of the last call.
    /// @return the first index with a new or changed smoothed value; values.size() when there is none.
    std::size_t extend(std::span<const std::int64_t> steps, std::span<const double> values);
    /// About how many terms extend() would add up for these steps; a million take a few milliseconds.
    std::size_t termsToAdd(std::span<const std::int64_t> steps) const;

    const Smoothing& smoothing() const { return m_smoothing; }
    /// One value per point, NaN where the point is not finite. Empty when smoothing is off.
    const std::vector<double>& values() const { return m_values; }

private:
    void extendExponential(std::span<const std::int64_t> steps, std::span<const double> values);
    /// The first index whose value the points from index m_values.size() on can change.
    std::size_t firstInReach(std::span<const std::int64_t> steps) const;

    Smoothing m_smoothing;
    std::vector<double> m_values;
    std::optional<GaussianMean> m_gaussian;
    ExponentialMean m_exponential;
};

}  // namespace ui
