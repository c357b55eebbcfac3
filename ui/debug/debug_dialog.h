// The window "Debug package".
#pragma once
#include "launcher/debug/debug_package.h"
#include "ui/base/cancellable_work.h"

#include <QDialog>
#include <QString>

#include <vector>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;

namespace ui {

class ViewFrame;

/// Shows the texts of a debug package, from which those that are not ticked are left out, and writes it. Deletes itself when closed.
class DebugDialog : public QDialog {
    Q_OBJECT
public:
    DebugDialog(const launcher::DataHome& home, const contract::RunFolder& run, QWidget* parent);

    QTreeWidget& list() { return *m_list; }
    QString preview() const;
    QString note() const;
    /// Writes the ticked files to @p archive, as when it is chosen after Save….
    void save(const QString& archive);

Q_SIGNALS:
    /// @param error one sentence; empty: the package was written
    void saved(const QString& archive, const QString& error);

private:
    void setupList();
    void load();
    void showFiles(std::vector<launcher::DebugFile> files);
    void showFile();
    void askFile();
    void updateState();

    launcher::DataHome m_home;
    contract::RunFolder m_run;
    QTreeWidget* m_list;
    QPlainTextEdit* m_text;
    ViewFrame* m_frame;
    QLabel* m_note;
    QPushButton* m_save = nullptr;
    std::vector<launcher::DebugFile> m_files;  ///< one for each row
    QString m_result;                          ///< of the last save
    CancellableWork m_reading;
    bool m_isCancelled = false;  ///< the reading
    bool m_isWriting = false;
};

}  // namespace ui
