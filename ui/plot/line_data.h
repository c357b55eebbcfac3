// All points of one metric of one rank of one run, its attempts joined. Grows at its end while the run lives.
#pragma once
#include "storage/store.h"
#include "ui/plot/curve.h"
#include "ui/plot/plot_settings.h"

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace ui {

struct LineKey {
    std::string run;
    std::string metric;
    int rank = 0;
    auto operator<=>(const LineKey&) const = default;
};

/// One attempt's part in a line.
struct LinePiece {
    std::int64_t seriesId = 0;
    int attempt = 1;
    double startSeconds = 0;   ///< when the attempt began, since 1970
    double activeSeconds = 0;  ///< training time before the attempt, pauses left out
    std::int64_t keptUpTo = std::numeric_limits<std::int64_t>::max();  ///< later steps were overtaken
    auto operator<=>(const LinePiece&) const = default;
};

/// Either the points that count or those that a later attempt overtook.
class LinePoints {
public:
    /// @p points ascending in step and later than all there are.
    void append(const LinePiece& piece, std::span<const storage::Point> points);

    std::size_t size() const { return m_steps.size(); }
    bool isEmpty() const { return m_steps.empty(); }
    std::span<const std::int64_t> steps() const { return m_steps; }
    const Curve& raw() const { return m_raw; }

    double x(std::size_t index, XAxis axis) const
    {
        return axis == XAxis::Step     ? static_cast<double>(m_steps[index])
            : axis == XAxis::ActiveTime ? m_activeSeconds[index]
                                        : wallSeconds(index);
    }
    int attempt(std::size_t index) const { return pieceAt(index).attempt; }

    /// Stretches of indexes along which x ascends: one, but for wall time when a clock was set back.
    struct Stretch {
        std::size_t first = 0;
        std::size_t last = 0;  ///< one past it
    };
    std::vector<Stretch> stretches(XAxis axis) const;

    /// First index in the stretch whose x is at least (or, inclusive: over) @p x.
    std::size_t indexAt(const Stretch& stretch, double x, XAxis axis, bool isPast = false) const;
    /// Index of the point nearest to @p x; size() when there is none.
    std::size_t nearest(double x, XAxis axis) const;

private:
    struct Start {
        std::size_t index = 0;
        LinePiece piece;
    };
    const LinePiece& pieceAt(std::size_t index) const;
    double wallSeconds(std::size_t index) const;

    std::vector<std::int64_t> m_steps;
    std::vector<double> m_activeSeconds;  ///< never descending
    Curve m_raw;
    std::vector<Start> m_pieces;
};

struct LineData {
    LineKey key;
    LinePoints points;
    std::vector<LinePoints> superseded;  ///< one for each attempt that was overtaken
    std::vector<LinePiece> pieces;       ///< what this was made of; when they change it is loaded anew
    std::int64_t lastStep = -1;          ///< the newest that was fetched, of the last piece
    bool isThinned = false;              ///< too long to hold: least and greatest of many points each
    Smoother smoother;
    Curve smoothed;  ///< empty when smoothing is off

    /// Brings smoothed up to points.
    void smooth();
};

}  // namespace ui
