// The window's way to the database: queries run on a worker thread, answers come back to the GUI thread.
//
// [Note: the two store threads]
// One thread (the reader) answers queries with a Store of its own. Another (the keeper) does what may take
// long: catching up with run folders, rebuilding the index. So a view never waits behind a catch-up.
#pragma once
#include "launcher/data_home.h"
#include "storage/store.h"

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

/// Lives on the GUI thread; so do all its callers.
class StoreService : public QObject {
    Q_OBJECT
public:
    using Failure = std::function<void(storage::StoreError::Kind, const QString&)>;

    /// Opens the database in the background and catches up with every run folder.
    explicit StoreService(const launcher::DataHome& home, QObject* parent = nullptr);
    /// Waits for the query in progress; queued ones are dropped.
    ~StoreService() override;

    const launcher::DataHome& home() const { return m_home; }

    /// Runs @p work (T(const storage::Store&)) on the reader's thread, then @p done (void(T)) on the GUI
    /// thread, unless @p context is gone by then. Answers come in the order of the questions.
    /// When it throws, @p failure is called instead, or failed() emitted when there is none.
    template <typename Work, typename Done>
    void query(QObject* context, Work work, Done done, Failure failure = {})
    {
        using Result = std::invoke_result_t<Work, const storage::Store&>;
        post(context,
            [work = std::move(work), done = std::move(done)](const storage::Store& store) mutable {
                auto result = std::make_shared<Result>(work(store));
                return Answer([result, done = std::move(done)]() mutable { done(std::move(*result)); });
            },
            std::move(failure));
    }

    /// Brings one run up to what its folder says, on the keeper's thread.
    void catchUp(const QString& runFolder);
    /// The same for all runs, and opens the database again if it could not be opened: F5.
    void readAgain();
    /// Removes a run from the index, on the keeper's thread; its folder is not touched.
    void forget(const QString& runId);
    /// Builds the index anew from the run folders: rebuilding(), then rebuilt() or failed().
    void rebuild();

Q_SIGNALS:
    /// Some process has written to the database. Never while nothing changes.
    void changed();
    /// The database is open; @p isReadOnly: it, or its folder, cannot be written.
    void opened(bool isReadOnly);
    /// The database could not be opened (which goes on being tried), or a query without a failure of its own failed.
    void failed(storage::StoreError::Kind kind, const QString& message);
    /// Run folders that could not be read, a sentence each.
    void foldersUnreadable(const QStringList& sentences);
    void rebuilding(int runsDone, int runsInAll);
    void rebuilt();
    /// Run folders cannot be read into the database for now, in one sentence, which goes on being tried;
    /// empty: all is well again.
    void behind(const QString& sentence);

private:
    using Answer = std::function<void()>;
    using Job = std::function<Answer(const storage::Store&)>;
    void post(QObject* context, Job job, Failure failure);

    launcher::DataHome m_home;
    QThread m_readerThread;
    QThread m_keeperThread;
    StoreReader* m_reader;  ///< on m_readerThread, which deletes it
    StoreKeeper* m_keeper;  ///< on m_keeperThread, which deletes it
};

}  // namespace ui
