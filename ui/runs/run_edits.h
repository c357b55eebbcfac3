// The user's edits of runs: each is written to the run's folder, from where the index then reads it. Edits of this session can be
// undone and redone.
#pragma once
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/run_folder.h"
#include "ui/store/store_service.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <chrono>
#include <deque>
#include <functional>
#include <vector>

namespace ui {

class RunEdits : public QObject {
    Q_OBJECT
public:
    using Change = std::function<void(contract::Annotations&)>;
    /// Writes what differs between two states of a run's annotations, as contract::appendAnnotations() does; may block. Throws what
    /// that throws.
    using Write = std::function<void(const contract::RunFolder& folder, const contract::Annotations& before, const contract::Annotations& after)>;

    static void writeHere(const contract::RunFolder& folder, const contract::Annotations& before, const contract::Annotations& after);

    /// @param store must outlive this.
    explicit RunEdits(StoreService& store, Write write = writeHere, QObject* parent = nullptr);
    /// Writes what waits to be written.
    ~RunEdits() override;

    /// Applies @p change to each run, on another thread and after the edits before it. Emits done() or failed().
    /// @param what the verb in the texts of undo and redo: "rename"
    void edit(const QString& what, const QStringList& folders, Change change);

    /// What undo() would undo; empty: there is nothing.
    QString undoable() const { return m_undone < m_steps.size() ? m_steps[m_steps.size() - 1 - m_undone].what : QString(); }
    QString redoable() const { return m_undone > 0 ? m_steps[m_steps.size() - m_undone].what : QString(); }
    /// When what undo() would undo was done.
    std::chrono::steady_clock::time_point undoableSince() const;

    // No-ops when there is nothing to do. Only the fields that the edit changed are set, to what they were before or after it.
    void undo();
    void redo();

Q_SIGNALS:
    void failed(const QString& message);
    /// @p what was written; undoable() and redoable() may have changed.
    void done(const QString& what, int runs);

private:
    /// What an edit did to one run.
    struct Edited {
        QString folder;
        contract::Annotations before;
        contract::Annotations after;
    };
    struct Step {
        QString what;
        std::vector<Edited> runs;
        std::chrono::steady_clock::time_point time;
    };
    struct Result {
        std::vector<Edited> runs;
        QString error;
    };
    /// Writes on another thread, one job after the other.
    struct Job {
        std::function<Result()> write;
        std::function<void(const Result&)> written;
    };
    void start(Job job);
    void startNext();
    void restore(const Step& step, bool isUndo);

    StoreService& m_store;
    Write m_write;
    std::deque<Job> m_waiting;
    bool m_isWriting = false;
    std::vector<Step> m_steps;  ///< oldest first
    std::size_t m_undone = 0;   ///< how many of the last ones are undone
};

}  // namespace ui
