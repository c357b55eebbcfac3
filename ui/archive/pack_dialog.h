// The window "Pack".
#pragma once
#include "engine/contract/run/run_folder.h"
#include "launcher/home/run_archive.h"
#include "ui/base/cancellable_work.h"

#include <QDialog>
#include <QString>

#include <array>

class QLabel;
class QPushButton;
class QRadioButton;

namespace ui {

class ArchiveProgressBar;
class ViewFrame;

/// Asks which checkpoints go with a run, says how large the archive becomes, and writes it. Deletes itself when closed, which gives up what is
/// being written.
class PackDialog : public QDialog {
    Q_OBJECT
public:
    /// @param name of the run, as the window shows it
    PackDialog(const contract::RunFolder& run, const QString& name, QWidget* parent);

    /// Writes the archive, as when @p file is chosen after Save….
    void save(const QString& file);
    QString note() const;  ///< the sentence below the choices

private:
    struct Sizes {
        std::array<std::uint64_t, 3> bytes {};  ///< by launcher::PackedCheckpoints
        QString problem;                        ///< why the run cannot be packed; empty: it can
    };
    void measure();
    void showSizes(const Sizes& sizes);
    launcher::PackedCheckpoints chosen() const;
    void askFile();
    void showResult(const QString& problem);
    void updateState();

    contract::RunFolder m_run;
    std::array<QRadioButton*, 3> m_choices {};  ///< by launcher::PackedCheckpoints
    ViewFrame* m_frame;
    ArchiveProgressBar* m_progress;
    QLabel* m_note;
    QPushButton* m_save = nullptr;
    Sizes m_sizes;
    QString m_file;    ///< of the last save
    QString m_result;  ///< of the last save
    CancellableWork m_measuring;
};

}  // namespace ui
