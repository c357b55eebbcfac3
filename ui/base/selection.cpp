#include "ui/base/selection.h"

#include <algorithm>

namespace ui {

bool Selection::isDrawn(const QString& runId) const
{
    return std::ranges::find(m_drawn, runId, &DrawnRun::runId) != m_drawn.end();
}

void Selection::setDrawn(const QString& runId, bool isDrawnNow)
{
    if (runId.isEmpty() || isDrawnNow == isDrawn(runId))
        return;
    if (isDrawnNow) {
        if (!m_looks.contains(runId))
            m_looks.insert(runId, freeLook());
        m_drawn.append({runId, m_looks.value(runId)});
    } else {
        m_drawn.removeIf([&](const DrawnRun& run) { return run.runId == runId; });
    }
    Q_EMIT drawnChanged();
}

void Selection::setLook(const QString& runId, int look)
{
    m_looks.insert(runId, look);
    const auto run = std::ranges::find(m_drawn, runId, &DrawnRun::runId);
    if (run == m_drawn.end() || run->look == look)
        return;
    run->look = look;
    Q_EMIT drawnChanged();
}

void Selection::setInspected(const QString& runId)
{
    if (m_inspected == runId)
        return;
    m_inspected = runId;
    Q_EMIT inspectedChanged(runId);
}

void Selection::forget(const QString& runId)
{
    setDrawn(runId, false);
    if (m_inspected == runId)
        setInspected({});
}

// The lowest one that no drawn run wears: two lines side by side never look alike by chance.
int Selection::freeLook() const
{
    int look = 0;
    while (std::ranges::find(m_drawn, look, &DrawnRun::look) != m_drawn.end())
        ++look;
    return look;
}

}  // namespace ui
