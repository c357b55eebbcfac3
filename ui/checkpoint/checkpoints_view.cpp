#include "ui/checkpoint/checkpoints_view.h"

#include "ui/base/format.h"
#include "ui/base/state_strip.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/tensors_panel.h"

#include <QDesktopServices>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

using namespace std::chrono_literals;
constexpr auto kPace = 200ms;

struct Checkpoints {
    QString folder;
    std::vector<storage::CheckpointRow> rows;
};

}  // namespace

CheckpointsView::CheckpointsView(StoreService& service, Selection& selection, QWidget* parent)
    : QWidget(parent)
    , m_service(service)
    , m_selection(selection)
    , m_model(new CheckpointModel(this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(new QTableView)
    , m_tensors(new TensorsPanel)
{
    m_pool.setMaxThreadCount(1);
    setupTable();
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolbar());
    column->addWidget(m_table, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(top);
    splitter->addWidget(m_tensors);
    splitter->setChildrenCollapsible(false);
    m_frame = new ViewFrame(splitter, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);
    setFocusProxy(m_table);

    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &CheckpointsView::ask);
    connect(&m_service, &StoreService::changed, this, &CheckpointsView::askSoon);
    connect(&m_service, &StoreService::opened, this, &CheckpointsView::askSoon);
    connect(&m_selection, &Selection::inspectedChanged, this, &CheckpointsView::askSoon);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CheckpointsView::showSelected);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &CheckpointsView::showSelected);
    showSelected();
    showState();
}

CheckpointsView::~CheckpointsView()
{
    m_pool.waitForDone();
}

void CheckpointsView::setupTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(CheckpointModel::SortRole);
    m_table->setModel(m_sorted);
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
    auto* remove = new QShortcut(QKeySequence::Delete, m_table);
    remove->setContext(Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, &CheckpointsView::deleteSelected);
    auto* undo = new QShortcut(QKeySequence::Undo, m_table);
    undo->setContext(Qt::WidgetShortcut);
    connect(undo, &QShortcut::activated, this, &CheckpointsView::undoDelete);
}

QToolButton* CheckpointsView::addButton(
    QWidget* bar, const QString& text, const QString& help, void (CheckpointsView::*slot)())
{
    auto* button = new QToolButton(bar);
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    bar->layout()->addWidget(button);
    connect(button, &QToolButton::clicked, this, slot);
    return button;
}

QWidget* CheckpointsView::makeToolbar()
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 8, 4);
    m_resume = addButton(bar, tr("Resume from here"), tr("Begin a new attempt of this run from the checkpoint"),
        &CheckpointsView::requestResume);
    m_verify = addButton(bar, tr("Verify"), tr("Check manifest, files and sizes"), &CheckpointsView::verifySelected);
    m_pin = addButton(bar, tr("Pin"), tr("A pinned checkpoint is never rotated or deleted"), &CheckpointsView::togglePinned);
    m_open = addButton(bar, tr("Open folder"), tr("Show the checkpoint's files"), &CheckpointsView::openFolder);
    m_delete = addButton(bar, tr("Delete…"), tr("Move to the trash (Del)"), &CheckpointsView::deleteSelected);
    row->addStretch();
    m_message = new QLabel(bar);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_message->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(m_message, 1);
    m_undo = addButton(bar, tr("Undo"), tr("Put the deleted checkpoints back"), &CheckpointsView::undoDelete);
    m_undo->hide();
    return bar;
}

QString CheckpointsView::shownRun() const
{
    return m_selection.inspected();
}

QString CheckpointsView::message() const
{
    return m_message->text();
}

void CheckpointsView::say(const QString& message)
{
    m_message->setText(message);
    m_message->setToolTip(message);
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

void CheckpointsView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_isStale)
        ask();
}

void CheckpointsView::askSoon()
{
    m_isStale = true;
    showState();
    if (isVisible() && !m_isAsking && !m_pace.isActive())
        m_pace.start(m_answered == shownRun() ? kPace : 0ms);
}

void CheckpointsView::ask()
{
    if (m_isAsking || !isVisible() || shownRun().isEmpty())
        return;
    m_isAsking = true;
    m_isStale = false;
    const QString run = shownRun();
    m_service.query(
        this,
        [id = run.toStdString()](const storage::Store& store) {
            const auto row = store.run(id);
            return Checkpoints {row ? QString::fromStdString(row->folder) : QString(), store.checkpoints(id)};
        },
        [this, run](const Checkpoints& checkpoints) {
            m_isAsking = false;
            m_error.clear();
            if (m_answered != run) {
                say({});
                m_trashed.clear();
                m_undo->hide();
            }
            m_answered = run;
            m_folder = checkpoints.folder;
            m_model->setCheckpoints(run, checkpoints.rows);
            if (m_table->selectionModel()->selectedRows().isEmpty() && m_sorted->rowCount() > 0)
                m_table->selectRow(0);
            for (int column = 0; column < CheckpointModel::Marks; ++column)
                m_table->resizeColumnToContents(column);
            showSelected();
            showState();
            if (m_isStale)
                askSoon();
        },
        [this](storage::StoreError::Kind, const QString& message) {
            m_isAsking = false;
            m_error = message;
            showState();
        });
    showState();
}

void CheckpointsView::showSelected()
{
    const auto rows = selectedRows();
    const bool isOne = rows.size() == 1;
    const bool areAllPinned = !rows.empty()
        && std::all_of(rows.begin(), rows.end(), [this](int row) { return m_model->checkpoint(row).isPinned; });
    m_resume->setEnabled(isOne);
    m_open->setEnabled(isOne);
    for (QToolButton* button : {m_verify, m_pin, m_delete})
        button->setEnabled(!rows.empty());
    m_pin->setText(areAllPinned ? tr("Unpin") : tr("Pin"));
    m_tensors->setCheckpoint(isOne ? folderOf(rows.front()) : std::filesystem::path());
}

void CheckpointsView::requestResume()
{
    if (const auto rows = selectedRows(); rows.size() == 1)
        Q_EMIT resumeRequested(m_answered, m_model->checkpoint(rows.front()).step);
}

void CheckpointsView::openFolder()
{
    if (const auto rows = selectedRows(); rows.size() == 1)
        QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(folderOf(rows.front()).string())));
}

void CheckpointsView::runJob(std::function<QString()> work)
{
    m_pool.start([this, work = std::move(work)] {
        const QString answer = work();
        QMetaObject::invokeMethod(this, [this, answer] {
            say(answer);
            m_service.catchUp(m_folder);
        });
    });
}

void CheckpointsView::verifySelected()
{
    std::vector<std::filesystem::path> folders;
    for (const int row : selectedRows())
        folders.push_back(folderOf(row));
    if (folders.empty())
        return;
    say(tr("Verifying…"));
    runJob([folders] {
        QStringList wrong;
        for (const auto& folder : folders)
            if (const QString problem = verifyCheckpoint(folder); !problem.isEmpty())
                wrong << problem;
        if (!wrong.isEmpty())
            return wrong.join(QLatin1Char(' '));
        return folders.size() == 1
            ? tr("%1 is whole.").arg(QString::fromStdString(folders.front().filename().string()))
            : tr("All %n checkpoints are whole.", nullptr, static_cast<int>(folders.size()));
    });
}

void CheckpointsView::togglePinned()
{
    std::vector<std::filesystem::path> folders;
    bool areAllPinned = true;
    for (const int row : selectedRows()) {
        folders.push_back(folderOf(row));
        areAllPinned = areAllPinned && m_model->checkpoint(row).isPinned;
    }
    runJob([folders, isPinned = !areAllPinned] {
        QStringList wrong;
        for (const auto& folder : folders)
            if (const QString problem = setPinned(folder, isPinned); !problem.isEmpty())
                wrong << problem;
        return wrong.join(QLatin1Char(' '));
    });
}

void CheckpointsView::deleteSelected()
{
    QStringList names;
    std::vector<std::filesystem::path> folders;
    std::int64_t bytes = 0;
    for (const int row : selectedRows()) {
        folders.push_back(folderOf(row));
        names << QString::fromStdString(folders.back().filename().string());
        bytes += m_model->checkpoint(row).bytes;
    }
    if (folders.empty())
        return;
    auto* box = new QMessageBox(QMessageBox::Question, tr("Delete checkpoints"),
        tr("Move %n checkpoint(s) with %1 to the trash?", nullptr, static_cast<int>(folders.size()))
            .arg(formatBytes(bytes)),
        QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(names.join(QStringLiteral(", ")));
    QPushButton* remove = box->addButton(tr("Move to trash"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(remove, &QPushButton::clicked, this, [this, folders] { trash(folders); });
    box->open();
}

void CheckpointsView::trash(const std::vector<std::filesystem::path>& checkpoints)
{
    m_pool.start([this, checkpoints, home = m_service.home()] {
        const TrashResult result = moveToTrash(home, checkpoints);
        QMetaObject::invokeMethod(this, [this, result] {
            QStringList sentences;
            if (!result.done.empty())
                sentences << tr("%n checkpoint(s) with %1 moved to the trash.", nullptr,
                    static_cast<int>(result.done.size())).arg(formatBytes(result.bytes()));
            for (const QString& refused : result.refused)
                sentences << refused;
            say(sentences.join(QLatin1Char(' ')));
            if (!result.done.empty())
                m_trashed = result.done;
            m_undo->setVisible(!m_trashed.empty());
            m_service.catchUp(m_folder);
        });
    });
}

void CheckpointsView::undoDelete()
{
    if (m_trashed.empty())
        return;
    m_undo->hide();
    runJob([trashed = std::exchange(m_trashed, {})] {
        QStringList sentences;
        for (const QString& failed : restoreFromTrash(trashed))
            sentences << failed;
        return sentences.join(QLatin1Char(' '));
    });
}

void CheckpointsView::showState()
{
    ViewState state;
    const QString run = shownRun();
    if (run.isEmpty())
        state.emptySentence = tr("No run is selected. Choose one in the list to see its checkpoints.");
    else if (m_answered == run && m_model->rowCount() == 0 && m_error.isEmpty() && m_trashed.empty())
        state.emptySentence = tr("No checkpoint yet. The first one appears here when it is written.");
    state.isLoading = !run.isEmpty() && m_answered != run && m_error.isEmpty();
    if (!m_error.isEmpty())
        state.error = ViewError {tr("The checkpoints could not be read. %1").arg(m_error), {}, {},
            {{tr("Retry"), [this] {
                  m_error.clear();
                  ask();
              }}}};
    m_frame->setState(state);
}

}  // namespace ui
