// Runs the slow operations on a run's checkpoints on another thread and reports each result in one sentence.
#pragma once
#include "launcher/home/trash.h"
#include "launcher/remote/mirror.h"
#include "ui/checkpoint/checkpoint_files.h"
#include "ui/store/store_service.h"

#include <QHash>
#include <QObject>
#include <QThreadPool>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

namespace ui {

/// Runs one job at a time, in the order of the calls. After each job the run's folder is ingested again.
/// Call all functions on the GUI thread.
class CheckpointJobs : public QObject {
    Q_OBJECT
public:
    using Folders = std::vector<std::filesystem::path>;

    /// @p service must outlive this.
    CheckpointJobs(StoreService& service, QObject* parent);
    /// Waits for all jobs.
    ~CheckpointJobs() override;

    /// Sets the run that verify(), setPinned() and undo() work on.
    void setRunFolder(const QString& folder);

    /// The machine that has the checkpoints' files, which must outlive this. It then does the jobs.
    void setMirror(launcher::Mirror* mirror) { m_mirror = mirror; }

    void verify(const Folders& checkpoints);
    /// Whether files here are being verified, or are to be.
    bool isVerifying() const { return m_verifying > 0; }
    /// Ends verify(), whose files stay as they are; a message says so.
    void cancelVerifying();
    void setPinned(const Folders& checkpoints, bool isPinned);
    /// Stops the verification on another machine; the status says so when it has ended there.
    void cancel();
    bool canCancel() const { return bool(m_cancel); }
    /// @param runFolder the run that the checkpoints belong to, which by now may not be the one of setRunFolder()
    void trash(const QString& runFolder, const Folders& checkpoints);
    /// Restores the run's checkpoints that the last trash() moved or, without one, the last that is in the trash. No-op if
    /// there are none.
    void undo();
    bool canUndo() const { return m_mirror ? !undoableThere().empty() : !undoable().empty(); }
    /// Sets what is in the trash by now, of all runs, the last moved there first.
    void setTrash(const std::vector<launcher::TrashItem>& items);

Q_SIGNALS:
    /// The result of a job, or its start; may be empty.
    void statusMessage(const QString& sentence);
    /// A job has ended that may have changed files here; some of the changes are not in the index.
    void filesChanged();
    void canUndoChanged();
    void canCancelChanged();
    /// Something was moved to the other machine's trash, or out of it.
    void trashChangedThere();
    void verifyingChanged();

private:
    void start(std::function<QString()> work);
    /// `atelier checkpoints VERB` on the other machine for each; shows the errors or else @p success.
    void verifyThere(const Folders& checkpoints);
    void executeThere(const char* verb, const Folders& checkpoints, const QString& success);
    void trashThere(const QString& runFolder, const Folders& checkpoints);
    std::vector<launcher::TrashItem> undoableThere() const;
    void undoThere();
    void reportTrashed(const QString& runFolder, const TrashResult& result);
    std::vector<TrashedCheckpoint> undoable() const;

    StoreService& m_service;
    launcher::Mirror* m_mirror = nullptr;
    std::function<void()> m_cancel;  ///< of the verification on the other machine; empty: there is none
    int m_verification = 0;          ///< number of the last
    QThreadPool m_pool;
    int m_verifying = 0;  ///< jobs of verify() that have not ended
    std::stop_source m_verifyStop;
    QString m_runFolder;
    QHash<QString, std::vector<TrashedCheckpoint>> m_trashed;  ///< by run folder: what was moved together
    QHash<QString, QStringList> m_trashedThere;  ///< the same on the other machine: names in its trash
    std::vector<launcher::TrashItem> m_items;  ///< the checkpoints in the trash
};

}  // namespace ui
