// The list of alerts: what has happened in all runs, newest first. Show leads to the run and the step.
#pragma once
#include <QDialog>

class QPushButton;
class QTreeView;

namespace ui {

class AlertsModel;
class ViewFrame;

/// Deletes itself when closed.
class AlertsDialog : public QDialog {
    Q_OBJECT
public:
    /// @p model must outlive this.
    explicit AlertsDialog(AlertsModel& model, QWidget* parent = nullptr);

    QTreeView& list() { return *m_list; }

Q_SIGNALS:
    /// The user wants to see what has happened. @param step 0: at no step
    void chosen(const QString& runId, qint64 step);

private:
    void showCurrent();
    void showState();

    AlertsModel& m_model;
    QTreeView* m_list;
    ViewFrame* m_frame;
    QPushButton* m_show;
    QPushButton* m_markAll;
};

}  // namespace ui
