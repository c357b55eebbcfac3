// The window that writes the metrics of several runs to a folder.
#pragma once
#include "launcher/base/data_home.h"
#include "ui/runs/run_entry.h"

#include <QDialog>

#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

/// One file per run, named by the run's id; or a folder per run for TensorBoard. Deletes itself when closed.
class MetricExportDialog : public QDialog {
    Q_OBJECT
public:
    MetricExportDialog(const launcher::DataHome& home, const std::vector<RunEntry>& runs, QWidget* parent);

Q_SIGNALS:
    /// All has been written, or it is said why not, in one sentence.
    void finished(const QString& sentence);

private:
    void browse();
    void write();
    QStringList targets() const;

    const launcher::DataHome m_home;
    std::vector<std::string> m_ids;
    QComboBox* m_format;  ///< item data: the end of a file's name
    QLineEdit* m_folder;
    QLabel* m_problem;
    QPushButton* m_export = nullptr;
};

}  // namespace ui
