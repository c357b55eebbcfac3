#include "ui/palette_entries.h"

#include "engine/contract/experiment/options.h"
#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/plot/layout/plot_groups.h"


#include <algorithm>

namespace ui {
namespace {

using Kind = PaletteEntry::Kind;

QString text(std::string_view utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

void addActions(const ActionRegistry& actions, std::vector<PaletteEntry>& entries)
{
    for (const ActionSpec& spec : actions.specs()) {
        // The palette itself is open already.
        if (spec.id == QLatin1String("view.palette"))
            continue;
        const QAction* const action = actions.action(spec.id);
        QString title = titleText(action->text());
        if (spec.place != kWindowPlace && spec.place != kEverywhere)
            title = RunsModel::tr("%1: %2").arg(std::ranges::find(actions.places(), spec.place, &ActionPlace::id)->title, title);
        const QString reason = action->isEnabled() ? QString() : actions.reason(spec.id);
        entries.push_back({Kind::Action, spec.id, title, reason.isEmpty() ? spec.help : reason, action->shortcut().toString(QKeySequence::NativeText),
            action->icon(), action->isEnabled()});
    }
}

void addRuns(const RunsModel& runs, std::vector<PaletteEntry>& entries)
{
    const std::size_t first = entries.size();
    for (const RunEntry& run : runs.entries()) {
        const QString state = run.status ? stateWord(run.status->state) : QString();
        QStringList detail {run.id()};
        if (!state.isEmpty())
            detail << state;
        if (!run.row.project.empty())
            detail << text(run.row.project);
        for (const std::string& tag : run.row.tags)
            detail << QLatin1Char('#') + text(tag);
        entries.push_back({Kind::Run, run.id(), run.name(), detail.join(QStringLiteral(" · ")), {}});
    }
    // Ids end in the time at which the runs were made, but begin with their names.
    std::stable_sort(entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end(),
        [&runs](const PaletteEntry& a, const PaletteEntry& b) { return runs.entry(a.id)->row.createdUnixMs > runs.entry(b.id)->row.createdUnixMs; });
}

}  // namespace

std::vector<PaletteEntry> paletteEntries(const Workbench& workbench, const QStringList& views)
{
    std::vector<PaletteEntry> entries;
    addActions(workbench.actions, entries);
    for (const QString& name : views)
        entries.push_back({Kind::View, name, RunsModel::tr("Saved view: %1").arg(name), RunsModel::tr("Arrange the window as it was saved"), {}});
    addRuns(workbench.runs, entries);
    if (const storage::FieldNames* const names = workbench.fields.names()) {
        for (const std::string& metric : names->metrics)
            entries.push_back({Kind::Metric, text(metric), metricTitle(metric), RunsModel::tr("Draw %1 in the plots").arg(text(metric)), {}});
    }
    for (const contract::Option& option : contract::options())
        entries.push_back({Kind::Option, text(option.key), translatedText(option.label), text(option.key) + QStringLiteral(": ") + translatedText(option.help), {}});
    return entries;
}

}  // namespace ui
