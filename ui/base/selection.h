// The selection that all views share: which runs are drawn in the plots, which of them the others are compared with, and which
// one run is inspected.
#pragma once
#include "ui/base/line_look.h"

#include <QHash>
#include <QList>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>

#include <array>

namespace ui {

class Selection : public QObject {
    Q_OBJECT
public:
    struct DrawnRun {
        QString runId;
        int look = 0;  ///< index of the automatic look, see line_look.h
        bool operator==(const DrawnRun&) const = default;
    };

    using QObject::QObject;

    /// The drawn runs, in the order in which they were selected.
    const QList<DrawnRun>& drawn() const { return m_drawn; }
    bool isDrawn(const QString& runId) const { return m_drawnIds.contains(runId); }
    void setDrawn(const QString& runId, bool isDrawn) { setDrawn(QStringList(runId), isDrawn); }
    /// Emits drawnChanged() once for all of @p runIds.
    void setDrawn(const QStringList& runIds, bool isDrawn);
    /// Draws these runs and no others, in this order.
    void setAllDrawn(const QStringList& runIds);
    QStringList drawnIds() const;

    /// The id of the run that the others are compared with: the one chosen by setBaseline() while it is drawn, else the first one
    /// that was drawn; empty: no run is drawn.
    QString baseline() const;
    const QString& chosenBaseline() const { return m_baseline; }
    void setBaseline(const QString& runId);

    /// The index of the automatic look of @p runId, or -1 when it has never been drawn. A run keeps its look, and no
    /// two drawn runs share one while looks are left. Only when more runs than looks have been drawn, a run may get
    /// another look when it is drawn again.
    int lookOf(const QString& runId) const { return m_looks.value(runId, -1); }
    /// All looks assigned so far by run id, for the settings file.
    const QHash<QString, int>& looks() const { return m_looks; }
    /// Call before any run is drawn. Leaves out what is no look.
    void restoreLooks(const QHash<QString, int>& looks);

    /// The id of the inspected run; empty: none.
    const QString& inspected() const { return m_inspected; }
    void setInspected(const QString& runId);

Q_SIGNALS:
    void drawnChanged();
    /// The user has chosen another baseline. When drawnChanged() is emitted, baseline() may have changed as well.
    void baselineChanged();
    void inspectedChanged(const QString& runId);

private:
    int giveLook(const QString& runId);
    int freeLook() const;

    QList<DrawnRun> m_drawn;
    QSet<QString> m_drawnIds;
    QHash<QString, int> m_looks;
    std::array<int, kLookCount> m_owners {};     ///< by look: how many runs have it
    std::array<int, kLookCount> m_drawnOwners {};  ///< by look: how many of them are drawn
    QString m_baseline;
    QString m_inspected;
};

}  // namespace ui
