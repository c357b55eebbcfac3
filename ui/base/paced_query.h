// A view's question about one run, asked again whenever the answer may have changed and somebody looks.
#pragma once
#include "ui/base/store_service.h"

#include <QTimer>
#include <QWidget>

#include <functional>

namespace ui {

/// One question is in flight at a time; about the same run at most five a second, about another one at once;
/// none while the view is hidden. Work goes to the reader's thread, the answer to the GUI thread.
class PacedQuery : public QObject {
    Q_OBJECT
public:
    /// @param view who asks; owns this.
    /// @param subject the id of the run that the view is about now; empty: none.
    PacedQuery(StoreService& service, QWidget* view, std::function<QString()> subject);

    /// @param work T(const storage::Store&, const std::string& runId)
    /// @param done void(const QString& runId, T), while answered() still is the run before
    template <typename Work, typename Done>
    void setQuestion(Work work, Done done)
    {
        m_post = [this, work = std::move(work), done = std::move(done)](const QString& run) {
            m_service.query(
                this, [work, id = run.toStdString()](const storage::Store& store) { return work(store, id); },
                [this, run, done](auto answer) {
                    done(run, std::move(answer));
                    take(run);
                },
                [this](storage::StoreError::Kind, const QString& message) { fail(message); });
        };
    }

    void askSoon();
    void retry();

    /// The run that the last answer was about.
    const QString& answered() const { return m_answered; }
    /// Why the last question has no answer; empty: it has.
    const QString& error() const { return m_error; }
    /// The view does not show its run yet.
    bool isLoading() const;

Q_SIGNALS:
    /// Of answered(), error() or isLoading(), after the answer has been handed over.
    void stateChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void ask();
    void take(const QString& run);
    void fail(const QString& message);

    StoreService& m_service;
    QWidget* m_view;
    std::function<QString()> m_subject;
    std::function<void(const QString&)> m_post;
    QTimer m_pace;
    QString m_answered;
    QString m_error;
    bool m_isAsking = false;
    bool m_isStale = true;  ///< something may have changed since the last question
};

}  // namespace ui
