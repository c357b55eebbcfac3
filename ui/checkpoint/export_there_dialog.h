// Exports a checkpoint's weights on the machine that has them, to a folder there.
#pragma once
#include "launcher/remote/mirror.h"

#include <QDialog>

#include <filesystem>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace ui {

/// Deletes itself when closed, which cancels an export that has begun.
class ExportThereDialog : public QDialog {
    Q_OBJECT
public:
    /// @param checkpoint the folder in the mirror of @p mirror, which must outlive this
    ExportThereDialog(launcher::Mirror& mirror, const std::filesystem::path& checkpoint, QWidget* parent);
    ~ExportThereDialog() override;

Q_SIGNALS:
    /// All is written. @param folder there
    void exported(const QString& folder);

private:
    void setupFields();
    void showProblem();
    void start();
    void cancelOrClose();
    void showEnd(const launcher::CommandReply& reply);
    void setBusy(bool isBusy);

    launcher::Mirror& m_mirror;
    std::filesystem::path m_checkpoint;
    QFormLayout* m_form;
    QComboBox* m_format;
    QComboBox* m_weights;
    QComboBox* m_dtype;
    QLineEdit* m_model;
    QLineEdit* m_folder;
    QLabel* m_note;
    QProgressBar* m_progress;
    QPushButton* m_export;
    QPushButton* m_close;
    launcher::CommandId m_command = 0;  ///< the export that goes on; 0: none
};

}  // namespace ui
