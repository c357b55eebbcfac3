#include "ui/shown_runs.h"

#include <algorithm>
#include <utility>

namespace ui {

ShownRuns::ShownRuns(Workbench& workbench, QObject* parent)
    : QObject(parent)
    , m_workbench(workbench)
    , m_toDraw(workbench.settings.drawnRuns())
    , m_toInspect(workbench.settings.inspectedRun())
{
    Selection& selection = m_workbench.selection;
    selection.restoreLooks(m_workbench.settings.looks());
    connect(&selection, &Selection::drawnChanged, this, &ShownRuns::save);
    connect(&selection, &Selection::inspectedChanged, this, &ShownRuns::save);
    connect(&m_workbench.watch, &RunWatch::loaded, this, &ShownRuns::takeRuns);
    connect(&m_workbench.runs, &RunsModel::runsChanged, this, &ShownRuns::takeRuns);
}

void ShownRuns::takeRuns()
{
    m_isFollowing = true;
    setMissingAside();
    m_isFollowing = false;
    if (!m_toOpen.isEmpty() && isKnown(m_toOpen))
        open(std::exchange(m_toOpen, {}));
    m_isFollowing = true;
    restore();
    openNewest();
    m_isFollowing = false;
}

qsizetype ShownRuns::draw(const QStringList& runIds)
{
    QStringList known;
    m_toDraw.clear();
    for (const QString& id : runIds)
        (isKnown(id) ? known : m_toDraw) << id;
    m_workbench.selection.setAllDrawn(known);
    save();
    return m_toDraw.size();
}

void ShownRuns::save()
{
    Settings& settings = m_workbench.settings;
    settings.setDrawnRuns(wanted());
    settings.setInspectedRun(m_workbench.selection.inspected());
    settings.setLooks(m_workbench.selection.looks());
}

/// Draws and inspects no run that the table has lost: it was moved to the trash, by this window or another program. If it
/// comes back, it is shown as before.
void ShownRuns::setMissingAside()
{
    Selection& selection = m_workbench.selection;
    QStringList missing;
    for (const Selection::DrawnRun& run : selection.drawn()) {
        if (!isKnown(run.runId))
            missing << run.runId;
    }
    m_toDraw << missing;
    selection.setDrawn(missing, false);
    if (selection.inspected().isEmpty() || isKnown(selection.inspected()))
        return;
    m_toInspect = selection.inspected();
    selection.setInspected({});
}

/// Draws and inspects the runs of the last session, and those set aside, as far as the table has them by now; it may still be filling.
void ShownRuns::restore()
{
    Selection& selection = m_workbench.selection;
    QStringList found;
    for (const QString& id : std::exchange(m_toDraw, {}))
        (isKnown(id) ? found : m_toDraw) << id;
    selection.setDrawn(found, true);
    if (!isKnown(m_toInspect))
        return;
    const QString inspected = std::exchange(m_toInspect, {});
    if (selection.inspected().isEmpty())
        selection.setInspected(inspected);
}

// A window without a last session shows the newest run unless another one was requested. The index may still be empty
// when it is first read and fill while the run folders are ingested, so this is called again when runs are added.
void ShownRuns::openNewest()
{
    const auto& entries = m_workbench.runs.entries();
    if (entries.empty() || !m_toOpen.isEmpty() || !m_workbench.selection.inspected().isEmpty())
        return;
    const auto newest = std::ranges::max_element(
        entries, {}, [](const RunEntry& entry) { return entry.row.createdUnixMs; });
    if (m_workbench.selection.drawn().isEmpty())
        open(newest->id());
    else
        m_workbench.selection.setInspected(newest->id());
}

void ShownRuns::open(const QString& runId)
{
    if (!isKnown(runId)) {
        m_toOpen = runId;
        return;
    }
    m_workbench.selection.setInspected(runId);
    m_workbench.selection.setDrawn(runId, true);
    Q_EMIT opened(runId);
}

}  // namespace ui
