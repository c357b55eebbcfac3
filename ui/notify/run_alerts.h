// Decides what is worth a notification: a run that was active or waited has finished, failed, hangs or was cut off, the queue could not start
// one or is held because one has failed, or the disk is nearly full.
#pragma once
#include "launcher/queue/queue.h"
#include "ui/runs/runs_model.h"

#include <QHash>
#include <QObject>
#include <QString>

#include <optional>
#include <vector>

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
    /// @p runs must outlive this. What has ended before it was seen active or waiting is no news, nor are rules that have fired before now.
    explicit RunAlerts(const RunsModel& runs, QObject* parent = nullptr);

    /// The queue as it is now. Alerts that it has at the first call are no news.
    void setQueue(const launcher::Queue& queue);

    /// Bytes that are free where the runs are kept. Less than contract::kLowDiskBytes alerts once, while any run is active.
    void setFreeSpace(std::int64_t bytes);

Q_SIGNALS:
    void raised(const ui::Alert& alert);

private:
    void look(const QString& id);

    const RunsModel& m_runs;
    std::int64_t m_since;                         ///< Unix time in milliseconds: rules that fire later are news
    QHash<QString, std::int64_t> m_rules;         ///< when a rule last fired
    QHash<QString, launcher::RunState> m_states;  ///< of runs that were active or waiting when they were last looked at
    std::optional<std::vector<launcher::QueueAlert>> m_ofQueue;  ///< of the last setQueue()
    bool m_isSpaceLow = false;
};

}  // namespace ui
