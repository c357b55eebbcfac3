#include "ui/checkpoint/export_dialog.h"

#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

namespace fs = std::filesystem;

contract::RunFolder runOf(const fs::path& checkpoint)
{
    return contract::RunFolder(checkpoint.parent_path().parent_path());
}

struct Written {
    QString error;  ///< empty: all is written
    std::int64_t files = 0;
    std::int64_t bytes = 0;
};

Written write(const fs::path& checkpoint, contract::ExportedWeights weights, const fs::path& folder, const contract::RunExport& request)
{
    Written written;
    const contract::CheckpointLock lock(checkpoint, contract::CheckpointLock::Use::Read);
    try {
        const contract::CheckpointWeights trained(checkpoint, weights);
        for (const fs::path& file : contract::exportRun(runOf(checkpoint), trained, folder, request)) {
            ++written.files;
            written.bytes += static_cast<std::int64_t>(fs::file_size(file));
        }
    } catch (const std::exception& error) {
        written.error = translatedSentence(error.what());
    }
    return written;
}

}  // namespace

QString exportFormatWords(const std::string& format, std::optional<bool> hasAdapter)
{
    if (format == "diffusers")
        return !hasAdapter ? ExportDialog::tr("Model folder, or LoRA file, for diffusers") : *hasAdapter ? ExportDialog::tr("LoRA file for diffusers") : ExportDialog::tr("Model folder for diffusers");
    if (format == "peft")
        return ExportDialog::tr("LoRA folder for PEFT");
    if (format == "kohya")
        return ExportDialog::tr("LoRA file for ComfyUI and Kohya's scripts");
    if (format == "merged")
        return ExportDialog::tr("Model folder for diffusers, LoRA merged into it");
    return ExportDialog::tr("Trained tensors in one safetensors file");
}

ExportFacts readExportFacts(const fs::path& checkpoint)
{
    ExportFacts facts;
    const contract::CheckpointLock lock(checkpoint, contract::CheckpointLock::Use::Read);
    try {
        const contract::CheckpointWeights trained(checkpoint, contract::ExportedWeights::Model);
        for (const std::string_view format : contract::kExportFormats) {
            if (contract::canExport(trained, format))
                facts.formats.emplace_back(format);
        }
        facts.hasAdapter = contract::canExport(trained, "peft");
        facts.hasAverage = std::ranges::any_of(
            trained.manifest().tensors, [](const contract::TensorEntry& entry) { return entry.name.starts_with("ema/"); });
        facts.model = contract::startModel(runOf(checkpoint));
    } catch (const std::exception& error) {
        facts.error = translatedSentence(error.what());
    }
    return facts;
}

ExportDialog::ExportDialog(const fs::path& checkpoint, const QString& parentFolder, QWidget* parent)
    : QDialog(parent)
    , m_checkpoint(checkpoint)
    , m_parentFolder(parentFolder)
    , m_form(new QFormLayout)
    , m_format(new QComboBox(this))
    , m_weights(new QComboBox(this))
    , m_dtype(new QComboBox(this))
    , m_model(new QLineEdit(this))
    , m_modelRow(pickerFor(m_model, tr("Model from which the training started")))
    , m_folder(new QLineEdit(this))
    , m_note(new QLabel(this))
    , m_progress(new QProgressBar(this))
    , m_buttons(new QDialogButtonBox(QDialogButtonBox::Cancel, this))
    , m_export(m_buttons->addButton(tr("Export"), QDialogButtonBox::ActionRole))
    , m_open(m_buttons->addButton(tr("Open folder"), QDialogButtonBox::ActionRole))
{
    setObjectName(QStringLiteral("exportDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Export %1 of %2")
                       .arg(QString::fromStdString(checkpoint.filename().string()), QString::fromStdString(runOf(checkpoint).id())));
    setupFields();
    m_export->setDefault(true);
    m_export->setEnabled(false);
    m_buttons->button(QDialogButtonBox::Cancel)->setIcon({});
    m_open->hide();
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->hide();
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(m_form);
    layout->addWidget(m_note);
    layout->addWidget(m_progress);
    layout->addStretch();
    layout->addWidget(m_buttons);
    resize(90 * fontMetrics().averageCharWidth(), sizeHint().height());
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::start);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_open, &QPushButton::clicked, this, [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder->text())); });
    inBackground(
        this, [checkpoint] { return readExportFacts(checkpoint); }, [this](const ExportFacts& facts) { showFacts(facts); });
}

ExportDialog::~ExportDialog()
{
    if (m_isWanted)
        *m_isWanted = false;
}

void ExportDialog::setupFields()
{
    m_dtype->addItem(tr("As in the checkpoint"), QString());
    m_dtype->addItem(tr("float32"), QStringLiteral("F32"));
    m_dtype->addItem(tr("bfloat16"), QStringLiteral("BF16"));
    m_dtype->addItem(tr("float16"), QStringLiteral("F16"));
    m_weights->addItem(tr("As trained"), QStringLiteral("model"));
    m_form->addRow(tr("&Format:"), m_format);
    m_form->addRow(tr("&Weights:"), m_weights);
    m_form->addRow(tr("&Precision:"), m_dtype);
    m_form->addRow(tr("&Started from:"), m_modelRow);
    m_form->addRow(tr("&To folder:"), pickerFor(m_folder, tr("Folder for the files")));
    m_format->setAccessibleName(tr("Format"));
    m_weights->setAccessibleName(tr("Weights"));
    m_dtype->setAccessibleName(tr("Precision"));
    m_model->setAccessibleName(tr("Folder of the model from which the training started"));
    m_folder->setAccessibleName(tr("Folder for the files"));
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::proposeFolder);
    connect(m_model, &QLineEdit::textChanged, this, &ExportDialog::showProblem);
    connect(m_folder, &QLineEdit::textChanged, this, &ExportDialog::showProblem);
    connect(m_folder, &QLineEdit::textEdited, this, [this] { m_parentFolder.clear(); });
}

QWidget* ExportDialog::pickerFor(QLineEdit* edit, const QString& title)
{
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(edit);
    auto* button = new QPushButton(tr("Browse…"), row);
    button->setAutoDefault(false);
    layout->addWidget(button);
    row->setFocusProxy(edit);
    connect(button, &QPushButton::clicked, this, [this, edit, title] {
        auto* dialog = new QFileDialog(this, title, edit->text());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
        connect(dialog, &QFileDialog::fileSelected, edit, [this, edit](const QString& folder) {
            if (edit == m_folder)
                m_parentFolder.clear();
            edit->setText(folder);
        });
        dialog->open();
    });
    return row;
}

QString ExportDialog::chosen(const QComboBox* box) const
{
    return box->currentData().toString();
}

void ExportDialog::showFacts(const ExportFacts& facts)
{
    m_facts = facts;
    for (const std::string& format : facts.formats)
        m_format->addItem(exportFormatWords(format, facts.hasAdapter), QString::fromStdString(format));
    if (facts.hasAverage)
        m_weights->addItem(tr("Their moving average"), QStringLiteral("ema"));
    m_weights->setEnabled(facts.hasAverage);
    m_model->setText(QString::fromStdString(facts.model.string()));
    // What others load comes first to mind where there is something to load it with.
    m_format->setCurrentIndex(std::max(0, facts.model.empty() ? 0 : m_format->findData(QStringLiteral("diffusers"))));
    proposeFolder();
}

/// Follows the format until the user has chosen a folder.
void ExportDialog::proposeFolder()
{
    m_form->setRowVisible(m_modelRow, chosen(m_format) != QLatin1String("safetensors"));
    if (!m_parentFolder.isEmpty())
        m_folder->setText(QDir(m_parentFolder).filePath(QStringLiteral("%1-%2-%3").arg(QString::fromStdString(runOf(m_checkpoint).id()),
            QString::fromStdString(m_checkpoint.filename().string()), chosen(m_format))));
    showProblem();
}

QString ExportDialog::problem() const
{
    if (!m_facts.error.isEmpty())
        return tr("This checkpoint cannot be exported. %1").arg(m_facts.error);
    if (chosen(m_format) != QLatin1String("safetensors") && m_model->text().trimmed().isEmpty())
        return tr("Name the folder of the model from which the training started; the file's layers are named after it.");
    if (m_folder->text().trimmed().isEmpty())
        return tr("Name a folder for the files.");
    const QDir folder(m_folder->text());
    if (folder.isRelative())
        return tr("%1 is a relative path; name the folder from the root on.").arg(m_folder->text());
    if (folder.exists() && !folder.isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden))
        return tr("%1 is not empty; choose a new folder.").arg(m_folder->text());
    return {};
}

void ExportDialog::showProblem()
{
    const QString text = m_format->count() == 0 && m_facts.error.isEmpty() ? QString() : problem();
    m_note->setText(text);
    m_export->setEnabled(m_format->count() > 0 && text.isEmpty() && !m_isWanted);
}

void ExportDialog::start()
{
    m_isWanted = std::make_shared<std::atomic<bool>>(true);
    contract::RunExport request {.format = chosen(m_format).toStdString(), .model = m_model->text().trimmed().toStdString()};
    request.file.dtype = chosen(m_dtype).toStdString();
    request.file.isWanted = [wanted = m_isWanted] { return wanted->load(); };
    request.file.onWritten = [dialog = QPointer<ExportDialog>(this), pace = std::make_shared<QElapsedTimer>()](std::uint64_t bytes) {
        if (pace->isValid() && pace->elapsed() < 100)
            return;
        pace->start();
        QMetaObject::invokeMethod(QCoreApplication::instance(), [dialog, bytes] {
            if (dialog && dialog->m_isWanted)
                dialog->m_note->setText(tr("%1 written…").arg(formatBytes(static_cast<std::int64_t>(bytes))));
        });
    };
    const auto weights = chosen(m_weights) == QLatin1String("ema") ? contract::ExportedWeights::Average : contract::ExportedWeights::Model;
    const fs::path folder(m_folder->text().toStdString());
    for (int row = 0; row < m_form->rowCount(); ++row)
        m_form->itemAt(row, QFormLayout::FieldRole)->widget()->setEnabled(false);
    m_export->setEnabled(false);
    m_note->setText(tr("Reading the checkpoint…"));
    m_progress->show();
    inBackground(
        this, [checkpoint = m_checkpoint, weights, folder, request] { return write(checkpoint, weights, folder, request); },
        [this](const Written& written) { showEnd(written.error, written.files, written.bytes); });
}

void ExportDialog::showEnd(const QString& error, std::int64_t files, std::int64_t bytes)
{
    m_isWanted.reset();
    m_progress->hide();
    if (!error.isEmpty()) {
        for (int row = 0; row < m_form->rowCount(); ++row)
            m_form->itemAt(row, QFormLayout::FieldRole)->widget()->setEnabled(true);
        m_weights->setEnabled(m_facts.hasAverage);
        showProblem();
        m_note->setText(tr("Nothing complete was written. %1").arg(error));
        return;
    }
    m_note->setText(tr("%1 with %2 written to %3.")
                        .arg(formatCounted(files, tr("1 file"), tr("%Ln files", nullptr, pluralCount(files))), formatBytes(bytes), m_folder->text()));
    m_export->hide();
    m_open->show();
    m_open->setDefault(true);
    m_buttons->button(QDialogButtonBox::Cancel)->setText(tr("Close"));
    Q_EMIT exported(m_folder->text());
}

}  // namespace ui
