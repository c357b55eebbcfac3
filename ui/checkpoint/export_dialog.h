// Exports a checkpoint's weights for other programs: chooses format, precision and folder, and shows the progress.
#pragma once
#include "engine/contract/export/run_export.h"

#include <QDialog>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace ui {

/// What a checkpoint can be exported as. Read from disk, see readExportFacts().
struct ExportFacts {
    std::vector<std::string> formats;  ///< of contract::kExportFormats
    bool hasAdapter = false;
    bool hasAverage = false;           ///< whether it holds the moving average of the weights
    std::filesystem::path model;       ///< where the training started; empty: not known
    QString error;                     ///< why the checkpoint cannot be exported; empty: it can
};

/// Reads the manifest and the run's last experiment. Callable on any thread.
ExportFacts readExportFacts(const std::filesystem::path& checkpoint);

/// "LoRA folder for PEFT". @param format one of contract::kExportFormats; hasAdapter: of the checkpoint, when that is known
QString exportFormatWords(const std::string& format, std::optional<bool> hasAdapter = {});

/// Deletes itself when closed; closing it cancels the export.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    /// @param checkpoint the folder, in its run's folder
    /// @param parentFolder where the new folder is proposed
    ExportDialog(const std::filesystem::path& checkpoint, const QString& parentFolder, QWidget* parent);
    ~ExportDialog() override;

Q_SIGNALS:
    /// All is written. @param folder the one that holds it
    void exported(const QString& folder);

private:
    void setupFields();
    void showFacts(const ExportFacts& facts);
    void proposeFolder();
    void showProblem();
    QString problem() const;
    void start();
    void showEnd(const QString& error, std::int64_t files, std::int64_t bytes);
    QString chosen(const QComboBox* box) const;
    QWidget* pickerFor(QLineEdit* edit, const QString& title);

    std::filesystem::path m_checkpoint;
    QString m_parentFolder;
    ExportFacts m_facts;
    QFormLayout* m_form;
    QComboBox* m_format;
    QComboBox* m_weights;
    QComboBox* m_dtype;
    QLineEdit* m_model;
    QWidget* m_modelRow;
    QLineEdit* m_folder;
    QLabel* m_note;
    QProgressBar* m_progress;
    QDialogButtonBox* m_buttons;
    QPushButton* m_export;
    QPushButton* m_open;
    std::shared_ptr<std::atomic<bool>> m_isWanted;  ///< of the export that is running; null: none
};

}  // namespace ui
