#include "ui/checkpoint/tensors_panel.h"

#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/manifest_copy.h"
#include "engine/contract/run/mirrored_run.h"
#include "ui/access/find_here.h"
#include "ui/base/format.h"
#include "ui/base/state_strip.h"
#include "ui/checkpoint/tensor_model.h"
#include "ui/language/outside_text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace ui {

TensorsPanel::TensorsPanel(QWidget* parent)
    : QWidget(parent)
    , m_model(new TensorModel(this))
    , m_filtered(new QSortFilterProxyModel(this))
    , m_filter(new QLineEdit(this))
    , m_summary(new QLabel(this))
    , m_table(new QTableView)
    , m_frame(new ViewFrame(m_table, this))
{
    m_pool.setMaxThreadCount(1);
    m_filtered->setSourceModel(m_model);
    m_filtered->setSortRole(TensorModel::SortRole);
    m_filtered->setFilterKeyColumn(-1);
    m_filtered->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_table->setModel(m_filtered);
    m_table->setSortingEnabled(true);
    m_table->setTabKeyNavigation(false);
    m_table->sortByColumn(TensorModel::Name, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setWordWrap(false);
    m_table->setAccessibleName(tr("Tensors of the checkpoint"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->horizontalHeader()->setSectionResizeMode(TensorModel::Name, QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_filter->setPlaceholderText(tr("Filter by name, shape or type"));
    m_filter->setAccessibleName(tr("Filter tensors"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(320);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filtered->setFilterFixedString(text.trimmed());
        showState();
    });

    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 6, 8, 6);
    row->setSpacing(10);
    row->addWidget(m_filter, 1);
    row->addWidget(m_summary, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_frame, 1);
    setFindHere(*this, findByFilter(*m_filter, *m_table));
    showState();
}

TensorsPanel::~TensorsPanel()
{
    m_pool.waitForDone();
}

void TensorsPanel::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
}

void TensorsPanel::setCheckpoint(const std::filesystem::path& folder)
{
    if (folder == m_folder)
        return;
    m_folder = folder;
    m_error.clear();
    m_details.clear();
    ++m_generation;
    m_pool.clear();
    m_isReading = !folder.empty();
    if (!m_isReading)
        m_model->setTensors({});
    else
        m_pool.start([this, folder, generation = m_generation] {
            contract::CheckpointManifest manifest;
            QString error;
            const bool isMirrored = contract::isMirrored(contract::RunFolder(folder.parent_path().parent_path()));
            const contract::CheckpointLock lock(folder, contract::CheckpointLock::Use::Read);
            try {
                if (lock.isHeld())
                    manifest = isMirrored ? contract::readManifestCopy(folder) : contract::readManifest(folder);
                else
                    error = tr("It no longer exists or is being removed.");
            } catch (const std::exception& problem) {
                error = translatedSentence(problem.what());
            }
            QMetaObject::invokeMethod(this,
                [this, generation, manifest = std::move(manifest), error] { showManifest(generation, manifest, error); });
        });
    showState();
}

void TensorsPanel::showManifest(int generation, const contract::CheckpointManifest& manifest, const QString& error)
{
    if (generation != m_generation)
        return;
    m_isReading = false;
    m_error = error;
    m_model->setTensors(manifest.tensors);
    m_table->resizeColumnToContents(TensorModel::Shape);
    if (error.isEmpty())
        m_details = tr("%1 · %2 · %3 in %4")
                        .arg(QString::fromStdString(manifest.model),
                            formatCounted(manifest.worldSize, tr("1 rank"), tr("%Ln ranks", nullptr, pluralCount(manifest.worldSize))),
                            formatBytes(static_cast<std::int64_t>(manifest.bytes())),
                            formatCounted(static_cast<std::int64_t>(manifest.fileBytes.size()), tr("1 file"), tr("%Ln files", nullptr, pluralCount(manifest.fileBytes.size()))));
    showState();
}

void TensorsPanel::cancel()
{
    ++m_generation;
    m_pool.clear();
    m_isReading = false;
    m_model->setTensors({});
    showState();
    ViewState state;
    state.error = cancelledReading([this] { readAgain(); });
    m_frame->setState(state);
}

void TensorsPanel::readAgain()
{
    setCheckpoint(std::exchange(m_folder, {}));
}

void TensorsPanel::showState()
{
    ViewState state;
    state.isLoading = m_isReading;
    state.cancel = [this] { cancel(); };
    if (m_folder.empty())
        state.emptySentence = tr("Choose one checkpoint to see its tensors.");
    else if (!m_error.isEmpty())
        state.error = ViewError {tr("This checkpoint cannot be read. %1").arg(m_error), {},
            QString::fromStdString(m_folder.string()), {{tr("Retry"), [this] { readAgain(); }}}};
    else if (m_model->rowCount() > 0 && m_filtered->rowCount() == 0) {
        state.emptySentence = formatCounted(m_model->rowCount(), tr("The only tensor does not match."), tr("0 of %Ln tensors match.", nullptr, pluralCount(m_model->rowCount())));
        state.emptyActions = {{tr("Clear filter"), [this] { m_filter->clear(); }}};
    }
    const QString count = m_filtered->rowCount() == m_model->rowCount()
        ? formatCounted(m_model->rowCount(), tr("1 tensor"), tr("%Ln tensors", nullptr, pluralCount(m_model->rowCount())))
        : tr("%1 of %2 tensors").arg(formatCount(m_filtered->rowCount()), formatCount(m_model->rowCount()));
    m_summary->setText(m_details.isEmpty() ? QString() : tr("%1 · %2").arg(count, m_details));
    m_frame->setState(state);
}

}  // namespace ui
