#include "ui/base/selection.h"

#include <QSignalBlocker>

#include <algorithm>

namespace ui {

void Selection::restoreLooks(const QHash<QString, int>& looks)
{
    m_looks.clear();
    m_owners = {};
    for (auto look = looks.begin(); look != looks.end(); ++look) {
        if (look.value() < 0 || look.value() >= kLookCount)
            continue;
        m_looks.insert(look.key(), look.value());
        ++m_owners[static_cast<std::size_t>(look.value())];
    }
}

void Selection::setDrawn(const QStringList& runIds, bool isDrawnNow)
{
    bool hasChanged = false;
    for (const QString& id : runIds) {
        if (id.isEmpty() || isDrawnNow == isDrawn(id))
            continue;
        hasChanged = true;
        if (isDrawnNow) {
            m_drawn.append({id, giveLook(id)});
            m_drawnIds.insert(id);
        } else {
            m_drawnIds.remove(id);
            --m_drawnOwners[static_cast<std::size_t>(m_looks.value(id))];
        }
    }
    if (!hasChanged)
        return;
    m_drawn.removeIf([this](const DrawnRun& run) { return !m_drawnIds.contains(run.runId); });
    Q_EMIT drawnChanged();
}

void Selection::setAllDrawn(const QStringList& runIds)
{
    if (drawnIds() == runIds)
        return;
    QSignalBlocker once(this);
    QStringList others = drawnIds();
    others.removeIf([&](const QString& id) { return runIds.contains(id); });
    setDrawn(others, false);
    setDrawn(runIds, true);
    std::ranges::sort(m_drawn, {}, [&](const DrawnRun& run) { return runIds.indexOf(run.runId); });
    once.unblock();
    Q_EMIT drawnChanged();
}

QStringList Selection::drawnIds() const
{
    QStringList ids;
    for (const DrawnRun& run : m_drawn)
        ids << run.runId;
    return ids;
}

int Selection::giveLook(const QString& runId)
{
    const auto known = m_looks.constFind(runId);
    // When no look was left, a drawn run may have got the look of a hidden one.
    const bool isFree = known != m_looks.constEnd() && m_drawnOwners[static_cast<std::size_t>(*known)] == 0;
    const int look = isFree ? *known : freeLook();
    if (known == m_looks.constEnd() || *known != look) {
        if (known != m_looks.constEnd())
            --m_owners[static_cast<std::size_t>(*known)];
        m_looks.insert(runId, look);
        ++m_owners[static_cast<std::size_t>(look)];
    }
    ++m_drawnOwners[static_cast<std::size_t>(look)];
    return look;
}

void Selection::setInspected(const QString& runId)
{
    if (m_inspected == runId)
        return;
    m_inspected = runId;
    Q_EMIT inspectedChanged(runId);
}

QString Selection::baseline() const
{
    if (isDrawn(m_baseline))
        return m_baseline;
    return m_drawn.isEmpty() ? QString() : m_drawn.front().runId;
}

void Selection::setBaseline(const QString& runId)
{
    if (m_baseline == runId)
        return;
    m_baseline = runId;
    Q_EMIT baselineChanged();
}

// The lowest look that no run has, drawn or not, so that a hidden run can keep its look when it is drawn again. When
// every look belongs to some run, the lowest one that is not drawn.
int Selection::freeLook() const
{
    for (const auto* owners : {&m_owners, &m_drawnOwners}) {
        const auto free = std::ranges::find(*owners, 0);
        if (free != owners->end())
            return static_cast<int>(free - owners->begin());
    }
    return static_cast<int>(m_drawn.size() % kLookCount);
}

}  // namespace ui
