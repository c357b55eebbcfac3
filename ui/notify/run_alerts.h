// Decides what is worth a notification: a run that was active has finished, failed, hangs or was cut off, or the disk is nearly full.
#pragma once
#include "ui/runs/runs_model.h"

#include <QHash>
#include <QObject>
#include <QString>

namespace ui {

struct Alert {
    QString runId;  ///< empty: of no single run
    QString title;  ///< "digits has failed"
    QString text;   ///< its cause, or how far it came
    bool isUrgent = false;
};

class RunAlerts : public QObject {
    Q_OBJECT
public:
    /// @p runs must outlive this. What has ended before it was seen active is no news.
    explicit RunAlerts(const RunsModel& runs, QObject* parent = nullptr);

    /// Bytes that are free where the runs are kept. Less than contract::kLowDiskBytes alerts once, while any run is active.
    void setFreeSpace(std::int64_t bytes);

Q_SIGNALS:
    void raised(const ui::Alert& alert);

private:
    void look(const QString& id);

    const RunsModel& m_runs;
    QHash<QString, std::int64_t> m_rules;         ///< when a rule last fired, of the same runs
    QHash<QString, launcher::RunState> m_states;  ///< of runs that were active when they were last looked at
    bool m_isSpaceLow = false;
};

}  // namespace ui
