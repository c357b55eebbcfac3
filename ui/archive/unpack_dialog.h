// The window that brings a packed run into the data home.
#pragma once
#include "launcher/base/data_home.h"

#include <QDialog>
#include <QString>

class QLabel;
class QPushButton;

namespace ui {

class ArchiveProgressBar;

/// Unpacks at once, and closes itself when the run is there. Deletes itself when closed, which gives up what is not complete.
class UnpackDialog : public QDialog {
    Q_OBJECT
public:
    UnpackDialog(const launcher::DataHome& home, const QString& file, QWidget* parent);

    QString note() const;  ///< why it failed; while it works, what it does

Q_SIGNALS:
    void unpacked(const QString& runId, const QString& folder);

private:
    ArchiveProgressBar* m_progress;
    QLabel* m_note;
};

}  // namespace ui
