// A view's database query about one run, repeated whenever the result may have changed and the view is visible.
#pragma once
#include "ui/store/index_error.h"
#include "ui/store/store_service.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

namespace ui {

/// At most one query is in flight; when the view turns to another run, it is cancelled. Queries about the same run are 200 ms apart; a query about another run
/// starts at once; none starts while the view is hidden. The query runs on the store's reader thread, and its
/// result is delivered on the GUI thread.
class PacedQuery : public QObject {
    Q_OBJECT
public:
    /// @param service must outlive this.
    /// @param view the widget that shows the result; becomes the parent of this.
    /// @param currentRun returns the id of the run that the view shows now; empty: none.
    /// @param parts what the query reads: only their changes outdate its result
    PacedQuery(StoreService& service, QWidget* view, std::function<QString()> currentRun, std::vector<storage::Part> parts);

    /// Sets the query. Call once, before the view is shown.
    /// @param work T(const storage::Store&, const std::string& runId), called on the reader thread.
    /// @param done void(const QString& runId, T), called on the GUI thread; answeredRun() is still the previous
    /// run during this call.
    template <typename Work, typename Done>
    void setQuery(Work work, Done done)
    {
        m_startQuery = [this, work = std::move(work), done = std::move(done)](const QString& run) {
            m_ticket = m_service.query(
                this, [work, id = run.toStdString()](const storage::Store& store) { return work(store, id); },
                [this, run, done](auto answer) {
                    done(run, std::move(answer));
                    acceptAnswer(run);
                },
                [this](storage::StoreError::Kind, const QString& message) { acceptFailure(message); });
        };
    }

    /// Marks the result as outdated; queries again as soon as the pace and the view's visibility allow.
    void askSoon();
    /// Clears error() and queries at once, unless a query is in flight.
    void retry();
    /// Drops the query in flight; error() then says so, and retry() or a change of what it reads asks again.
    void cancel();

    /// The run of the last query that succeeded.
    const QString& answeredRun() const { return m_answeredRun; }
    /// Why the last query failed; empty when it succeeded.
    const QString& error() const { return m_error; }
    /// The same for the view's frame, with the button [Retry]. @param sentence says what could not be read; %1 in it stands for the reason
    std::optional<ViewError> viewError(const QString& sentence);
    /// True while there is a current run for which neither a result nor an error has arrived.
    bool isLoading() const;

Q_SIGNALS:
    /// answeredRun(), error() or isLoading() may have changed. Emitted after the result has been delivered.
    void stateChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void ask();
    void takeChanges(const storage::Changes& changes);
    void acceptAnswer(const QString& run);
    void acceptFailure(const QString& message);

    StoreService& m_service;
    QWidget* m_view;
    std::function<QString()> m_currentRun;
    std::vector<storage::Part> m_parts;
    QueryTicket m_ticket;     ///< of the query in flight
    QString m_askedRun;       ///< of the query in flight
    std::function<void(const QString&)> m_startQuery;
    QTimer m_pace;
    QString m_answeredRun;
    QString m_error;
    bool m_isCancelled = false;  ///< which m_error says
    bool m_isAsking = false;
    bool m_isStale = true;  ///< something may have changed since the last query was started
};

}  // namespace ui
