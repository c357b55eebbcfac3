#include "ui/plot/layout/system_metrics.h"

#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace ui {
namespace {

namespace metric = contract::metric;

struct Kind {
    const char* ending;  ///< of a GPU's metric
    const char* title;
};

// In the order of the plots. The second of a pair shares the plot of the first.
constexpr std::array<Kind, 6> kGpuKinds = {{
    {"_load", QT_TRANSLATE_NOOP("ui::Plots", "GPU %1 load")},
    {"_memory_used_bytes", QT_TRANSLATE_NOOP("ui::Plots", "GPU %1 memory, all programs")},
    {"_memory_run_bytes", QT_TRANSLATE_NOOP("ui::Plots", "GPU %1 memory, this run")},
    {"_power_w", QT_TRANSLATE_NOOP("ui::Plots", "GPU %1 power (W)")},
    {"_temperature_c", QT_TRANSLATE_NOOP("ui::Plots", "GPU %1 temperature (°C)")},
    {"_throttled", QT_TRANSLATE_NOOP("ui::Plots", "GPU %1 slowed down by heat or power")},
}};
constexpr Kind kHostKinds[] = {
    {metric::kCpuLoad, QT_TRANSLATE_NOOP("ui::Plots", "Processors, all programs")},
    {metric::kCpuRanks, QT_TRANSLATE_NOOP("ui::Plots", "Processors, this run")},
    {metric::kHostMemory, QT_TRANSLATE_NOOP("ui::Plots", "Memory, all programs")},
    {metric::kHostRanks, QT_TRANSLATE_NOOP("ui::Plots", "Memory, this run")},
    {metric::kHostDisk, QT_TRANSLATE_NOOP("ui::Plots", "Free disk space")},
};

struct GpuMetric {
    std::int64_t gpu = 0;
    std::size_t kind = 0;  ///< index in kGpuKinds
};

std::optional<GpuMetric> gpuMetric(std::string_view name)
{
    static const std::string prefix = std::string(metric::kHostPrefix) + "gpu";
    if (!name.starts_with(prefix))
        return {};
    name.remove_prefix(prefix.size());
    const std::size_t digits = std::min(name.find('_'), name.size());
    const auto gpu = contract::parseInteger(name.substr(0, digits));
    const auto kind = std::ranges::find(kGpuKinds, name.substr(digits), &Kind::ending);
    if (!gpu || *gpu < 0 || kind == kGpuKinds.end())
        return {};
    return GpuMetric {*gpu, static_cast<std::size_t>(kind - kGpuKinds.begin())};
}

QString translated(const char* text)
{
    return QCoreApplication::translate("ui::Plots", text);
}

/// The title of a plot that two metrics share: that of the first without what tells them apart.
const char* sharedTitle(const std::string& name)
{
    if (name == metric::kCpuLoad)
        return QT_TRANSLATE_NOOP("ui::Plots", "Processors");
    if (name == metric::kHostMemory)
        return QT_TRANSLATE_NOOP("ui::Plots", "Memory");
    return "";
}

}  // namespace

bool isSystemMetric(std::string_view name)
{
    return name.starts_with(metric::kHostPrefix);
}

QString systemTitle(const std::string& name)
{
    if (const auto gpu = gpuMetric(name))
        return translated(kGpuKinds[gpu->kind].title).arg(gpu->gpu);
    for (const Kind& kind : kHostKinds)
        if (name == kind.ending)
            return translated(kind.title);
    return QString::fromStdString(name);
}

Unit systemUnit(std::string_view name)
{
    if (name.ends_with("_bytes"))
        return Unit::Bytes;
    return name.ends_with("_load") ? Unit::Share : Unit::None;
}

std::vector<PlotGroup> systemGroups(const std::vector<RunInfo>& runs)
{
    std::map<std::int64_t, std::map<std::size_t, std::string>> gpus;
    std::set<std::string> names;
    for (const RunInfo& run : runs)
        for (const MetricInfo& info : run.metrics)
            if (isSystemMetric(info.name))
                names.insert(info.name);
    for (const std::string& name : names)
        if (const auto gpu = gpuMetric(name))
            gpus[gpu->gpu][gpu->kind] = name;
    std::vector<PlotGroup> groups;
    const auto add = [&](const std::string& name, bool sharesPlot) {
        if (sharesPlot && !groups.empty())
            groups.back().metrics.push_back(name);
        else
            groups.push_back({.id = name, .metrics = {name}, .title = {}});
    };
    for (const auto& [gpu, kinds] : gpus)
        for (const auto& [kind, name] : kinds)
            add(name, kind == 2 && kinds.contains(1));
    for (const Kind& kind : kHostKinds) {
        const std::string name = kind.ending;
        const bool isOfRun = name == metric::kCpuRanks || name == metric::kHostRanks;
        if (!names.contains(name))
            continue;
        add(name, isOfRun && !groups.empty() && !std::string_view(sharedTitle(groups.back().id)).empty());
        if (isOfRun)
            groups.back().title = sharedTitle(groups.back().id);
    }
    return groups;
}

}  // namespace ui
