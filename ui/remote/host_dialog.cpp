#include "ui/remote/host_dialog.h"

#include "ui/base/look.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <exception>

namespace ui {

HostDialog::HostDialog(const std::vector<launcher::RemoteHost>& recent, QWidget* parent)
    : QDialog(parent)
    , m_recent(recent)
    , m_host(new QComboBox(this))
    , m_program(new QLineEdit(this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("hostDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Open another machine"));
    auto* text = new QLabel(tr("A window of its own shows the runs of another machine, through SSH: lists, plots, samples and logs follow there as here, and "
                               "commands reach its runs. Atelier must be installed there, and `ssh HOST` must work without a password, by a key."), this);
    text->setWordWrap(true);
    text->setTextFormat(Qt::PlainText);
    m_host->setEditable(true);
    m_host->setAccessibleName(tr("Machine"));
    m_host->lineEdit()->setPlaceholderText(tr("HOST or USER@HOST, and :/PATH of another data home there"));
    for (const launcher::RemoteHost& each : m_recent)
        m_host->addItem(QString::fromStdString(each.text()));
    m_program->setAccessibleName(tr("Program there"));
    m_program->setPlaceholderText(QStringLiteral("atelier"));
    const auto showProgram = [this](int index) {
        if (index >= 0 && index < static_cast<int>(m_recent.size()))
            m_program->setText(QString::fromStdString(m_recent[static_cast<std::size_t>(index)].program));
    };
    connect(m_host, &QComboBox::currentIndexChanged, this, showProgram);
    showProgram(m_host->currentIndex());
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setObjectName(QStringLiteral("hostNote"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Machine:"), m_host);
    form->addRow(tr("&Program there:"), m_program);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &HostDialog::open);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addLayout(form);
    layout->addWidget(m_note);
    layout->addStretch();
    layout->addWidget(buttons);
    m_host->setFocus();
    resize(72 * fontMetrics().averageCharWidth(), sizeHint().height());
}

void HostDialog::showProblem(const QString& sentence)
{
    QPalette colours;
    colours.setColor(QPalette::WindowText, withContrast(stateColour(launcher::RunState::Failed, colours), colours.color(QPalette::Window), 4.5));
    m_note->setPalette(colours);
    m_note->setText(sentence);
    resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void HostDialog::open()
{
    try {
        launcher::RemoteHost host = launcher::parseRemoteHost(m_host->currentText().trimmed().toStdString());
        if (const QString program = m_program->text().trimmed(); !program.isEmpty())
            host.program = program.toStdString();
        Q_EMIT chosen(host);
    } catch (const std::exception& error) {
        showProblem(QString::fromUtf8(error.what()));
    }
}

}  // namespace ui
