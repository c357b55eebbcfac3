// The window's access to the database: queries run on a worker thread, results are delivered on the GUI thread.
//
// [Note: the two store threads]
// The reader thread answers queries, on its own database connection; those that wait are in a QueryQueue, which puts
// short ones first and drops those that their callers no longer want. The keeper thread does the slow work: it ingests
// run folders and rebuilds the index. A view's query therefore never waits for an ingest. What changes in the database
// is announced by run and part, so that a view only reads again what it shows.
#pragma once
#include "launcher/base/data_home.h"
#include "storage/store.h"
#include "ui/store/query_queue.h"

#include <QObject>
#include <QString>
#include <QThread>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace ui {

class StoreReader;
class StoreKeeper;

/// Lives on the GUI thread; call its functions there only.
class StoreService : public QObject {
    Q_OBJECT
public:
    using Failure = std::function<void(storage::StoreError::Kind, const QString&)>;

    /// Opens the database and ingests every run folder, both in the background.
    explicit StoreService(const launcher::DataHome& home, QObject* parent = nullptr);
    /// Waits for the query and the ingest in progress; queued ones are dropped.
    ~StoreService() override;

    const launcher::DataHome& home() const { return m_home; }

    /// Runs @p work (T(const storage::Store&)) on the reader thread, then @p done (void(T)) on the GUI thread,
    /// unless @p context has been deleted by then.
    /// When @p work throws, @p failure is called instead of @p done; if it is empty, failed() is emitted.
    /// Queries that wait are run in their order, all short ones before the long ones.
    /// @return with which the caller may cancel the query
    template <typename Work, typename Done>
    QueryTicket query(QObject* context, Work work, Done done, Failure failure = {}, QueryLength length = QueryLength::Short)
    {
        using Result = std::invoke_result_t<Work, const storage::Store&>;
        return post(context,
            [work = std::move(work), done = std::move(done)](const storage::Store& store) mutable {
                auto result = std::make_shared<Result>(work(store));
                return Answer([result, done = std::move(done)]() mutable { done(std::move(*result)); });
            },
            std::move(failure), length);
    }

    /// Ingests the new records of one run folder, on the keeper thread.
    void catchUp(const QString& runFolder);
    /// The same for all runs; also opens the database if it is not open (key F5).
    void readAgain();
    /// Removes a run from the index, on the keeper thread; its folder is not touched.
    void forget(const QString& runId);
    /// Gives the index's unused space back to the file system, on the keeper thread.
    void compact();
    /// Rebuilds the index from the run folders. Emits rebuilding(), then rebuilt() or failed().
    void rebuild();

Q_SIGNALS:
    /// Some process has changed the database. Not emitted while nothing changes, nor for what concerns no reader.
    void changed(const storage::Changes& changes);
    /// The database is open; @p isReadOnly: the database or its folder is not writable.
    void opened(bool isReadOnly);
    /// The database could not be opened (opening is retried), or a query without a failure callback, forget() or
    /// rebuild() failed.
    void failed(storage::StoreError::Kind kind, const QString& message);
    /// Run folders that could not be read, one sentence each.
    void foldersUnreadable(const QStringList& sentences);
    void rebuilding(int runsDone, int runsInAll);
    void rebuilt();
    /// Run folders cannot be ingested for now, for the reason given in one sentence, and are retried;
    /// empty: they can be ingested again.
    void ingestDelayed(const QString& reason);
    /// The folder that holds all run folders is not there, or is again; it is looked for every two seconds.
    void runsFolderMissing(bool isMissing);

private:
    using Answer = std::function<void()>;
    using Job = std::function<Answer(const storage::Store&)>;
    QueryTicket post(QObject* context, Job job, Failure failure, QueryLength length);

    launcher::DataHome m_home;
    std::shared_ptr<QueryQueue> m_queue;
    QThread m_readerThread;
    QThread m_keeperThread;
    StoreReader* m_reader;  ///< on m_readerThread, which deletes it
    StoreKeeper* m_keeper;  ///< on m_keeperThread, which deletes it
};

}  // namespace ui
