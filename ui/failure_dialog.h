// What went wrong first in a run that failed, on one page that can be copied (N5).
#pragma once
#include "launcher/state/failure_report.h"
#include "ui/base/cancellable_work.h"

#include <QDialog>

#include <optional>

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;

namespace ui {

class ViewFrame;

/// Deletes itself when closed.
class FailureDialog : public QDialog {
    Q_OBJECT
public:
    /// @param folder the run's
    FailureDialog(const QString& folder, const QString& name, QWidget* parent);

    /// The page as plain text; empty until it has been read.
    QString text() const;

private:
    void load(const QString& folder);
    void showReport(const launcher::FailureReport& report);
    void addFact(const QString& name, const QString& value);

    const QString m_name;
    std::optional<launcher::FailureReport> m_report;
    QLabel* m_cause;
    QFormLayout* m_facts;
    QLabel* m_othersTitle;
    QTreeWidget* m_others;
    QLabel* m_linesTitle;
    QPlainTextEdit* m_lines;
    QPushButton* m_copy;
    ViewFrame* m_frame;
    CancellableWork m_reading;
};

}  // namespace ui
