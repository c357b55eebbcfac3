#include "ui/notify/webhook_dialog.h"

#include "ui/language/outside_text.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <stdexcept>

namespace ui {

WebhookDialog::WebhookDialog(const launcher::DataHome& home, QWidget* parent)
    : QDialog(parent)
    , m_home(home)
    , m_address(new QLineEdit(QString::fromStdString(launcher::webhook(home)), this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("webhookDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Tell a web address"));
    auto* text = new QLabel(tr("When a run finishes, fails or hangs, or the queue cannot go on, its name and cause are sent here: the address of a Slack, Discord or ntfy "
                               "channel, or of a program of your own. Whoever knows such an address can write to the channel."), this);
    text->setWordWrap(true);
    text->setTextFormat(Qt::PlainText);
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_address->setAccessibleName(tr("Web address"));
    m_address->setPlaceholderText(tr("https://… (empty: none is told)"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    m_test = buttons->addButton(tr("Send a test"), QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::accepted, this, &WebhookDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_test, &QPushButton::clicked, this, &WebhookDialog::test);
    const auto show = [this](const QString& address) {
        m_test->setEnabled(!address.trimmed().isEmpty());
        m_note->clear();
    };
    connect(m_address, &QLineEdit::textChanged, this, show);
    show(m_address->text());
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addWidget(m_address);
    layout->addWidget(m_note);
    layout->addStretch();
    layout->addWidget(buttons);
    resize(72 * fontMetrics().averageCharWidth(), sizeHint().height());
}

QString WebhookDialog::note() const
{
    return m_note->text();
}

void WebhookDialog::test()
{
    m_note->setText(tr("Sending…"));
    m_sender.send(m_address->text().trimmed().toStdString(),
        {.run = "test", .name = "A test of Atelier's notices", .state = "finished", .cause = {}, .step = 0}, [this](const std::string& problem) {
            m_note->setText(problem.empty() ? tr("The test was accepted.") : tr("The test failed: %1.").arg(translatedSentence(problem)));
        });
}

void WebhookDialog::save()
{
    try {
        launcher::setWebhook(m_home, m_address->text().trimmed().toStdString());
        accept();
    } catch (const std::runtime_error& error) {
        m_note->setText(translatedSentence(error.what()));
    }
}

}  // namespace ui
