// The bottom of the launch window: the equivalent command line, the latest message, and the buttons that start the run, or save it in the
// queue.
#pragma once
#include <QWidget>

#include <cstddef>

class QAction;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace ui {

class StartBar : public QWidget {
    Q_OBJECT
public:
    /// @param isForQueued a run in the queue is being edited
    StartBar(bool isForQueued, QWidget* parent);

    /// @param problem why there is no command line, in one sentence, which is then shown in place of it; empty when there is one
    void setCommandLine(const QString& commandLine, const QString& problem);
    /// How many problems prevent a start, and how many runs a start makes; the Start button says so.
    void setCounts(std::size_t problems, std::size_t runs);
    /// Whether a run is being started, so that the Start button waits.
    void setBusy(bool isBusy);
    /// Whether a start waits for the checks, which can be cancelled.
    void setWaiting(bool isWaiting);
    void setMessage(const QString& message);

    /// Adds the run to the queue; has a key in the whole window.
    QAction& queueAction() const { return *m_queue; }
    /// Copies the command line; no-op when there is none.
    void copyCommandLine() const;
    bool hasCommandLine() const;

Q_SIGNALS:
    void startRequested();
    /// As startRequested(), but the run goes to the queue.
    void queueRequested();
    void cancelRequested();

private:
    void addCommandRow(QVBoxLayout& layout);
    void addStartRow(QVBoxLayout& layout);
    QWidget* makeMore();

    bool m_isForQueued;
    QLineEdit* m_command;
    QToolButton* m_copy;
    QLabel* m_message;
    QAction* m_queue;
    QPushButton* m_cancel;
    QPushButton* m_start;
};

}  // namespace ui
