// Tells the user's web address how a run without a supervisor ended whose rank 0 could not ([Note: notices] in engine/contract/run/notice.h).
#pragma once
#include "launcher/supervisor/webhook.h"
#include "ui/runs/runs_model.h"

#include <QObject>
#include <QSet>
#include <QString>

#include <utility>

namespace ui {

class LateNotices : public QObject {
    Q_OBJECT
public:
    /// @p runs must outlive this. Looks at each end once.
    LateNotices(const RunsModel& runs, launcher::DataHome home, QObject* parent = nullptr);

private:
    void look(const QString& id);

    const RunsModel& m_runs;
    launcher::DataHome m_home;
    launcher::WebhookSender m_sender;
    QSet<std::pair<QString, int>> m_seen;  ///< runs with the attempts that have ended
};

}  // namespace ui
