#include "ui/plot/layout/plot_groups.h"

#include "engine/contract/run/journal.h"
#include "ui/base/format.h"
#include "ui/plot/layout/system_metrics.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
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
    {metric::kJudgeAgreement, QT_TRANSLATE_NOOP("ui::Plots", "Samples showing what was asked for")},
    {metric::kJudgeAccuracy, QT_TRANSLATE_NOOP("ui::Plots", "Real images recognised")},
    {metric::kJudgeReward, QT_TRANSLATE_NOOP("ui::Plots", "Reward of judged samples")},
    {metric::kJudgeBaseReward, QT_TRANSLATE_NOOP("ui::Plots", "The same before training")},
    {metric::kReward, QT_TRANSLATE_NOOP("ui::Plots", "Reward")},
    {metric::kHighestReward, QT_TRANSLATE_NOOP("ui::Plots", "Highest reward")},
    {metric::kLowestReward, QT_TRANSLATE_NOOP("ui::Plots", "Lowest reward")},
    {metric::kJudgeWins, QT_TRANSLATE_NOOP("ui::Plots", "Samples better than before training")},
    {metric::kClipped, QT_TRANSLATE_NOOP("ui::Plots", "Clipped samples")},
    {metric::kPolicyDivergence, QT_TRANSLATE_NOOP("ui::Plots", "Divergence from the policy that sampled")},
    // Of algorithms, under the names that the published implementations give them.
    {"critic/gold/mean", QT_TRANSLATE_NOOP("ui::Plots", "Watched, not trained on")},
    {"critic/rewards/std_mean", QT_TRANSLATE_NOOP("ui::Plots", "Spread of rewards within a prompt")},
    {"critic/rewards/zero_std_ratio", QT_TRANSLATE_NOOP("ui::Plots", "Prompts whose samples all score alike")},
    {"critic/rewards/group_size", QT_TRANSLATE_NOOP("ui::Plots", "Samples per prompt")},
    {"critic/advantages/mean", QT_TRANSLATE_NOOP("ui::Plots", "Advantage")},
    {"critic/advantages/max", QT_TRANSLATE_NOOP("ui::Plots", "Highest advantage")},
    {"critic/advantages/min", QT_TRANSLATE_NOOP("ui::Plots", "Lowest advantage")},
    {"actor/masked_fraction", QT_TRANSLATE_NOOP("ui::Plots", "Left out")},
    {"actor/ratio_mean", QT_TRANSLATE_NOOP("ui::Plots", "Probability ratio")},
    {"actor/ratio_max", QT_TRANSLATE_NOOP("ui::Plots", "Highest probability ratio")},
    {"actor/ratio_min", QT_TRANSLATE_NOOP("ui::Plots", "Lowest probability ratio")},
    {"actor/ratio_std", QT_TRANSLATE_NOOP("ui::Plots", "Spread of probability ratios")},
    {"actor/pg_clipfrac_higher", QT_TRANSLATE_NOOP("ui::Plots", "Clipped above")},
    {"actor/pg_clipfrac_lower", QT_TRANSLATE_NOOP("ui::Plots", "Clipped below")},
    {"actor/clip_frac_high", QT_TRANSLATE_NOOP("ui::Plots", "Clipped above")},
    {"actor/clip_frac_low", QT_TRANSLATE_NOOP("ui::Plots", "Clipped below")},
    {"actor/kl_loss", QT_TRANSLATE_NOOP("ui::Plots", "Divergence from the reference")},
    {"actor/ref_kl_loss", QT_TRANSLATE_NOOP("ui::Plots", "Distance from the reference")},
    {"actor/old_deviate", QT_TRANSLATE_NOOP("ui::Plots", "Distance from the old policy")},
    {"actor/policy_loss", QT_TRANSLATE_NOOP("ui::Plots", "Loss of the policy")},
    {"actor/positive_loss", QT_TRANSLATE_NOOP("ui::Plots", "Loss towards good samples")},
    {"actor/negative_loss", QT_TRANSLATE_NOOP("ui::Plots", "Loss away from bad samples")},
    {"actor/dpo_loss", QT_TRANSLATE_NOOP("ui::Plots", "Loss of preferences")},
    {"actor/implicit_acc", QT_TRANSLATE_NOOP("ui::Plots", "Pairs ranked as their rewards are")},
    {"rewards/margins", QT_TRANSLATE_NOOP("ui::Plots", "Margin of preferences")},
    {"rewards/chosen", QT_TRANSLATE_NOOP("ui::Plots", "Implicit reward of chosen samples")},
    {"rewards/rejected", QT_TRANSLATE_NOOP("ui::Plots", "Implicit reward of rejected samples")},
    {"actor/distill_kl_loss", QT_TRANSLATE_NOOP("ui::Plots", "Divergence from the teacher")},
    {"actor/distill_fm_mse_loss", QT_TRANSLATE_NOOP("ui::Plots", "Distance from the teacher")},
    {"old_policy/decay", QT_TRANSLATE_NOOP("ui::Plots", "Decay of the old policy")},
    {"timing_s/gen", QT_TRANSLATE_NOOP("ui::Plots", "Draw and score")},
    {"timing_s/adv", QT_TRANSLATE_NOOP("ui::Plots", "Advantages")},
    {"timing_s/ref", QT_TRANSLATE_NOOP("ui::Plots", "Reference")},
    {"timing_s/old_prediction", QT_TRANSLATE_NOOP("ui::Plots", "Old policy")},
    {"timing_s/ema_prediction", QT_TRANSLATE_NOOP("ui::Plots", "Moving average")},
    {"timing_s/teacher", QT_TRANSLATE_NOOP("ui::Plots", "Teacher")},
    {"timing_s/update_actor", QT_TRANSLATE_NOOP("ui::Plots", "Updates")},
    {metric::kRankLoss, QT_TRANSLATE_NOOP("ui::Plots", "Loss of each rank")},
    {metric::kStepTime, QT_TRANSLATE_NOOP("ui::Plots", "Step time")},
    {metric::kDataTime, QT_TRANSLATE_NOOP("ui::Plots", "Data")},
    {metric::kForwardTime, QT_TRANSLATE_NOOP("ui::Plots", "Forward")},
    {metric::kBackwardTime, QT_TRANSLATE_NOOP("ui::Plots", "Backward")},
    {metric::kCommunicationTime, QT_TRANSLATE_NOOP("ui::Plots", "Communication")},
    {metric::kOptimizerTime, QT_TRANSLATE_NOOP("ui::Plots", "Optimizer")},
    {metric::kResident, QT_TRANSLATE_NOOP("ui::Plots", "Memory, resident")},
    {metric::kMapped, QT_TRANSLATE_NOOP("ui::Plots", "Memory, mapped files")},
    {metric::kAllocated, QT_TRANSLATE_NOOP("ui::Plots", "Memory, allocated")},
    {metric::kReserved, QT_TRANSLATE_NOOP("ui::Plots", "Memory, reserved")},
    {metric::kPeakAllocated, QT_TRANSLATE_NOOP("ui::Plots", "Memory, peak")},
    {metric::kDriverUsed, QT_TRANSLATE_NOOP("ui::Plots", "Memory, used on the GPU")},
};

const std::vector<PlotGroup>& knownGroups()
{
    static const std::vector<PlotGroup> groups = {
        {.id = metric::kReward,
            .metrics = {metric::kReward, "critic/gold/mean", metric::kHighestReward, metric::kLowestReward},
            .title = QT_TRANSLATE_NOOP("ui::Plots", "Reward of a round's samples"),
            .band = {metric::kLowestReward, metric::kHighestReward}},
        {.id = metric::kClipped,
            .metrics = {metric::kClipped, "actor/masked_fraction", "actor/pg_clipfrac_higher", "actor/clip_frac_high",
                "actor/pg_clipfrac_lower", "actor/clip_frac_low"},
            .title = QT_TRANSLATE_NOOP("ui::Plots", "Clipped samples")},
        {.id = "actor/ratio_mean",
            .metrics = {"actor/ratio_mean", "actor/ratio_max", "actor/ratio_min"},
            .band = {"actor/ratio_min", "actor/ratio_max"}},
        {.id = metric::kPolicyDivergence,
            .metrics = {metric::kPolicyDivergence, "actor/kl_loss", "actor/ref_kl_loss", "actor/old_deviate", "actor/distill_kl_loss",
                "actor/distill_fm_mse_loss"},
            .title = QT_TRANSLATE_NOOP("ui::Plots", "Divergence (KL)")},
        {.id = "rewards/margins", .metrics = {"rewards/margins", "rewards/chosen", "rewards/rejected"}},
        {.id = "timing_s/gen",
            .metrics = {"timing_s/gen", "timing_s/update_actor", "timing_s/ref", "timing_s/old_prediction", "timing_s/ema_prediction",
                "timing_s/teacher", "timing_s/adv"},
            .title = QT_TRANSLATE_NOOP("ui::Plots", "Seconds of a round's phases")},
        {metric::kLoss, {metric::kLoss, metric::kValidationLoss}},
        {metric::kGradNorm, {metric::kGradNorm}},
        {.id = metric::kDriverUsed,
            .metrics = {metric::kDriverUsed, metric::kReserved, metric::kAllocated},
            .title = QT_TRANSLATE_NOOP("ui::Plots", "GPU memory: driver and allocator")},
        {metric::kResident, {metric::kResident}},
        {metric::kImagesPerSecond, {metric::kImagesPerSecond}},
        {metric::kMfu, {metric::kMfu}},
        {metric::kLr, {metric::kLr}},
        {metric::kStepTime,
            {metric::kStepTime, metric::kForwardTime, metric::kBackwardTime, metric::kCommunicationTime,
                metric::kOptimizerTime, metric::kDataTime},
            true},
        {metric::kJudgeAgreement, {metric::kJudgeAgreement, metric::kJudgeAccuracy}},
        {metric::kJudgeReward, {metric::kJudgeReward, metric::kJudgeBaseReward}},
    };
    return groups;
}

}  // namespace

QString metricTitle(const std::string& name)
{
    if (isSystemMetric(name))
        return systemTitle(name);
    for (const Title& title : kTitles)
        if (name == title.metric)
            return QCoreApplication::translate("ui::Plots", title.text);
    return QString::fromStdString(name);
}

QString groupTitle(const PlotGroup& group)
{
    QString title = group.title.empty() ? metricTitle(group.id) : QCoreApplication::translate("ui::Plots", group.title.c_str());
    constexpr std::size_t kMostNamed = 3;
    for (std::size_t i = group.metrics.size() - group.added; i < group.metrics.size(); ++i) {
        if (group.added > kMostNamed)
            return QCoreApplication::translate("ui::Plots", "%1 and %2 more").arg(title).arg(group.added);
        title += QStringLiteral(", ") + metricTitle(group.metrics[i]);
    }
    return group.isRankZeroOnly ? QCoreApplication::translate("ui::Plots", "%1 of rank 0").arg(title) : title;
}

Unit metricUnit(const std::string& metric)
{
    if (isSystemMetric(metric))
        return systemUnit(metric);
    if (metric.ends_with("_bytes"))
        return Unit::Bytes;
    if (metric.ends_with("_ms"))
        return Unit::Milliseconds;
    if (metric.ends_with("_per_s"))
        return Unit::PerSecond;
    if (metric == metric::kMfu || metric == metric::kJudgeAgreement || metric == metric::kJudgeAccuracy || metric == metric::kJudgeWins
        || metric.starts_with("actor/pg_clipfrac") || metric.starts_with("actor/clip_frac") || metric == "actor/implicit_acc"
        || metric == "actor/masked_fraction" || metric == "critic/rewards/zero_std_ratio")
        return Unit::Share;
    return Unit::None;
}

QString formatValue(double value, Unit unit, int digits)
{
    const QString number = formatNumber(value, digits);
    const int decimals = digits - 3;
    switch (unit) {
    case Unit::None:
        return number;
    case Unit::Bytes:
        return std::abs(value) < 1e18 ? formatBytes(static_cast<std::int64_t>(value), decimals) : number;
    case Unit::Milliseconds:
        return QCoreApplication::translate("ui::Plots", "%1 ms").arg(number);
    case Unit::PerSecond:
        return QCoreApplication::translate("ui::Plots", "%1/s").arg(number);
    case Unit::Share:
        return std::isfinite(value) ? formatPercent(value, decimals) : number;
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
        if (group.id == metric::kAllocated)  // on the CPU, which has no driver to ask
            group.title.clear();
        groups.push_back(group);
    }
    for (const std::string& name : left)
        groups.push_back({name, {name}});
    return groups;
}

std::vector<PlotGroup> defaultGroups(const std::vector<RunInfo>& runs)
{
    std::set<std::string> chosen;
    const std::set<std::string> all = metricNames(runs);
    for (const PlotGroup& group : knownGroups())
        for (const std::string& name : group.metrics)
            if (all.contains(name))
                chosen.insert(name);
    // On a GPU the memory that the driver reports says more than the process's resident memory.
    if (chosen.contains(metric::kDriverUsed))
        chosen.erase(metric::kResident);
    return groupsOf(chosen);
}

std::set<std::string> metricNames(const std::vector<RunInfo>& runs)
{
    std::set<std::string> names;
    for (const RunInfo& run : runs)
        for (const MetricInfo& info : run.metrics)
            if (!isSystemMetric(info.name))
                names.insert(info.name);
    return names;
}

}  // namespace ui
