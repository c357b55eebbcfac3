// The bottom of the launch window: the equivalent command line, the latest message, and the buttons that start the run.
#pragma once
#include <QWidget>

#include <cstddef>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace ui {

class StartBar : public QWidget {
    Q_OBJECT
public:
    explicit StartBar(QWidget* parent);

    void setCommandLine(const QString& commandLine);
    /// How many problems prevent a start, and how many runs a start makes; the Start button says so.
    void setCounts(std::size_t problems, std::size_t runs);
    /// Whether a run is being started, so that the Start button waits.
    void setBusy(bool isBusy);
    void setMessage(const QString& message);

Q_SIGNALS:
    void startRequested();
    /// As startRequested(), but the run goes to the queue.
    void queueRequested();

private:
    void addCommandRow(QVBoxLayout& layout);
    void addStartRow(QVBoxLayout& layout);

    QLineEdit* m_command;
    QLabel* m_message;
    QPushButton* m_start;
};

}  // namespace ui
