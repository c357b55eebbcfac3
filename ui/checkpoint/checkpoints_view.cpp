#include "ui/checkpoint/checkpoints_view.h"

#include "ui/access/find_bar.h"
#include "ui/base/format.h"
#include "ui/base/kept_controls.h"
#include "ui/base/plain_text.h"
#include "ui/base/state_strip.h"
#include "ui/checkpoint/checkpoint_jobs.h"
#include "ui/checkpoint/checkpoint_measure.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_bar.h"
#include "ui/checkpoint/checkpoints_there.h"
#include "ui/checkpoint/difference_dialog.h"
#include "ui/checkpoint/export_dialog.h"
#include "ui/checkpoint/export_there_dialog.h"
#include "ui/checkpoint/tensors_panel.h"

#include <QDesktopServices>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStandardPaths>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

struct Checkpoints {
    QString folder;
    std::vector<ListedCheckpoint> rows;
    CheckpointMeasure measure;
};

}  // namespace

CheckpointsView::CheckpointsView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_query(new PacedQuery(service, this, [this] { return shownRun(); },
          std::vector {storage::Part::Checkpoints}))
    , m_jobs(new CheckpointJobs(service, this))
    , m_model(new CheckpointModel(this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(new QTableView)
    , m_bar(new CheckpointsBar(actions, *this))
    , m_message(new QLabel)
    , m_tensors(new TensorsPanel)
{
    setupTable();
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(makeTop());
    splitter->addWidget(m_tensors);
    splitter->setChildrenCollapsible(false);
    keep(*splitter, "splitter");
    m_frame = new ViewFrame(splitter, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);
    setFocusProxy(m_table);
    new FindBar(*this, *m_frame, *m_table, rowsOf(*m_table));

    m_query->setQuery(
        [](const storage::Store& store, const std::string& id) {
            const auto row = store.run(id);
            if (!row)
                return Checkpoints {};
            return Checkpoints {QString::fromStdString(row->folder), listedCheckpoints(contract::RunFolder(row->folder), store.checkpoints(id)),
                checkpointMeasure(store, id)};
        },
        [this](const QString& run, const Checkpoints& checkpoints) {
            m_model->setMeasure(checkpoints.measure);
            m_table->setColumnHidden(CheckpointModel::Measured, !m_model->hasMeasureOfItsOwn());
            showCheckpoints(run, checkpoints.folder, checkpoints.rows);
        });
    connect(m_query, &PacedQuery::stateChanged, this, &CheckpointsView::showState);
    connect(&m_selection, &Selection::inspectedChanged, this, [this] { m_step.reset(); });
    connect(&m_selection, &Selection::inspectedChanged, m_query, &PacedQuery::askSoon);
    connect(m_jobs, &CheckpointJobs::statusMessage, this, &CheckpointsView::showStatus);
    connect(m_jobs, &CheckpointJobs::filesChanged, m_query, &PacedQuery::askSoon);
    connect(m_jobs, &CheckpointJobs::verifyingChanged, this, &CheckpointsView::showState);
    connect(m_jobs, &CheckpointJobs::canUndoChanged, this, [this] {
        m_bar->setCanUndo(m_jobs->canUndo());
        showState();
        Q_EMIT canUndoDeleteChanged();
    });
    connect(m_jobs, &CheckpointJobs::trashChangedThere, this, &CheckpointsView::trashChangedThere);
    connect(m_jobs, &CheckpointJobs::canCancelChanged, this, [this] { m_bar->setCanCancel(m_jobs->canCancel()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CheckpointsView::showSelected);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &CheckpointsView::showSelected);
    connect(&m_ageTimer, &QTimer::timeout, m_table->viewport(), qOverload<>(&QWidget::update));
    m_ageTimer.start(1s);
    showSelected();
    showState();
}

CheckpointsView::~CheckpointsView() = default;

void CheckpointsView::setupTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(CheckpointModel::SortRole);
    m_table->setModel(m_sorted);
    m_table->setColumnHidden(CheckpointModel::Measured, true);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(CheckpointModel::Step, Qt::DescendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setTabKeyNavigation(false);
    m_table->setAccessibleName(tr("Checkpoints"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(80);
    m_table->addAction(m_bar->deletion());
    keep(*m_table->horizontalHeader(), "order");
}

QWidget* CheckpointsView::makeTop()
{
    connect(m_bar, &CheckpointsBar::resumeRequested, this, &CheckpointsView::requestResume);
    connect(m_bar, &CheckpointsBar::verifyRequested, this, &CheckpointsView::verifySelected);
    connect(m_bar, &CheckpointsBar::pinRequested, this, &CheckpointsView::togglePinned);
    connect(m_bar, &CheckpointsBar::openRequested, this, &CheckpointsView::openFolder);
    connect(m_bar, &CheckpointsBar::compareRequested, this, &CheckpointsView::compareSelected);
    connect(m_bar, &CheckpointsBar::exportRequested, this, &CheckpointsView::exportSelected);
    connect(m_bar, &CheckpointsBar::deleteRequested, this, &CheckpointsView::deleteSelected);
    connect(m_bar, &CheckpointsBar::undoRequested, this, &CheckpointsView::undoDelete);
    connect(m_bar, &CheckpointsBar::cancelRequested, this, &CheckpointsView::cancelVerifying);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_message->setContentsMargins(10, 0, 10, 4);
    m_message->hide();
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_message);
    column->addWidget(m_table, 1);
    return top;
}

QString CheckpointsView::shownRun() const
{
    return m_selection.inspected();
}

QString CheckpointsView::message() const
{
    return m_message->text();
}

void CheckpointsView::showStatus(const QString& message)
{
    m_message->setText(message);
    m_message->setToolTip(plainToolTip(message));
    m_message->setVisible(!message.isEmpty());
}

std::filesystem::path CheckpointsView::folderOf(int row) const
{
    return std::filesystem::path(m_folder.toStdString()) / m_model->checkpoint(row).path;
}

std::vector<int> CheckpointsView::selectedRows() const
{
    std::vector<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows.push_back(m_sorted->mapToSource(index).row());
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::vector<std::filesystem::path> CheckpointsView::selectedFolders() const
{
    std::vector<std::filesystem::path> folders;
    for (const int row : selectedRows())
        folders.push_back(folderOf(row));
    return folders;
}

void CheckpointsView::showCheckpoints(
    const QString& run, const QString& folder, const std::vector<ListedCheckpoint>& checkpoints)
{
    if (m_query->answeredRun() != run)
        showStatus({});
    m_folder = folder;
    m_jobs->setRunFolder(folder);
    m_model->setCheckpoints(run, checkpoints);
    if (m_table->selectionModel()->selectedRows().isEmpty() && m_sorted->rowCount() > 0)
        m_table->selectRow(0);
    if (const auto step = std::exchange(m_step, {}))
        selectStep(*step);
    for (int column = 0; column < CheckpointModel::Marks; ++column)
        m_table->resizeColumnToContents(column);
    showSelected();
}

void CheckpointsView::showStep(std::int64_t step)
{
    // What is hidden may be another run's checkpoints by now, or not all of this run's.
    if (m_query->answeredRun() != shownRun() || !isVisible())
        m_step = step;
    if (m_query->answeredRun() == shownRun())
        selectStep(step);
}

void CheckpointsView::selectStep(std::int64_t step)
{
    int nearest = -1;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const auto distance = [&](int of) { return std::abs(m_model->checkpoint(of).step - step); };
        if (nearest < 0 || distance(row) < distance(nearest))
            nearest = row;
    }
    if (nearest < 0)
        return;
    const QModelIndex index = m_sorted->mapFromSource(m_model->index(nearest, CheckpointModel::Step));
    m_table->selectRow(index.row());
    m_table->scrollTo(index);
}

void CheckpointsView::setFilesElsewhere(launcher::Mirror& mirror)
{
    m_mirror = &mirror;
    m_jobs->setMirror(m_mirror);
    connect(&mirror, &launcher::Mirror::linkChanged, this, &CheckpointsView::showSelected);
    showSelected();
}

void CheckpointsView::setResumeRefusal(const QString& sentence)
{
    m_noResume = sentence;
    showSelected();
}

void CheckpointsView::showSelected()
{
    const auto rows = selectedRows();
    showPossible();
    m_tensors->setCheckpoint(rows.size() == 1 ? folderOf(rows.front()) : std::filesystem::path());
}

void CheckpointsView::showPossible()
{
    const auto rows = selectedRows();
    CheckpointsBar::Choice choice {.selected = static_cast<int>(rows.size()), .noResume = m_noResume, .noFiles = {}, .noAction = {}};
    choice.areAllPinned = !rows.empty()
        && std::all_of(rows.begin(), rows.end(), [this](int row) { return m_model->checkpoint(row).isPinned; });
    const auto anyIs = [&](auto is) { return std::ranges::any_of(rows, [&](int row) { return is(m_model->checkpoint(row)); }); };
    if (anyIs([](const ListedCheckpoint& row) { return !row.damage.empty(); }))
        choice.noReading = tr("A damaged checkpoint cannot be read.");
    if (choice.noResume.isEmpty() && anyIs([](const ListedCheckpoint& row) { return row.isFormer; }))
        choice.noResume = tr("Another attempt has written a checkpoint of this step, from which the run is resumed.");
    if (m_mirror) {
        const QString host = QString::fromStdString(m_mirror->host().text());
        choice.noFiles = tr("The checkpoint's files are on %1.").arg(host);
        if (m_mirror->link().phase != launcher::RemoteLink::Phase::Connected)
            choice.noAction = tr("There is no connection to %1.").arg(host);
        else if (!std::ranges::all_of(selectedFolders(), isNamedByStep))
            choice.noAction = tr("A checkpoint whose folder is not named by its step can only be handled on %1.").arg(host);
    }
    // What is selected in a table that nobody sees may be another run's.
    if (m_query->answeredRun() != shownRun())
        choice.noResume = choice.noFiles = choice.noAction = tr("The checkpoints of this run are read when the tab Checkpoints is open.");
    m_bar->setChoice(choice);
}

void CheckpointsView::requestResume()
{
    if (const auto rows = selectedRows(); rows.size() == 1)
        Q_EMIT resumeRequested(m_query->answeredRun(), m_model->checkpoint(rows.front()).step);
}

void CheckpointsView::openFolder()
{
    if (const auto rows = selectedRows(); rows.size() == 1)
        QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(folderOf(rows.front()).string())));
}

void CheckpointsView::compareSelected()
{
    const auto rows = selectedRows();
    if (rows.size() == 2)
        (new DifferenceDialog(folderOf(rows.front()), folderOf(rows.back()), this, m_mirror))->show();
}

void CheckpointsView::exportSelected()
{
    const auto rows = selectedRows();
    if (rows.size() != 1)
        return;
    if (m_mirror) {
        auto* const there = new ExportThereDialog(*m_mirror, folderOf(rows.front()), this);
        const QString host = QString::fromStdString(m_mirror->host().text());
        connect(there, &ExportThereDialog::exported, this, [this, host](const QString& to) { showStatus(tr("Exported to %1 on %2.").arg(to, host)); });
        return there->show();
    }
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    auto* dialog = new ExportDialog(folderOf(rows.front()), folder, this);
    connect(dialog, &ExportDialog::exported, this, [this](const QString& to) { showStatus(tr("Exported to %1.").arg(to)); });
    dialog->show();
}

void CheckpointsView::verifySelected()
{
    m_jobs->verify(selectedFolders());
}

void CheckpointsView::cancelVerifying() { m_jobs->cancel(); }

void CheckpointsView::togglePinned()
{
    const auto rows = selectedRows();
    const bool areAllPinned
        = std::all_of(rows.begin(), rows.end(), [this](int row) { return m_model->checkpoint(row).isPinned; });
    m_jobs->setPinned(selectedFolders(), !areAllPinned);
}

void CheckpointsView::deleteSelected()
{
    const auto folders = selectedFolders();
    if (folders.empty() || !m_bar->deletion()->isEnabled())
        return;
    m_jobs->trash(m_folder, folders);
}

void CheckpointsView::undoDelete()
{
    m_jobs->undo();
}

bool CheckpointsView::canUndoDelete() const { return m_jobs->canUndo(); }

void CheckpointsView::setTrash(const std::vector<launcher::TrashItem>& items)
{
    m_jobs->setTrash(items);
    m_query->askSoon();
}

void CheckpointsView::showState()
{
    ViewState state;
    const QString run = shownRun();
    if (run.isEmpty())
        state.emptySentence = tr("No run is selected. Choose one in the list to see its checkpoints.");
    else if (m_query->answeredRun() == run && m_model->rowCount() == 0 && m_query->error().isEmpty() && !m_jobs->canUndo()) {
        state.emptySentence = tr("No checkpoints yet. The first one appears here when it has been written.");
        state.endedSentence = tr("This run has no checkpoints.");
        state.isEmptyOfRecords = true;
    }
    state.isLoading = m_query->isLoading() || m_jobs->isVerifying();
    state.cancel = [this] {
        if (m_query->isLoading())
            m_query->cancel();
        m_jobs->cancelVerifying();
    };
    state.error = m_query->viewError(tr("The checkpoints could not be read. %1"));
    m_frame->setState(state);
    showPossible();
}

}  // namespace ui
