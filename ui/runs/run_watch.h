// Keeps the runs model true: reads the table when the database changes, looks at the evidence of a run's
// state on a thread of its own, active runs again and again.
#pragma once
#include "ui/base/store_service.h"
#include "ui/runs/runs_model.h"

#include <QObject>
#include <QSet>
#include <QStringList>
#include <QThread>
#include <QTimer>

namespace ui {

class RunWatch : public QObject {
    Q_OBJECT
public:
    RunWatch(StoreService& store, RunsModel& model, QObject* parent = nullptr);
    ~RunWatch() override;

    /// Looks at all runs anew: F5.
    void readAgain();
    /// Looks at one now, for one that has just been started or told something.
    void look(const QString& runId);

    /// True once the table has been read for the first time.
    bool isLoaded() const { return m_isLoaded; }

Q_SIGNALS:
    void loaded();
    void failed(storage::StoreError::Kind kind, const QString& message);

private:
    void readTable();
    void lookAtChanged(const std::vector<storage::RunRow>& rows);
    void ask(const QString& runId, const std::string& folder);
    void lookAtActive();
    void arrived(const QString& runId, const launcher::RunStatus& status);

    StoreService& m_store;
    RunsModel& m_model;
    QThread m_thread;
    QObject* m_worker;          ///< on m_thread, which deletes it
    QSet<QString> m_underWay;   ///< asked for and not answered yet
    QStringList m_ended;        ///< folders of runs that have just ended
    QTimer m_timer;
    bool m_isLoaded = false;
    bool m_isReading = false;
    bool m_isOutdated = false;  ///< the database changed while it was read
};

}  // namespace ui
