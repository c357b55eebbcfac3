#include "ui/plot/plot_groups.h"

#include "engine/contract/journal.h"
#include "ui/base/format.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <map>

namespace ui {
namespace {

namespace metric = contract::metric;

struct Title {
    const char* metric;
    const char* text;
};

constexpr Title kTitles[] = {
    {metric::kLoss, QT_TRANSLATE_NOOP("ui::Plots", "Loss")},
    {metric::kValidationLoss, QT_TRANSLATE_NOOP("ui::Plots", "Validation loss")},
    {metric::kGradNorm, QT_TRANSLATE_NOOP("ui::Plots", "Gradient norm")},
    {metric::kLr, QT_TRANSLATE_NOOP("ui::Plots", "Learning rate")},
    {metric::kImagesPerSecond, QT_TRANSLATE_NOOP("ui::Plots", "Images per second")},
    {metric::kTeraflops, QT_TRANSLATE_NOOP("ui::Plots", "TFLOP/s per rank")},
    {metric::kMfu, QT_TRANSLATE_NOOP("ui::Plots", "Model FLOPs utilisation")},
    {metric::kLossScale, QT_TRANSLATE_NOOP("ui::Plots", "Loss scale")},
    {metric::kSkippedSteps, QT_TRANSLATE_NOOP("ui::Plots", "Skipped steps")},
    {metric::kJudgeAgreement, QT_TRANSLATE_NOOP("ui::Plots", "Samples the judge agrees with")},
    {metric::kJudgeAccuracy, QT_TRANSLATE_NOOP("ui::Plots", "The judge's own accuracy")},
    {metric::kRankLoss, QT_TRANSLATE_NOOP("ui::Plots", "Loss of each rank")},
    {metric::kStepTime, QT_TRANSLATE_NOOP("ui::Plots", "Step time")},
    {metric::kDataTime, QT_TRANSLATE_NOOP("ui::Plots", "Data")},
    {metric::kForwardTime, QT_TRANSLATE_NOOP("ui::Plots", "Forward")},
    {metric::kBackwardTime, QT_TRANSLATE_NOOP("ui::Plots", "Backward")},
    {metric::kCommunicationTime, QT_TRANSLATE_NOOP("ui::Plots", "Communication")},
    {metric::kOptimizerTime, QT_TRANSLATE_NOOP("ui::Plots", "Optimizer")},
    {metric::kResident, QT_TRANSLATE_NOOP("ui::Plots", "Memory, resident")},
    {metric::kAllocated, QT_TRANSLATE_NOOP("ui::Plots", "Memory, allocated")},
    {metric::kReserved, QT_TRANSLATE_NOOP("ui::Plots", "Memory, reserved")},
    {metric::kPeakAllocated, QT_TRANSLATE_NOOP("ui::Plots", "Memory, peak")},
    {metric::kDriverUsed, QT_TRANSLATE_NOOP("ui::Plots", "Memory, used on the GPU")},
};

const std::vector<PlotGroup>& knownGroups()
{
    static const std::vector<PlotGroup> groups = {
        {metric::kLoss, {metric::kLoss, metric::kValidationLoss}},
        {metric::kGradNorm, {metric::kGradNorm}},
        {metric::kDriverUsed, {metric::kDriverUsed}},
        {metric::kResident, {metric::kResident}},
        {metric::kImagesPerSecond, {metric::kImagesPerSecond}},
        {metric::kMfu, {metric::kMfu}},
        {metric::kLr, {metric::kLr}},
        {metric::kStepTime,
            {metric::kStepTime, metric::kForwardTime, metric::kBackwardTime, metric::kCommunicationTime,
                metric::kOptimizerTime, metric::kDataTime},
            true},
        {metric::kJudgeAgreement, {metric::kJudgeAgreement, metric::kJudgeAccuracy}},
    };
    return groups;
}

}  // namespace

QString metricTitle(const std::string& name)
{
    for (const Title& title : kTitles)
        if (name == title.metric)
            return QCoreApplication::translate("ui::Plots", title.text);
    return QString::fromStdString(name);
}

QString groupTitle(const PlotGroup& group)
{
    const QString title = metricTitle(group.id);
    return group.isRankZeroOnly ? QCoreApplication::translate("ui::Plots", "%1 of rank 0").arg(title) : title;
}

Unit metricUnit(const std::string& metric)
{
    if (metric.ends_with("_bytes"))
        return Unit::Bytes;
    if (metric.ends_with("_ms"))
        return Unit::Milliseconds;
    if (metric.ends_with("_per_s"))
        return Unit::PerSecond;
    if (metric == metric::kMfu || metric == metric::kJudgeAgreement || metric == metric::kJudgeAccuracy)
        return Unit::Share;
    return Unit::None;
}

QString formatValue(double value, Unit unit, bool isExact)
{
    const QString number = isExact ? formatExact(value) : formatNumber(value);
    switch (unit) {
    case Unit::None:
        return number;
    case Unit::Bytes:
        if (isExact)
            return QCoreApplication::translate("ui::Plots", "%1 bytes").arg(number);
        return std::abs(value) < 1e18 ? formatBytes(static_cast<std::int64_t>(value)) : number;
    case Unit::Milliseconds:
        return QCoreApplication::translate("ui::Plots", "%1 ms").arg(number);
    case Unit::PerSecond:
        return QCoreApplication::translate("ui::Plots", "%1/s").arg(number);
    case Unit::Share:
        return isExact ? number : formatPercent(value);
    }
    return number;
}

std::vector<PlotGroup> groupsOf(const std::set<std::string>& metrics)
{
    std::set<std::string> left = metrics;
    std::vector<PlotGroup> groups;
    for (PlotGroup group : knownGroups()) {
        std::erase_if(group.metrics, [&](const std::string& name) { return left.erase(name) == 0; });
        if (group.metrics.empty())
            continue;
        group.id = group.metrics.front();
        groups.push_back(group);
    }
    for (const std::string& name : left)
        groups.push_back({name, {name}});
    return groups;
}

std::vector<PlotGroup> defaultGroups(const std::vector<RunInfo>& runs)
{
    std::set<std::string> wanted;
    const std::set<std::string> all = metricNames(runs);
    for (const PlotGroup& group : knownGroups())
        for (const std::string& name : group.metrics)
            if (all.contains(name))
                wanted.insert(name);
    // The driver's word says more than the process's where there is a GPU.
    if (wanted.contains(metric::kDriverUsed))
        wanted.erase(metric::kResident);
    return groupsOf(wanted);
}

std::set<std::string> metricNames(const std::vector<RunInfo>& runs)
{
    std::set<std::string> names;
    for (const RunInfo& run : runs)
        for (const MetricInfo& info : run.metrics)
            names.insert(info.name);
    return names;
}

}  // namespace ui
