// Keeps the runs model up to date: reads the rows of runs that change in the database, and determines the runs' states on
// a separate thread, every second for active runs. States that the user waits for come first: those of runs that are active
// or were acted on, then those in view, then the others.
#pragma once
#include "ui/runs/runs_model.h"
#include "ui/store/store_service.h"

#include <QHash>
#include <QObject>
#include <QStringList>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>

namespace ui {

class RunWatch : public QObject {
    Q_OBJECT
public:
    /// @p store and @p model must outlive this.
    RunWatch(StoreService& store, RunsModel& model, QObject* parent = nullptr);
    ~RunWatch() override;

    /// Reads the table again and determines every run's state anew (F5).
    void readAgain();
    /// Gives up reading the table; it is read again when it changes, or by readAgain().
    void cancel();
    /// Determines one run's state now, e.g. after a command was sent to it. No-op for an unknown run.
    void refreshStatus(const QString& runId);

    /// Sets what returns the ids of the runs that the user sees now. Called on the GUI thread.
    void setInView(std::function<QStringList()> inView) { m_inView = std::move(inView); }

    /// True once the table has been read for the first time.
    bool isLoaded() const { return m_isLoaded; }

Q_SIGNALS:
    void loaded();
    void failed(storage::StoreError::Kind kind, const QString& message);

private:
    enum class Turn { First, Later };
    void readTable();
    void takeChanges(const storage::Changes& changes);
    void readChangedRows();
    void finishReading();
    void refreshChanged(const std::vector<storage::RunRow>& rows);
    void requestStatus(const QString& runId, const std::string& folder, Turn turn);
    void determineNext();
    QStringList nextRuns();
    void refreshActive();
    void lookForFolders();
    void askSlurm();
    void takeStatus(const QString& runId, const launcher::RunStatus& status);

    StoreService& m_store;
    RunsModel& m_model;
    QThread m_thread;
    QObject* m_worker;          ///< on m_thread, which deletes it
    QHash<QString, std::string> m_waiting;  ///< ids and folders of runs whose status is to be determined
    std::deque<QString> m_first, m_later;   ///< their order; may name runs that wait no longer
    std::function<QStringList()> m_inView;
    int m_inWork = 0;                       ///< number of runs whose status the thread is determining
    std::set<std::string> m_changed;        ///< ids of runs whose rows are to be read
    QStringList m_justEnded;    ///< folders of runs that have ended since the last refreshActive()
    QTimer m_timer;
    std::shared_ptr<std::atomic_bool> m_isAskingSlurm = std::make_shared<std::atomic_bool>(false);  ///< shared with the thread that asks
    QueryTicket m_ticket;  ///< of the table
    bool m_isLoaded = false;
    bool m_isReading = false;
    bool m_isOutdated = false;  ///< all rows may have changed while some were being read
};

}  // namespace ui
