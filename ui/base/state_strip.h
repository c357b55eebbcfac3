// The frame around a view's content that shows, in the same way for every view, its other states: empty, loading,
// error, cut off, stale.
#pragma once
#include <QList>
#include <QString>
#include <QWidget>

#include <functional>
#include <optional>

class QAction;
class QBoxLayout;
class QFrame;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTimer;
class QVBoxLayout;

namespace ui {

/// A button offered with a state.
struct ViewAction {
    QString text;
    std::function<void()> run;
};

/// An error that concerns part of a view; the view stays usable.
struct ViewError {
    QString message;           ///< what is wrong, with what, and what to do
    QString details;           ///< shown by the button [Details]; empty: no such button
    QString folder;            ///< opened by the button [Open folder]; empty: no such button
    QList<ViewAction> actions; ///< [Retry], [Rebuild index] …
    bool operator==(const ViewError& other) const
    {
        return message == other.message && details == other.details && folder == other.folder;
    }
};

/// The state that a ViewFrame shows. By default only the content is shown.
struct ViewState {
    /// When not empty, this sentence and the buttons replace the content ("No runs yet.",
    /// "0 of 214 runs match.").
    QString emptySentence;
    QString endedSentence;  ///< stands in place of emptySentence where the view's run has ended, so that nothing comes any more; empty: emptySentence stays
    QList<ViewAction> emptyActions;
    bool isEmptyOfRecords = false;  ///< emptySentence says that there is nothing of a run, or no run; see ViewFrame::setMissing()
    bool isLoading = false;  ///< shows a thin progress bar above the content after 300 ms
    std::function<void()> cancel;  ///< offered as a button after 2 s of loading; empty: loading cannot be cancelled
    std::optional<ViewError> error;  ///< shown in a strip above the content
    QString cutOff;  ///< shown in a banner when the supervisor is gone or on another machine; empty: none
    QString stale;   ///< small text below the content: "Last record 14 s ago", "Only the newest …"; empty: none
};

/// What a view says when its loading was cancelled: it shows old content, or none.
ViewError cancelledReading(std::function<void()> retry);

/// Wraps a view's content and shows its state above and below it, in the layout and never on top of the content.
class ViewFrame : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of @p content.
    explicit ViewFrame(QWidget* content, QWidget* parent = nullptr);

    void setState(const ViewState& state);
    const ViewState& state() const { return m_state; }
    /// Why there may be something that is not here, in one sentence, which stands in place of one that there is nothing; empty: all is here.
    void setMissing(const QString& sentence);
    /// Sets whether the run that the view shows has ended, so that nothing comes any more.
    void setEnded(bool hasEnded);
    /// What is said of the run that the view shows where the state itself says nothing: `stale` and `cutOff` of ViewState.
    void setPulse(const QString& stale, const QString& cutOff);
    /// Buttons below the sentence of an empty view that offers none itself; actions that are disabled are left out.
    void setNextSteps(const QList<QAction*>& actions);

    QWidget* content() const { return m_content; }
    /// Puts @p bar above the content, and below what else stands there. Takes ownership.
    void addBar(QWidget* bar);

    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showEmpty();
    void showLoading();
    void showError();
    void showCutOff();
    QFrame* makeStrip(const QString& name);
    void fillStrip(QFrame* strip, QRgb hue, const QString& sentence, const QList<ViewAction>& actions);
    void arrangeStrips();

    QString shownEmptySentence() const;
    void showStale();

    ViewState m_state;
    QString m_missing;
    bool m_hasEnded = false;
    QString m_pulse;        ///< of setPulse()
    QString m_cutOffPulse;
    QList<QAction*> m_nextSteps;
    QWidget* m_content;
    QFrame* m_cutOff = nullptr;
    QFrame* m_error = nullptr;
    QProgressBar* m_bar;
    QWidget* m_cancel;
    QStackedWidget* m_stack;
    QWidget* m_empty;
    QLabel* m_stale;
    QTimer* m_barTimer;
    QTimer* m_cancelTimer;
};

}  // namespace ui
