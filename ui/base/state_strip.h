// The states that a view can be in besides showing its content, the same in every view.
#pragma once
#include <QList>
#include <QString>
#include <QWidget>

#include <functional>
#include <optional>

class QFrame;
class QBoxLayout;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTimer;
class QVBoxLayout;

namespace ui {

/// A button of a state.
struct ViewAction {
    QString text;
    std::function<void()> run;
};

/// Something went wrong with one thing; the view goes on.
struct ViewError {
    QString message;           ///< what happened to which thing, and what to do
    QString details;           ///< for [Details]; empty: no such button
    QString folder;            ///< for [Open folder]; empty: no such button
    QList<ViewAction> actions; ///< [Retry], [Rebuild index] …
    bool operator==(const ViewError& other) const
    {
        return message == other.message && details == other.details && folder == other.folder;
    }
};

/// What a view shows. The default is: its content, nothing else.
struct ViewState {
    /// Not empty: this sentence and its buttons take the content's place ("No runs yet.",
    /// "0 of 214 runs match.").
    QString emptySentence;
    QList<ViewAction> emptyActions;
    bool isLoading = false;  ///< a thin bar over the content, after 300 ms
    std::function<void()> cancel;  ///< offered when loading takes over 2 s; empty: cannot be cancelled
    std::optional<ViewError> error;  ///< a strip above the content
    QString cutOff;  ///< banner: the supervisor is gone or elsewhere
    QString stale;   ///< small, below the content: "Last record 14 s ago"
};

/// Wraps a view's content and shows its state around it, in the layout and never over it.
class ViewFrame : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of @p content.
    explicit ViewFrame(QWidget* content, QWidget* parent = nullptr);

    void setState(const ViewState& state);
    const ViewState& state() const { return m_state; }

    QWidget* content() const { return m_content; }

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

    ViewState m_state;
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
