// The Gaussian mean of a series that grows at its end. See [Note: smoothing].
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ui {

/// Keeps the sums of the points whose window later points may still enter, so that a new point costs one term for each
/// point within its reach, and not the windows of all these points anew.
class GaussianMean {
public:
    /// @param width the standard deviation in steps. @param reach how many steps away a point still counts.
    GaussianMean(double width, double reach);

    /// Appends to @p smoothed the means of the points that it lacks, and updates the earlier ones that these change.
    /// @param steps ascending. @param values as many. Both begin with those of the last call.
    /// @return the first index of @p smoothed that is new or changed.
    std::size_t extend(
        std::span<const std::int64_t> steps, std::span<const double> values, std::vector<double>& smoothed);

private:
    struct Recent {
        std::int64_t step = 0;
        double value = 0;
        double weight = 0;  ///< the number of steps that the point stands for
        std::size_t index = 0;
        double sum = 0;
        double totalWeight = 0;
        double least = 0;
        double greatest = 0;

        void add(double term, const Recent& other);
        double mean() const;
    };
    void drop(std::int64_t step, std::vector<double>& smoothed);
    void add(std::size_t index, std::int64_t step, double value);

    std::vector<double> m_kernel;   ///< by distance in steps
    std::vector<Recent> m_recent;   ///< the finite points, oldest first; those before m_first are out of reach
    std::size_t m_first = 0;
    std::size_t m_finite = 0;       ///< finite points so far
    std::int64_t m_lastStep = 0;    ///< of the last finite point
};

}  // namespace ui
