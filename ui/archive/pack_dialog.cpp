#include "ui/archive/pack_dialog.h"

#include "engine/contract/formats/text.h"
#include "ui/archive/archive_progress.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QStandardPaths>
#include <QVBoxLayout>

namespace ui {
namespace {

using launcher::PackedCheckpoints;

constexpr std::array kChoices {PackedCheckpoints::All, PackedCheckpoints::Last, PackedCheckpoints::None};

}  // namespace

PackDialog::PackDialog(const contract::RunFolder& run, const QString& name, QWidget* parent)
    : QDialog(parent)
    , m_run(run)
    , m_progress(new ArchiveProgressBar(this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("packDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(plainTitle(tr("Pack %1").arg(name)));
    auto* choices = new QWidget;
    auto* column = new QVBoxLayout(choices);
    column->addWidget(new QLabel(tr("Everything about the run goes into one file, a plain tar archive with checksums: options, metrics, logs, samples, and:")));
    column->itemAt(0)->widget()->setProperty("wordWrap", true);
    for (std::size_t at = 0; at < kChoices.size(); ++at) {
        m_choices[at] = new QRadioButton(choices);
        column->addWidget(m_choices[at]);
    }
    m_choices[0]->setChecked(true);
    column->addStretch();
    m_frame = new ViewFrame(choices, this);
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_save = buttons->addButton(tr("Save…"), QDialogButtonBox::ActionRole);
    m_save->setIcon(icon(QStringLiteral("save")));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &PackDialog::askFile);
    connect(m_progress, &ArchiveProgressBar::finished, this, [this](const QString&, const QString& problem) { showResult(problem); });
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_frame, 1);
    layout->addWidget(m_progress);
    layout->addWidget(m_note);
    layout->addWidget(buttons);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(80 * digit, 16 * fontMetrics().height())));
    measure();
    showSizes({});
}

void PackDialog::measure()
{
    m_measuring.start(this,
        [run = m_run](const std::stop_token&) -> Sizes {
            Sizes sizes;
            try {
                for (std::size_t at = 0; at < kChoices.size(); ++at)
                    sizes.bytes[at] = launcher::RunArchive(run, kChoices[at]).bytes();
            } catch (const std::exception& error) {
                sizes.problem = translatedSentence(contract::sentenceOf(error));
            }
            return sizes;
        },
        [this](const Sizes& sizes) { showSizes(sizes); });
    updateState();
}

void PackDialog::showSizes(const Sizes& sizes)
{
    m_sizes = sizes;
    const std::array words {tr("&All checkpoints"), tr("Only the &last checkpoint"), tr("&No checkpoint")};
    for (std::size_t at = 0; at < kChoices.size(); ++at) {
        const bool isKnown = sizes.bytes[at] > 0;
        m_choices[at]->setText(isKnown ? tr("%1 (%2)").arg(words[at], formatBytes(static_cast<std::int64_t>(sizes.bytes[at]))) : words[at]);
    }
    updateState();
}

PackedCheckpoints PackDialog::chosen() const
{
    for (std::size_t at = 0; at < kChoices.size(); ++at) {
        if (m_choices[at]->isChecked())
            return kChoices[at];
    }
    return PackedCheckpoints::All;
}

QString PackDialog::note() const { return m_note->text(); }

void PackDialog::askFile()
{
    if (m_progress->isWorking())
        return m_progress->cancel();
    const QString place = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    auto* dialog = new QFileDialog(this, tr("Save the packed run"), QDir(place).filePath(QString::fromStdString(m_run.id()) + QStringLiteral(".tar")),
        tr("Packed runs (*.tar)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("tar"));
    connect(dialog, &QFileDialog::fileSelected, this, &PackDialog::save);
    dialog->open();
}

void PackDialog::save(const QString& file)
{
    m_file = file;
    m_result.clear();
    const PackedCheckpoints checkpoints = chosen();
    const auto at = static_cast<std::size_t>(std::ranges::find(kChoices, checkpoints) - kChoices.begin());
    m_progress->start(m_sizes.bytes[at], [run = m_run, checkpoints, path = file.toStdString()](const launcher::ArchiveProgress& progress) {
        const launcher::RunArchive archive(run, checkpoints);
        launcher::packToFile(archive, path, contract::Existing::Replace, progress);  // which the file dialog has asked about
        return run.id();
    });
    updateState();
}

void PackDialog::showResult(const QString& problem)
{
    m_result = !problem.isEmpty() ? problem
        : QFile::exists(m_file)   ? tr("Written to %1.").arg(QDir::toNativeSeparators(m_file))
                                  : QString();
    updateState();
}

void PackDialog::updateState()
{
    ViewState state;
    state.isLoading = m_measuring.isRunning();
    state.cancel = [this] {
        m_measuring.cancel();
        updateState();
    };
    const bool isMeasured = m_sizes.bytes.front() > 0;
    if (!isMeasured && !state.isLoading && m_sizes.problem.isEmpty())
        state.error = cancelledReading([this] { measure(); });
    if (!m_sizes.problem.isEmpty())
        state.error = ViewError {m_sizes.problem, {}, QString::fromStdString(m_run.root().string()), {{tr("Retry"), [this] { measure(); }}}};
    m_frame->setState(state);
    const bool isWorking = m_progress->isWorking();
    m_save->setText(isWorking ? tr("Stop") : tr("Save…"));
    m_save->setEnabled(isWorking || isMeasured);
    for (QRadioButton* choice : m_choices)
        choice->setEnabled(!isWorking);
    m_note->setText(m_result);
}

}  // namespace ui
