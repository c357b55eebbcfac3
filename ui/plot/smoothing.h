// Smooths a series. See [Note: smoothing].
//
// [Note: smoothing]
// Widths are in steps, never in points, and a value stands for the steps since the one logged before it (the
// first for as many as the second). So a curve looks the same however often it was logged. It is computed on
// every point before anything is thinned. Non-finite values take no part; the smoothed line breaks there.
// A mean is held between the least and the greatest value it was made of, so that rounding can never move a
// constant. The exponential mean looks back only: later points never change what it was.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ui {

struct Smoothing {
    enum class Kind { Off, Exponential, Gaussian, RunningMean, RunningMedian };
    Kind kind = Kind::Off;
    /// Steps, over 0: half-life, standard deviation, or the whole width of the window (its centre included).
    double width = 50;

    bool operator==(const Smoothing&) const = default;

    /// How many steps to either side of a point can matter to it. 0: none ahead of it.
    double reach() const;
};

/// Keeps the smoothed values of a series that only grows.
class Smoother {
public:
    explicit Smoother(const Smoothing& smoothing = {});

    /// @param steps ascending; @param values as many. Both begin with what the last call was given.
    /// @return the first index whose smoothed value is new or changed.
    std::size_t extend(std::span<const std::int64_t> steps, std::span<const double> values);

    const Smoothing& smoothing() const { return m_smoothing; }
    /// One for each point; NaN where the point is not finite. Empty when smoothing is off.
    const std::vector<double>& values() const { return m_values; }

private:
    void extendExponential(std::span<const std::int64_t> steps, std::span<const double> values);

    Smoothing m_smoothing;
    std::vector<double> m_values;

    // The exponential mean's memory: its value, the weight gathered so far, and the last finite step.
    std::size_t m_finite = 0;
    double m_mean = 0;
    double m_weight = 0;
    std::int64_t m_lastStep = 0;
};

}  // namespace ui
