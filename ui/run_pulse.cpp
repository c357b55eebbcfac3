#include "ui/run_pulse.h"

#include "ui/base/state_strip.h"

#include <QDateTime>

namespace ui {

RunPulse::RunPulse(Workbench& bench, QObject* parent)
    : QObject(parent)
    , m_bench(bench)
{
    connect(&bench.selection, &Selection::inspectedChanged, this, &RunPulse::show);
    connect(&bench.runs, &RunsModel::runsChanged, this, &RunPulse::show);
    connect(&bench.runs, &RunsModel::ticked, this, &RunPulse::show);
    connect(&bench.runs, &RunsModel::entryChanged, this, [this](const QString& id) {
        if (id == m_bench.selection.inspected())
            show();
    });
}

void RunPulse::add(const QWidget& view, const char* nextStep, bool isControlled)
{
    for (ViewFrame* const frame : view.findChildren<ViewFrame*>(Qt::FindDirectChildrenOnly))
        m_views << View {frame, QLatin1String(nextStep), isControlled};
    show();
}

void RunPulse::show()
{
    const RunEntry* const entry = m_bench.runs.entry(m_bench.selection.inspected());
    const QString stale = entry ? entry->silence(QDateTime::currentMSecsSinceEpoch()) : QString();
    const bool isCutOff = entry && entry->status && entry->status->state == launcher::RunState::CutOff;
    const QString cutOff = isCutOff ? tr("This run is on another machine: it can be viewed here, but not controlled at present.") : QString();
    QStringList withoutRun = {QStringLiteral("run.newest")};
    if (m_bench.runs.entries().empty())
        withoutRun = {QStringLiteral("experiment.new"), QStringLiteral("experiment.demo")};
    for (const View& view : m_views) {
        QList<QAction*> steps;
        for (const QString& id : entry ? QStringList(view.nextStep) : withoutRun) {
            if (!id.isEmpty())
                steps << m_bench.actions.action(id);
        }
        view.frame->setNextSteps(steps);
        view.frame->setPulse(stale, view.isControlled ? cutOff : QString());
        view.frame->setEnded(entry && entry->hasEnded());
    }
}

}  // namespace ui
