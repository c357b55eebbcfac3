#include "ui/steps/stacked_parts.h"

#include "engine/contract/run/journal.h"
#include "ui/plot/layout/plot_groups.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

namespace metric = contract::metric;

QString words(const char* text) { return QCoreApplication::translate("ui::StackedParts", text); }

/// Means over ranks of a metric, by bin.
std::vector<double> meansOf(const StepTimes& times, const std::string& metric, const std::vector<int>& ranks)
{
    std::vector<const StepBins*> bins;
    for (const int rank : ranks)
        bins.push_back(&times.bins(metric, rank));
    std::vector<double> means;
    for (std::int64_t bin = times.first(); bin <= times.last(); ++bin) {
        double sum = 0;
        int count = 0;
        for (const StepBins* ofRank : bins) {
            if (const StepBins::Bin found = ofRank->at(bin); found.count > 0) {
                sum += found.mean();
                ++count;
            }
        }
        means.push_back(count > 0 ? sum / count : std::nan(""));
    }
    return means;
}

}  // namespace

double StackedParts::total(std::size_t bin) const
{
    double sum = 0;
    for (const Part& part : parts) {
        if (std::isfinite(part.milliseconds[bin]))
            sum += part.milliseconds[bin];
    }
    return sum;
}

const std::vector<std::string>& partsMetrics()
{
    static const std::vector<std::string> all = {metric::kDataTime, metric::kForwardTime, metric::kBackwardTime, metric::kCommunicationTime,
        metric::kOptimizerTime};
    return all;
}

const std::vector<std::string>& roundMetrics()
{
    static const std::vector<std::string> all = {"timing_s/gen", "timing_s/adv", "timing_s/ref", "timing_s/old_prediction",
        "timing_s/ema_prediction", "timing_s/teacher", "timing_s/update_actor"};
    return all;
}

StackedParts partsOfSteps(const StepTimes& times, std::optional<int> rank)
{
    const std::vector<int> ranks = rank ? std::vector {*rank} : times.ranks();
    const QString names[] = {words(QT_TRANSLATE_NOOP("ui::StackedParts", "Data")), words(QT_TRANSLATE_NOOP("ui::StackedParts", "Forward")),
        words(QT_TRANSLATE_NOOP("ui::StackedParts", "Backward")), words(QT_TRANSLATE_NOOP("ui::StackedParts", "Waiting")),
        words(QT_TRANSLATE_NOOP("ui::StackedParts", "Optimizer"))};
    StackedParts result {{}, times.first(), times.width(), times.axis()};
    StackedParts::Part rest {words(QT_TRANSLATE_NOOP("ui::StackedParts", "Other")), meansOf(times, metric::kStepTime, ranks)};
    for (std::size_t i = 0; i < partsMetrics().size(); ++i) {
        result.parts.push_back({names[i], meansOf(times, partsMetrics()[i], ranks)});
        for (std::size_t bin = 0; bin < rest.milliseconds.size(); ++bin) {
            if (const double value = result.parts.back().milliseconds[bin]; std::isfinite(value))
                rest.milliseconds[bin] = std::max(0.0, rest.milliseconds[bin] - value);
        }
    }
    result.parts.push_back(std::move(rest));
    return result;
}

StackedParts partsOfRounds(const StepTimes& times)
{
    StackedParts result {{}, times.first(), times.width(), times.axis()};
    for (const std::string& metric : roundMetrics()) {
        if (!times.has(metric))
            continue;
        std::vector<double> milliseconds = meansOf(times, metric, times.ranks());
        std::ranges::transform(milliseconds, milliseconds.begin(), [](double seconds) { return 1000 * seconds; });
        result.parts.push_back({metricTitle(metric), std::move(milliseconds)});
    }
    return result;
}

}  // namespace ui
