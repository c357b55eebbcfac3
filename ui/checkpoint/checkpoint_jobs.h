// What takes long with a run's checkpoints, done on another thread and told in a sentence.
#pragma once
#include "ui/base/store_service.h"
#include "ui/checkpoint/checkpoint_files.h"

#include <QObject>
#include <QThreadPool>

#include <filesystem>
#include <functional>
#include <vector>

namespace ui {

/// One job at a time, in the order asked for. After each the run's folder is read again.
class CheckpointJobs : public QObject {
    Q_OBJECT
public:
    using Folders = std::vector<std::filesystem::path>;

    CheckpointJobs(StoreService& service, QObject* parent);
    /// Waits for the job in progress.
    ~CheckpointJobs() override;

    /// Whose checkpoints they are. Another run's are not put back any more.
    void setRunFolder(const QString& folder);

    void verify(const Folders& checkpoints);
    void setPinned(const Folders& checkpoints, bool isPinned);
    void trash(const Folders& checkpoints);
    /// Puts back what was trashed last.
    void undo();
    bool canUndo() const { return !m_trashed.empty(); }

Q_SIGNALS:
    void said(const QString& sentence);
    void canUndoChanged();

private:
    void start(std::function<QString()> work);
    void takeTrashed(const TrashResult& result);
    void setTrashed(std::vector<TrashedCheckpoint> trashed);

    StoreService& m_service;
    QThreadPool m_pool;
    QString m_runFolder;
    std::vector<TrashedCheckpoint> m_trashed;
};

}  // namespace ui
