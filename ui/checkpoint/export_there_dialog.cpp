#include "ui/checkpoint/export_there_dialog.h"

#include "engine/contract/export/run_export.h"
#include "ui/checkpoint/checkpoints_there.h"
#include "ui/checkpoint/export_dialog.h"
#include "ui/language/outside_text.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <string>
#include <string_view>
#include <vector>

namespace ui {

ExportThereDialog::ExportThereDialog(launcher::Mirror& mirror, const std::filesystem::path& checkpoint, QWidget* parent)
    : QDialog(parent)
    , m_mirror(mirror)
    , m_checkpoint(checkpoint)
    , m_form(new QFormLayout)
    , m_format(new QComboBox(this))
    , m_weights(new QComboBox(this))
    , m_dtype(new QComboBox(this))
    , m_model(new QLineEdit(this))
    , m_folder(new QLineEdit(this))
    , m_note(new QLabel(this))
    , m_progress(new QProgressBar(this))
{
    const QString host = QString::fromStdString(mirror.host().text());
    setObjectName(QStringLiteral("exportThereDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Export %1 on %2").arg(QString::fromStdString(checkpoint.filename().string()), host));
    setupFields();
    auto* const buttons = new QDialogButtonBox(this);
    m_export = buttons->addButton(tr("Export"), QDialogButtonBox::ActionRole);
    m_close = buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);
    m_export->setDefault(true);
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->hide();
    m_note->setObjectName(QStringLiteral("exportNote"));
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* const where = new QLabel(
        tr("The files are written on %1. Folders are folders there. To have them on this machine, copy them afterwards, for example with scp -r.").arg(host), this);
    where->setWordWrap(true);
    where->setTextFormat(Qt::PlainText);
    auto* const layout = new QVBoxLayout(this);
    layout->addWidget(where);
    layout->addLayout(m_form);
    layout->addWidget(m_note);
    layout->addWidget(m_progress);
    layout->addStretch();
    layout->addWidget(buttons);
    resize(90 * fontMetrics().averageCharWidth(), sizeHint().height());
    connect(m_export, &QPushButton::clicked, this, &ExportThereDialog::start);
    connect(buttons, &QDialogButtonBox::rejected, this, &ExportThereDialog::cancelOrClose);
    showProblem();
}

ExportThereDialog::~ExportThereDialog() { m_mirror.cancel(m_command); }

void ExportThereDialog::cancelOrClose()
{
    if (m_command == 0)
        return reject();
    m_note->setText(tr("The export is being cancelled…"));
    m_mirror.cancel(m_command);
}

void ExportThereDialog::setupFields()
{
    for (const std::string_view format : contract::kExportFormats)
        m_format->addItem(exportFormatWords(std::string(format)), QString::fromStdString(std::string(format)));
    m_weights->addItem(tr("As trained"), QStringLiteral("model"));
    m_weights->addItem(tr("Their moving average"), QStringLiteral("ema"));
    m_dtype->addItem(tr("As in the checkpoint"), QStringLiteral("stored"));
    m_dtype->addItem(tr("float32"), QStringLiteral("fp32"));
    m_dtype->addItem(tr("bfloat16"), QStringLiteral("bf16"));
    m_dtype->addItem(tr("float16"), QStringLiteral("fp16"));
    m_folder->setObjectName(QStringLiteral("exportFolder"));
    m_folder->setPlaceholderText(QStringLiteral("/home/me/exported"));
    m_model->setPlaceholderText(tr("The one that the run names, if it has one"));
    m_form->addRow(tr("&Format:"), m_format);
    m_form->addRow(tr("&Weights:"), m_weights);
    m_form->addRow(tr("&Precision:"), m_dtype);
    m_form->addRow(tr("&Started from:"), m_model);
    m_form->addRow(tr("&To folder:"), m_folder);
    m_format->setAccessibleName(tr("Format"));
    m_weights->setAccessibleName(tr("Weights"));
    m_dtype->setAccessibleName(tr("Precision"));
    m_model->setAccessibleName(tr("Folder of the model from which the training started"));
    m_folder->setAccessibleName(tr("Folder for the files"));
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportThereDialog::showProblem);
    connect(m_model, &QLineEdit::textChanged, this, &ExportThereDialog::showProblem);
    connect(m_folder, &QLineEdit::textChanged, this, &ExportThereDialog::showProblem);
}

/// What can be said from here; the rest is for the machine to say.
void ExportThereDialog::showProblem()
{
    m_form->setRowVisible(m_model, m_format->currentData().toString() != QLatin1String("safetensors"));
    QString problem;
    for (const QLineEdit* const edit : {m_model, m_folder}) {
        const QString path = edit->text().trimmed();
        if (!path.isEmpty() && !path.startsWith(QLatin1Char('/')))
            problem = tr("%1 is a relative path; name the folder from the root on.").arg(path);
    }
    if (m_folder->text().trimmed().isEmpty())
        problem = tr("Name a folder for the files.");
    m_note->setText(problem);
    m_export->setEnabled(problem.isEmpty() && m_command == 0);
}

void ExportThereDialog::setBusy(bool isBusy)
{
    m_close->setText(isBusy ? tr("Cancel") : tr("Close"));
    m_progress->setVisible(isBusy);
    for (int row = 0; row < m_form->rowCount(); ++row)
        m_form->itemAt(row, QFormLayout::FieldRole)->widget()->setEnabled(!isBusy);
    m_export->setEnabled(!isBusy);
}

void ExportThereDialog::start()
{
    std::vector<std::string> command = checkpointCommand("export", m_checkpoint);
    const auto add = [&](const char* option, const QString& value) { command.insert(command.end(), {option, value.toStdString()}); };
    add("--to", m_folder->text().trimmed());
    add("--format", m_format->currentData().toString());
    add("--weights", m_weights->currentData().toString());
    add("--dtype", m_dtype->currentData().toString());
    if (m_format->currentData().toString() != QLatin1String("safetensors") && !m_model->text().trimmed().isEmpty())
        add("--model", m_model->text().trimmed());
    setBusy(true);
    m_close->setFocus();
    m_note->setText(tr("%1 writes the files…").arg(QString::fromStdString(m_mirror.host().text())));
    m_command = m_mirror.execute(command, this, [this](const launcher::CommandReply& reply) { showEnd(reply); });
}

void ExportThereDialog::showEnd(const launcher::CommandReply& reply)
{
    m_command = 0;
    setBusy(false);
    if (reply.isCancelled)
        return m_note->setText(tr("The export was cancelled. Nothing complete was written."));
    if (!reply.isAccepted)
        return m_note->setText(tr("Nothing complete was written. %1").arg(translatedSentence(reply.error)));
    const QString folder = m_folder->text().trimmed();
    m_note->setText(tr("Written on %1:\n%2").arg(QString::fromStdString(m_mirror.host().text()), QString::fromStdString(reply.output).trimmed()));
    m_export->hide();
    m_close->setDefault(true);
    Q_EMIT exported(folder);
}

}  // namespace ui
