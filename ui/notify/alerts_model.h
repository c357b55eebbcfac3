// What has happened in all runs that people want to know of, newest first, as the store tells it; and which of it is unread, see
// [Note: unread alerts].
#pragma once
#include "launcher/queue/queue.h"
#include "ui/notify/read_alerts.h"
#include "ui/runs/runs_model.h"
#include "ui/store/store_service.h"

#include <QAbstractTableModel>
#include <QSet>
#include <QTimer>

#include <vector>

namespace ui {

class AlertsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Time, Run, What, Step, Details, ColumnCount };
    static constexpr int kMostAlerts = ReadAlerts::kMostAlerts;

    /// All must outlive this. Reads the store when it is open, and again what changes.
    /// @param isMirror the store is that of a mirror, which has the records of only those runs that were looked at: how the others ended is then
    ///   taken from their states
    AlertsModel(StoreService& service, const RunsModel& runs, Settings& settings, bool isMirror, QObject* parent = nullptr);

    /// The queue as it is now: its alerts are among those of the runs.
    void setQueue(const launcher::Queue& queue);

    const storage::AlertRow& alert(int row) const { return m_shown[std::size_t(row)]; }
    bool isUnread(int row) const;
    int unread() const;
    bool isFull() const { return m_rows.size() >= std::size_t(kMostAlerts); }  ///< older alerts are left out
    void markRead(int row);
    void markAllRead();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void changed();  ///< alerts have come or gone, or were read

private:
    void onChanged(const storage::Changes& changes);
    void readStore();
    void merge(const QString& run, std::vector<storage::AlertRow> rows);
    void addThoseOfTheQueue(std::vector<storage::AlertRow>& rows) const;
    void addEndsByState(std::vector<storage::AlertRow>& rows) const;
    void show();
    QString sentence(const storage::AlertRow& alert) const;
    QString details(const storage::AlertRow& alert) const;
    QVariant text(const storage::AlertRow& alert, int column) const;

    StoreService& m_service;
    const RunsModel& m_runs;
    Settings& m_settings;
    bool m_isMirror;
    std::vector<storage::AlertRow> m_rows;   ///< as the store has them, newest first
    launcher::Queue m_queue;
    std::vector<storage::AlertRow> m_shown;  ///< those that have happened, and those of the queue
    ReadAlerts m_read;
    QSet<QString> m_outdatedRuns;  ///< to be read again
    bool m_isAllOutdated = true;
    bool m_isReading = false;
    QTimer m_pause;  ///< before what has changed is read again
    QTimer m_statesPause;
};

}  // namespace ui
