#include "ui/runs/runs_view.h"

#include "ui/access/find_here.h"
#include "ui/base/format.h"
#include "ui/runs/run_columns.h"
#include "ui/runs/runs_delegate.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QMenu>
#include <QTreeView>
#include <QVBoxLayout>

namespace ui {

RunsView::RunsView(RunsModel& model, RunWatch& watch, FieldReader& fields, Selection& selection, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_watch(watch)
    , m_fields(fields)
    , m_selection(selection)
    , m_filter(new RunsFilter(model, this))
    , m_search(new QueryEdit(this))
    , m_table(new QTreeView)
    , m_frame(new ViewFrame(m_table, this))
{
    setupTable();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(6);
    layout->addWidget(m_search);
    layout->addWidget(m_frame, 1);
    setTabOrder(m_search, m_table);

    connect(m_search, &QueryEdit::textChanged, this, &RunsView::readQuery);
    connect(m_search, &QueryEdit::textChanged, this, &RunsView::filterTextChanged);
    connect(&m_fields, &FieldReader::namesChanged, this, &RunsView::readQuery);
    connect(&m_fields, &FieldReader::valuesRead, this, &RunsView::applyQuery);
    connect(&m_model, &RunsModel::runsChanged, this, &RunsView::updateState);
    connect(&m_model, &RunsModel::ticked, this, &RunsView::updateState);
    connect(&m_model, &RunsModel::ticked, m_table->viewport(), qOverload<>(&QWidget::update));  // ages grow
    connect(&m_watch, &RunWatch::loaded, this, &RunsView::updateState);
    connect(&m_selection, &Selection::inspectedChanged, this, &RunsView::reveal);
    m_watch.setInView([this] { return runsInView(); });
    setFindHere(*this, {[this] { focusFilter(); }, [this](int direction) { m_search->text().isEmpty() ? focusFilter() : stepRows(*m_table, direction); }});
    updateState();
}

RunsView::~RunsView() { m_watch.setInView({}); }

void RunsView::setupTable()
{
    // Before the table's own connections, see letGo().
    connect(m_filter, &RunsFilter::rowsAboutToBeRemoved, this, [this](const QModelIndex&, int first, int last) { letGo(first, last); });
    m_table->setModel(m_filter);
    connect(m_filter, &RunsFilter::rowsInserted, this, &RunsView::takeUp);
    m_table->setCurrentIndex({});  // else Qt makes the first row current when the table gets the focus
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
    m_columns = new RunColumns(m_model, m_fields, *m_table);
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

void RunsView::readQuery()
{
    const RunQuery::Parsed parsed = RunQuery::parse(m_search->text(), m_fields.names());
    m_search->showProblem(parsed.problem);
    if (parsed.problem)
        return;  // the table keeps showing what the last query without a problem selects
    m_query = parsed.query;
    m_isQueryWaiting = true;
    compareFields();
    applyQuery();
}

/// Applies the query that was typed, unless values that it compares have yet to be read.
void RunsView::applyQuery()
{
    if (!m_isQueryWaiting || (!m_query.fields().empty() && !m_fields.hasValues()))
        return;
    m_isQueryWaiting = false;
    m_filter->setQuery(m_query);
    compareFields();  // without those that only the last query compared
    updateState();
}

/// Gives the model the fields that the filter compares, as typed and as applied.
void RunsView::compareFields()
{
    std::vector<storage::RunField> fields = m_query.fields();
    fields.insert(fields.end(), m_filter->query().fields().begin(), m_filter->query().fields().end());
    m_columns->setCompared(fields);
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

/// Sets all selected runs to the opposite of the current run's state.
void RunsView::toggleDrawn()
{
    const bool isDrawn = m_selection.isDrawn(m_table->currentIndex().data(RunsModel::IdRole).toString());
    m_selection.setDrawn(selectedRuns(), !isDrawn);
}

void RunsView::currentChanged(const QModelIndex& current)
{
    if (current.isValid())
        m_selection.setInspected(current.data(RunsModel::IdRole).toString());
}

/// Where the filter takes the current row away, no row is current, and the run stays the inspected one; Qt would make a neighbour
/// current. That is for runs that are gone.
void RunsView::letGo(int first, int last)
{
    const QModelIndex current = m_table->currentIndex();
    if (current.row() >= first && current.row() <= last && !m_filter->accepts(m_filter->mapToSource(current).row()))
        m_table->selectionModel()->clearCurrentIndex();
}

/// Makes the row of the inspected run current again once the filter shows it.
void RunsView::takeUp()
{
    const QModelIndex row = m_filter->mapFromSource(m_model.indexOf(m_selection.inspected()));
    QItemSelectionModel& rows = *m_table->selectionModel();
    if (row.isValid() && !rows.currentIndex().isValid())
        rows.setCurrentIndex(row, rows.hasSelection() ? QItemSelectionModel::NoUpdate : QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

void RunsView::select(const QString& runId)
{
    const QModelIndex row = m_filter->mapFromSource(m_model.indexOf(runId));
    if (!row.isValid())
        return m_table->selectionModel()->clear();
    m_table->selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_table->scrollTo(row);
}

void RunsView::reveal(const QString& runId)
{
    if (runId.isEmpty() || m_table->currentIndex().data(RunsModel::IdRole).toString() != runId)
        select(runId);
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

void RunsView::setEmptySentence(const QString& sentence)
{
    m_emptySentence = sentence;
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
    state.isLoading = !m_watch.isLoaded() && !m_error && !m_isCancelled;
    state.cancel = [this] {
        m_watch.cancel();
        m_isCancelled = true;
        updateState();
    };
    if (m_isCancelled && !m_watch.isLoaded() && !m_error)
        state.error = cancelledReading([this] {
            m_isCancelled = false;
            m_watch.readAgain();
            updateState();
        });
    if (m_watch.isLoaded() && m_model.rowCount() == 0) {
        state.emptySentence = m_emptySentence.isEmpty() ? tr("No runs yet.") : m_emptySentence;
        state.emptyActions = m_emptyActions;
    } else if (m_filter->rowCount() == 0 && !m_filter->query().isEmpty()) {
        state.emptySentence = formatCounted(m_model.rowCount(), tr("The only run does not match."), tr("0 of %Ln runs match.", nullptr, pluralCount(m_model.rowCount())));
        state.emptyActions = {{tr("Clear filter"), [this] { m_search->setText({}); }}};
    }
    if (state.emptySentence.isEmpty() && m_filter->rowCount() == 0 && m_model.rowCount() > 0) {
        state.emptySentence = tr("All runs are archived. The entry “Show archived runs” of the menu View shows them.");
        if (m_showArchived)
            state.emptyActions = {{m_showArchived->iconText(), [this] { m_showArchived->trigger(); }}};
    }
    state.stale = silentRuns(m_model.entries(), QDateTime::currentMSecsSinceEpoch());
    m_frame->setState(state);
}

}  // namespace ui
