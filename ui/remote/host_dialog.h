// Asks which machine's runs to show in a window of their own.
#pragma once
#include "launcher/remote/remote_host.h"

#include <QDialog>

#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;

namespace ui {

class HostDialog : public QDialog {
    Q_OBJECT
public:
    /// @param recent offered, and the first of them filled in
    explicit HostDialog(const std::vector<launcher::RemoteHost>& recent, QWidget* parent = nullptr);

    /// Shows why what is entered could not be opened.
    void showProblem(const QString& sentence);

Q_SIGNALS:
    void chosen(const launcher::RemoteHost& host);

private:
    void open();

    std::vector<launcher::RemoteHost> m_recent;
    QComboBox* m_host;
    QLineEdit* m_program;
    QLabel* m_note;
};

}  // namespace ui
