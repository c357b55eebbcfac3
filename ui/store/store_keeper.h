// Writes run folders into the database, on the store service's keeper thread. See [Note: the two store threads].
#pragma once
#include "launcher/base/data_home.h"
#include "storage/store.h"

#include <QObject>
#include <QStringList>
#include <QTimer>

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace ui {

/// Run folders stay pending while the database reports an error (locked, disk full …); a timer retries them.
class StoreKeeper : public QObject {
    Q_OBJECT
public:
    explicit StoreKeeper(const launcher::DataHome& home);

    /// Ingests the new records of one run folder; retried later if the database reports an error.
    void catchUp(const std::filesystem::path& runFolder);
    /// The same for all run folders.
    void catchUpAll();
    /// Removes a run from the database; its folder is not touched.
    void forget(const std::string& runId);
    /// See Store::compact(). What cannot be given back now is at the next time.
    void compact();
    /// Rebuilds the database from the run folders.
    void rebuild();

Q_SIGNALS:
    void failed(storage::StoreError::Kind kind, const QString& message);
    void foldersUnreadable(const QStringList& sentences);
    void rebuilding(int runsDone, int runsInAll);
    void rebuilt();
    /// Run folders cannot be ingested for now, for the reason given in one sentence; empty: they can again.
    void ingestDelayed(const QString& reason);
    /// The folder that holds all run folders is not there, or is again.
    void runsFolderMissing(bool isMissing);

private:
    storage::Store& store();
    /// Runs @p work (std::vector<std::string>(storage::Store&), which returns unreadable folders, one sentence each).
    /// @return the database error that it threw, if any. Other exceptions are reported by foldersUnreadable().
    template <typename Work>
    std::optional<storage::StoreError> attempt(Work work);
    void ingestPending();
    void scheduleRetry(const std::optional<storage::StoreError>& error);
    /// Other machines, which have their own index, add runs to a data home on a network disk. And a disk may be unmounted.
    void lookForRuns();

    launcher::DataHome m_home;
    std::optional<storage::Store> m_store;
    std::set<std::filesystem::path> m_pending;  ///< run folders
    bool m_isAllPending = false;
    bool m_isDelayReported = false;  ///< ingestDelayed() was last emitted with a reason
    QTimer* m_timer;
    QTimer* m_look;
    std::filesystem::file_time_type m_runsChanged;
    bool m_isRunsFolderMissing = false;
};

}  // namespace ui
