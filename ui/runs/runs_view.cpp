#include "ui/runs/runs_view.h"

#include "ui/base/check_menu.h"
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

#include <algorithm>
#include <utility>

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
        // When the filter hides the current row, Qt makes another row current; that must not change the inspected run.
        m_isFiltering = true;
        m_filter->setWords(text);
        m_isFiltering = false;
        reveal(m_selection.inspected());
        updateState();
    });
    connect(&m_model, &RunsModel::runsChanged, this, &RunsView::updateState);
    connect(&m_model, &RunsModel::ticked, this, &RunsView::updateState);
    connect(&m_model, &RunsModel::ticked, m_table->viewport(), qOverload<>(&QWidget::update));  // ages grow
    connect(&m_watch, &RunWatch::loaded, this, &RunsView::updateState);
    connect(&m_selection, &Selection::inspectedChanged, this, &RunsView::reveal);
    m_watch.setInView([this] { return runsInView(); });
    updateState();
}

RunsView::~RunsView() { m_watch.setInView({}); }

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
    m_table->viewport()->installEventFilter(this);
    setupColumns();
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

void RunsView::setupColumns()
{
    QHeaderView* const header = m_table->header();
    header->setStretchLastSection(false);
    header->setSectionsMovable(true);
    header->setMinimumSectionSize(28);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    const std::initializer_list<std::pair<int, int>> widths = {{RunsModel::Drawn, 4}, {RunsModel::Name, 18},
        {RunsModel::State, 12}, {RunsModel::Progress, 13}, {RunsModel::Loss, 8}, {RunsModel::Age, 12},
        {RunsModel::Started, 18}};
    for (const auto& [column, digits] : widths) {
        header->resizeSection(column, digits * digit);
        m_usualWidths.insert(column, digits * digit);
    }
    m_widths = m_usualWidths;
    header->setSectionResizeMode(RunsModel::Drawn, QHeaderView::Fixed);
    m_table->sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    setupColumnMenu();
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (m_isFitting || width == 0)  // 0: it is being hidden
            return;
        m_widths.insert(column, width);
        Q_EMIT headerChanged();
    });
    connect(header, &QHeaderView::sectionMoved, this, &RunsView::headerChanged);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &RunsView::headerChanged);
}

/// Where the columns have no room in their wanted widths, makes some of them narrower, so that none is out of sight. Widths that
/// the user has chosen stay.
void RunsView::fitColumns()
{
    QHeaderView* const header = m_table->header();
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    int missing = -m_table->viewport()->width();
    for (int column = 0; column < RunsModel::ColumnCount; ++column)
        missing += header->isSectionHidden(column) ? 0 : m_widths.value(column);
    const std::initializer_list<std::pair<int, int>> leastWidths = {{RunsModel::Name, 8}, {RunsModel::State, 6}, {RunsModel::Progress, 8}};
    m_isFitting = true;
    for (const auto& [column, leastDigits] : leastWidths) {
        const int wanted = m_widths.value(column);
        const int given = std::clamp(missing, 0, std::max(0, wanted - leastDigits * digit));
        if (header->isSectionHidden(column) || wanted != m_usualWidths.value(column))
            continue;
        header->resizeSection(column, wanted - given);
        missing -= given;
    }
    m_isFitting = false;
}

/// The menu of the header, which shows and hides columns.
void RunsView::setupColumnMenu()
{
    QHeaderView* const header = m_table->header();
    auto* menu = new CheckMenu(header);
    for (int column = RunsModel::State; column < RunsModel::ColumnCount; ++column) {
        QAction* const toggle = menu->addAction(m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        toggle->setCheckable(true);
        connect(toggle, &QAction::toggled, this,
            [this, header, column](bool isShown) {
                header->setSectionHidden(column, !isShown);
                fitColumns();
                Q_EMIT headerChanged();
            });
        // Show the columns that fit; the context menu of the header shows the others.
        const bool isShown = column < RunsModel::Age;
        toggle->setChecked(isShown);
        header->setSectionHidden(column, !isShown);
    }
    m_columnToggles = menu->actions();
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, menu,
        [header, menu](const QPoint& position) { menu->popup(header->mapToGlobal(position)); });
}

bool RunsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    if (watched == m_table && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
        toggleDrawn();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

/// Sets all selected runs to the opposite of the current run's state.
void RunsView::toggleDrawn()
{
    const bool isDrawn = m_selection.isDrawn(m_table->currentIndex().data(RunsModel::IdRole).toString());
    m_selection.setDrawn(selectedRuns(), !isDrawn);
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

QStringList RunsView::runsInView() const
{
    QStringList ids;
    if (!m_table->isVisible())
        return ids;
    const int bottom = m_table->viewport()->height();
    for (QModelIndex row = m_table->indexAt({0, 0}); row.isValid() && m_table->visualRect(row).top() < bottom; row = m_table->indexBelow(row))
        ids << row.siblingAtColumn(RunsModel::Name).data(RunsModel::IdRole).toString();
    return ids;
}

void RunsView::addTableAction(QAction* action)
{
    m_table->addAction(action);
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
        state.emptySentence = formatCounted(m_model.rowCount(), tr("The only run does not match."), tr("0 of %n runs match."));
        state.emptyActions = {{tr("Clear filter"), [this] { m_search->clear(); }}};
    }
    if (state.emptySentence.isEmpty() && m_filter->rowCount() == 0 && m_model.rowCount() > 0)
        state.emptySentence = tr("All runs are archived. The entry “Show archived runs” of the menu View shows them.");
    state.stale = silentRuns(m_model.entries(), QDateTime::currentMSecsSinceEpoch());
    m_frame->setState(state);
}

// The widths to keep are those that the user wants, not those that had room.
QByteArray RunsView::headerState()
{
    QHeaderView* const header = m_table->header();
    m_isFitting = true;
    for (const int column : {RunsModel::Name, RunsModel::State, RunsModel::Progress}) {
        if (!header->isSectionHidden(column))
            header->resizeSection(column, m_widths.value(column));
    }
    const QByteArray state = header->saveState();
    fitColumns();
    return state;
}

void RunsView::restoreHeader(const QByteArray& state)
{
    QHeaderView* const header = m_table->header();
    m_isFitting = true;
    const bool isRestored = !state.isEmpty() && header->restoreState(state);
    m_isFitting = false;
    for (int column = 0; isRestored && column < RunsModel::ColumnCount; ++column) {
        if (!header->isSectionHidden(column))
            m_widths.insert(column, header->sectionSize(column));
    }
    fitColumns();
    for (int column = RunsModel::State; column < RunsModel::ColumnCount; ++column)
        m_columnToggles[column - RunsModel::State]->setChecked(!m_table->header()->isSectionHidden(column));
}

}  // namespace ui
