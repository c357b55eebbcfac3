// Which runs are drawn and inspected from one session to the next, while runs appear in the table and disappear from it.
#pragma once
#include "ui/workbench.h"

#include <QObject>
#include <QString>
#include <QStringList>

namespace ui {

class ShownRuns : public QObject {
    Q_OBJECT
public:
    /// Restores the looks of the last session; its runs are drawn once the table has them. @p workbench must outlive this.
    explicit ShownRuns(Workbench& workbench, QObject* parent = nullptr);

    /// Inspects a run and draws it. If the runs table does not have it yet, this happens once it does.
    void open(const QString& runId);
    /// Draws these runs and no others. Those that the runs table does not have are drawn once it does.
    /// @return how many it does not have
    qsizetype draw(const QStringList& runIds);
    /// The runs that are drawn, then those that will be once the table has them.
    QStringList wanted() const { return m_workbench.selection.drawnIds() + m_toDraw; }
    /// Whether runs are being drawn or hidden because they have come or gone, not because the user wants it.
    bool isFollowing() const { return m_isFollowing; }

Q_SIGNALS:
    /// open() has shown the run.
    void opened(const QString& runId);

private:
    void takeRuns();
    void setMissingAside();
    void restore();
    void openNewest();
    void save();
    bool isKnown(const QString& runId) const { return m_workbench.runs.entry(runId) != nullptr; }

    Workbench& m_workbench;
    bool m_isFollowing = false;
    QString m_toOpen;      ///< opened as soon as the runs table has it
    QStringList m_toDraw;  ///< drawn before; the runs table does not have them now
    QString m_toInspect;   ///< inspected before, until the runs table has it
};

}  // namespace ui
