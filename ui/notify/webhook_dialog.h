// Asks for the web address that is told how runs end, and tries it.
#pragma once
#include "launcher/supervisor/webhook.h"

#include <QDialog>

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

/// Deletes itself when closed.
class WebhookDialog : public QDialog {
    Q_OBJECT
public:
    explicit WebhookDialog(const launcher::DataHome& home, QWidget* parent = nullptr);

    QLineEdit& address() { return *m_address; }
    QString note() const;
    /// Sends a test to the address in the field.
    void test();

private:
    void save();

    launcher::DataHome m_home;
    launcher::WebhookSender m_sender;
    QLineEdit* m_address;
    QLabel* m_note;
    QPushButton* m_test;
};

}  // namespace ui
