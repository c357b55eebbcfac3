// The check of preflight() for disk space.
#include "engine/contract/formats/sentence.h"
#include "launcher/home/checkpoint_sizes.h"
#include "launcher/home/trash.h"
#include "launcher/plan/preflight_checks.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

namespace launcher {
namespace {

using Level = PreflightItem::Level;
using Kind = PreflightFix::Kind;

std::string sizeText(double bytes)
{
    char text[32];
    if (bytes < 1e9)
        std::snprintf(text, sizeof text, "%.0f MB", std::ceil(bytes / 1e6));
    else
        std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
    return text;
}

/// The most checkpoints that fit when only the newest are kept, by @p experiment's other options; nullopt when not even one does.
std::optional<PreflightFix> keepFewer(contract::Experiment experiment, double free)
{
    experiment.set("checkpoint.keep_every", std::int64_t {0});
    experiment.set("checkpoint.keep_best", std::int64_t {0});
    const double one = checkpointBytes(experiment);
    // One more is written before the oldest is removed.
    const auto keep = one > 0 ? static_cast<std::int64_t>(free / one) - 1 : 0;
    if (keep < 1)
        return std::nullopt;
    return PreflightFix {.kind = Kind::SetOptions, .label = keep == 1 ? "Keep 1 checkpoint" : "Keep " + std::to_string(keep) + " checkpoints",
        .values = {{"checkpoint.keep", std::to_string(keep)}, {"checkpoint.keep_every", "0"}, {"checkpoint.keep_best", "0"}}};
}

/// The same, with checkpoints that hold weights alone.
std::optional<PreflightFix> saveWeightsOnly(contract::Experiment experiment, double free)
{
    experiment.set("checkpoint.save", std::string("weights"));
    if (bytesForCheckpoints(experiment) <= free)
        return PreflightFix {.kind = Kind::SetOptions, .label = "Save weights only", .values = {{"checkpoint.save", "weights"}}};
    auto fewer = keepFewer(experiment, free);
    if (fewer) {
        fewer->values["checkpoint.save"] = "weights";
        fewer->label = "Save weights only, k" + fewer->label.substr(1);
    }
    return fewer;
}

double trashBytes(const DataHome& home)
{
    double bytes = 0;
    for (const TrashItem& item : trashItems(home))
        bytes += static_cast<double>(folderBytes(item.place));
    return bytes;
}

std::vector<PreflightFix> fixesFor(const DataHome& home, const contract::Experiment& experiment, double free)
{
    std::vector<PreflightFix> fixes;
    if (const auto fewer = keepFewer(experiment, free))
        fixes.push_back(*fewer);
    else if (experiment.text("checkpoint.save") != "weights")
        if (const auto weights = saveWeightsOnly(experiment, free))
            fixes.push_back(*weights);
    if (const double bytes = trashBytes(home); bytes > 0)
        fixes.push_back({.kind = Kind::OpenTrash, .label = "Look into the trash (" + sizeText(bytes) + ")"});
    fixes.push_back({.kind = Kind::MoveHome, .label = "Keep runs elsewhere…"});
    return fixes;
}

}  // namespace

std::vector<PreflightItem> checkDisk(const DataHome& home, const contract::Experiment& experiment)
{
    constexpr double kReserve = 1e8;  // journals, logs, samples, database
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(home.data, error);
    if (error)
        return {{Level::Warning, "Disk", "the free space of " + contract::cannotBe("measured", home.data, error.value())}};
    const double needed = bytesForCheckpoints(experiment);
    const auto free = static_cast<double>(space.available);
    const std::string message = sizeText(free) + " free at " + home.data.string() + ", about "
        + sizeText(needed) + " needed for checkpoints";
    if (free < needed)
        return {{Level::Error, "Disk", message + "; free some space or keep fewer (checkpoint.keep, .keep_every, .keep_best, .max_gb)",
            fixesFor(home, experiment, free)}};
    if (free < needed + kReserve)
        return {{Level::Warning, "Disk", message + ", which leaves little for anything else", fixesFor(home, experiment, free)}};
    return {{Level::Ok, "Disk", message}};
}

}  // namespace launcher
