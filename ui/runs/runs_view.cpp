#include "ui/runs/runs_view.h"

#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/runs/runs_delegate.h"

#include <QDateTime>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTreeView>
#include <QVBoxLayout>

namespace ui {

RunsView::RunsView(RunsModel& model, RunWatch& watch, Selection& selection, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_watch(watch)
    , m_selection(selection)
    , m_filter(new RunsFilter(this))
    , m_search(new QLineEdit(this))
    , m_table(new QTreeView)
    , m_frame(new ViewFrame(m_table, this))
{
    m_search->setPlaceholderText(tr("Filter runs: name, project, tag, state"));
    m_search->setAccessibleName(tr("Filter runs"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_filter->setSourceModel(&m_model);
    setupTable();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(6);
    layout->addWidget(m_search);
    layout->addWidget(m_frame, 1);
    setTabOrder(m_search, m_table);

    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        // Hiding the current row must not make another one the inspected run.
        m_isFiltering = true;
        m_filter->setWords(text);
        m_isFiltering = false;
        reveal(m_selection.inspected());
        updateState();
    });
    connect(&m_model, &RunsModel::runsChanged, this, &RunsView::updateState);
    connect(&m_model, &RunsModel::ticked, this, &RunsView::updateState);
    connect(&m_watch, &RunWatch::loaded, this, &RunsView::updateState);
    connect(&m_selection, &Selection::inspectedChanged, this, &RunsView::reveal);
    updateState();
}

void RunsView::setupTable()
{
    m_table->setModel(m_filter);
    m_table->setItemDelegate(new RunsDelegate(m_table));
    m_table->setAccessibleName(tr("Runs"));
    m_table->setObjectName(QStringLiteral("runsTable"));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setAlternatingRowColors(true);
    m_table->setSortingEnabled(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->installEventFilter(this);
    QHeaderView* const header = m_table->header();
    header->setStretchLastSection(false);
    header->setSectionsMovable(true);
    header->setMinimumSectionSize(28);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    const std::initializer_list<std::pair<int, int>> widths = {{RunsModel::Drawn, 4}, {RunsModel::Name, 11},
        {RunsModel::State, 12}, {RunsModel::Progress, 13}, {RunsModel::Loss, 8}, {RunsModel::Age, 12},
        {RunsModel::Started, 18}};
    for (const auto& [column, digits] : widths)
        header->resizeSection(column, digits * digit);
    header->setSectionResizeMode(RunsModel::Drawn, QHeaderView::Fixed);
    m_table->sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    header->setContextMenuPolicy(Qt::ActionsContextMenu);
    for (int column = RunsModel::State; column < RunsModel::ColumnCount; ++column) {
        auto* toggle = new QAction(m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), header);
        toggle->setCheckable(true);
        connect(toggle, &QAction::toggled, this,
            [header, column](bool isShown) { header->setSectionHidden(column, !isShown); });
        // As many as have room; the others are a right click away.
        const bool isShown = column < RunsModel::Age;
        toggle->setChecked(isShown);
        header->setSectionHidden(column, !isShown);
        header->addAction(toggle);
    }

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        &RunsView::currentChanged);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
        &RunsView::selectionChanged);
    connect(m_table, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() != RunsModel::Drawn)
            toggleDrawn();
    });
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
        if (m_menu && m_table->indexAt(position).isValid())
            m_menu->popup(m_table->viewport()->mapToGlobal(position));
    });
}

bool RunsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
        toggleDrawn();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

/// All selected runs become what the current one is not.
void RunsView::toggleDrawn()
{
    const bool isDrawn = m_selection.isDrawn(m_table->currentIndex().data(RunsModel::IdRole).toString());
    for (const QString& id : selectedRuns())
        m_selection.setDrawn(id, !isDrawn);
}

void RunsView::currentChanged(const QModelIndex& current)
{
    if (current.isValid() && !m_isFiltering)
        m_selection.setInspected(current.data(RunsModel::IdRole).toString());
}

void RunsView::reveal(const QString& runId)
{
    const QModelIndex current = m_filter->mapFromSource(m_model.indexOf(runId));
    if (!current.isValid() || m_table->currentIndex().data(RunsModel::IdRole).toString() == runId)
        return;
    m_table->selectionModel()->setCurrentIndex(
        current, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_table->scrollTo(current);
}

QStringList RunsView::selectedRuns() const
{
    QStringList ids;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows(RunsModel::Name))
        ids << index.data(RunsModel::IdRole).toString();
    return ids;
}

void RunsView::focusFilter()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void RunsView::setEmptyActions(const QList<ViewAction>& actions)
{
    m_emptyActions = actions;
    updateState();
}

void RunsView::setError(const std::optional<ViewError>& error)
{
    m_error = error;
    updateState();
}

void RunsView::setArchivedShown(bool isShown)
{
    m_filter->setArchivedShown(isShown);
    updateState();
}

void RunsView::updateState()
{
    ViewState state;
    state.error = m_error;
    state.isLoading = !m_watch.isLoaded() && !m_error;
    if (m_watch.isLoaded() && m_model.rowCount() == 0) {
        state.emptySentence = tr("No runs yet.");
        state.emptyActions = m_emptyActions;
    } else if (m_filter->rowCount() == 0 && m_filter->hasWords()) {
        state.emptySentence = tr("0 of %1 runs match.").arg(formatCount(m_model.rowCount()));
        state.emptyActions = {{tr("Clear filter"), [this] { m_search->clear(); }}};
    }
    state.stale = silentRuns(m_model.entries(), QDateTime::currentMSecsSinceEpoch());
    m_frame->setState(state);
}

QByteArray RunsView::headerState() const
{
    return m_table->header()->saveState();
}

void RunsView::restoreHeader(const QByteArray& state)
{
    if (!state.isEmpty())
        m_table->header()->restoreState(state);
    const auto toggles = m_table->header()->actions();
    for (int column = RunsModel::State; column < RunsModel::ColumnCount; ++column)
        toggles[column - RunsModel::State]->setChecked(!m_table->header()->isSectionHidden(column));
}

}  // namespace ui
