// What a person chooses about plots, and the names it goes by.
#pragma once
#include "ui/plot/smoothing.h"

namespace ui {

enum class XAxis {
    Step,
    ActiveTime,  ///< seconds of training that led here: pauses between attempts are left out
    WallTime,    ///< seconds since 1970
};

enum class Scale { Linear, Logarithmic };

/// How the visible part of x comes about.
enum class XMode {
    Whole,   ///< everything there is, growing with it
    Follow,  ///< a window of fixed width that ends at the newest point
    Free,    ///< where the user put it
};

struct Interval {
    double lower = 0;
    double upper = 0;

    double size() const { return upper - lower; }
    bool isEmpty() const { return !(upper > lower); }
    bool operator==(const Interval&) const = default;
};

}  // namespace ui
