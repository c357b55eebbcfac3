// All points of one metric of one rank of one run, with the attempts joined. Grows at its end while the run is live.
#pragma once
#include "storage/store.h"
#include "ui/plot/lines/curve.h"
#include "ui/plot/lines/plot_settings.h"

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace ui {

/// Which line it is of those that a group of runs has, see [Note: groups].
enum class LinePart { Line, Low, High };

struct LineKey {
    std::string run;  ///< id; of a group's lines its key
    std::string metric;
    int rank = 0;
    LinePart part = LinePart::Line;
    auto operator<=>(const LineKey&) const = default;
};

/// A quantity that grows evenly with the steps.
struct StepScale {
    double atStepZero = 0;
    double perStep = 0;  ///< 0: not known

    bool isKnown() const { return perStep > 0; }
    double at(std::int64_t step) const { return atStepZero + perStep * static_cast<double>(step); }
    auto operator<=>(const StepScale&) const = default;
};

/// The part of a line that one attempt recorded.
struct LinePiece {
    std::int64_t seriesId = 0;
    int attempt = 1;
    double startSeconds = 0;   ///< when the attempt began, in seconds since 1970
    double activeSeconds = 0;  ///< training time before the attempt, without pauses
    std::int64_t keptUpTo = std::numeric_limits<std::int64_t>::max();  ///< later steps are superseded by another attempt
    StepScale samples = {}, epochs = {};
    auto operator<=>(const LinePiece&) const = default;
};

/// A sequence of points: either a line's current points or those that a later attempt superseded.
class LinePoints {
public:
    /// Appends @p points, whose steps must ascend and be greater than all present ones.
    void append(const LinePiece& piece, std::span<const storage::Point> points);

    std::size_t size() const { return m_steps.size(); }
    bool isEmpty() const { return m_steps.empty(); }
    std::span<const std::int64_t> steps() const { return m_steps; }
    const Curve& raw() const { return m_raw; }

    /// Whether the points have places on @p axis: the numbers of samples and epochs are not known of all runs.
    bool has(XAxis axis) const;
    /// Meaningless unless has(@p axis).
    double x(std::size_t index, XAxis axis) const
    {
        return axis == XAxis::Step      ? static_cast<double>(m_steps[index])
            : axis == XAxis::ActiveTime ? m_activeSeconds[index]
            : axis == XAxis::WallTime   ? wallSeconds(index)
            : axis == XAxis::Samples    ? piece(index).samples.at(m_steps[index])
                                        : piece(index).epochs.at(m_steps[index]);
    }
    int attempt(std::size_t index) const { return piece(index).attempt; }
    /// The attempt that recorded the point.
    const LinePiece& piece(std::size_t index) const;

    /// A range of indexes, [first, last), within which x does not descend.
    struct Stretch {
        std::size_t first = 0;
        std::size_t last = 0;  ///< one past the end
    };
    /// All points as stretches: a single one, except after a clock was set back, or where an attempt's data was of another size.
    /// None without has(@p axis).
    std::vector<Stretch> stretches(XAxis axis) const;

    /// The first index in @p stretch with an x ≥ @p x, or > @p x when @p isPast; stretch.last when there is none.
    std::size_t indexAt(const Stretch& stretch, double x, XAxis axis, bool isPast = false) const;
    /// The index of the point nearest to @p x; size() when there are no points.
    std::size_t nearest(double x, XAxis axis) const;

private:
    struct Start {
        std::size_t index = 0;
        LinePiece piece;
    };
    double wallSeconds(std::size_t index) const;

    std::vector<std::int64_t> m_steps;
    std::vector<double> m_activeSeconds;  ///< per point; never descends
    Curve m_raw;
    std::vector<Start> m_pieces;
};

struct LineData {
    LineKey key;
    LinePoints points;
    std::vector<LinePoints> superseded;  ///< the superseded points, one element per attempt that has any
    std::vector<LinePiece> pieces;       ///< the attempts in this line; when they change, it is reloaded as a whole
    std::int64_t lastStep = -1;          ///< the newest step fetched of the last piece
    int runs = 0;                        ///< how many runs this is the mean of, or an edge of the band around it; 0: it is of one run
    int lines = 0;                       ///< the same for the lines, which are those of the runs' ranks
    bool isThinned = false;              ///< too long to hold whole: holds the minimum and maximum of groups of points
    Smoother smoother;
    Curve smoothed;  ///< empty when smoothing is off

    /// Extends `smoothed` to all points. No-op when the smoother's kind is Off.
    void smooth();
};

}  // namespace ui
