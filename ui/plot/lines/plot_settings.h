// The types of the choices that the user has for plots.
#pragma once
#include "ui/plot/lines/smoothing.h"

#include <array>

namespace ui {

enum class XAxis {
    Step,
    ActiveTime,  ///< seconds of training so far, without the pauses between attempts
    WallTime,    ///< seconds since 1970
    Samples,     ///< seen by all ranks since the run began
    Epochs,      ///< passes over the data, or over the prompts
};
inline constexpr std::array kXAxes {XAxis::Step, XAxis::Samples, XAxis::Epochs, XAxis::ActiveTime, XAxis::WallTime};  ///< as offered

/// As offered.
inline constexpr std::array kSmoothings {Smoothing::Kind::Off, Smoothing::Kind::Exponential, Smoothing::Kind::Gaussian, Smoothing::Kind::RunningMean,
    Smoothing::Kind::RunningMedian};
inline constexpr double kMostSmoothed = 10'000'000;  ///< the greatest Smoothing::width, in steps

enum class Scale { Linear, Logarithmic };

/// How the visible part of x is chosen.
enum class XMode {
    Whole,   ///< all points; grows with them
    Follow,  ///< a window of fixed width that ends at the newest point
    Free,    ///< the range that the user has set
};

struct Interval {
    double lower = 0;
    double upper = 0;

    double size() const { return upper - lower; }
    bool isEmpty() const { return !(upper > lower); }
    bool operator==(const Interval&) const = default;
};

}  // namespace ui
