#include "ui/runs/runs_view.h"

#include "ui/base/check_menu.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/look.h"
#include "ui/runs/columns_dialog.h"
#include "ui/runs/runs_delegate.h"

#include <QDateTime>
#include <QHeaderView>
#include <QInputMethodEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTextCharFormat>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

/// Underlines @p length characters of @p edit from @p start on; none when @p length is 0. A line edit shows formats only in
/// the text of an input method.
void underline(QLineEdit* edit, qsizetype start, qsizetype length)
{
    QList<QInputMethodEvent::Attribute> attributes;
    if (length > 0) {
        QTextCharFormat format;
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(stateColour(launcher::RunState::Failed, edit->palette()));
        attributes.append({QInputMethodEvent::TextFormat, int(start) - edit->cursorPosition(), int(length), format});
    }
    QInputMethodEvent event({}, attributes);
    QCoreApplication::sendEvent(edit, &event);
}

}  // namespace

RunsView::RunsView(RunsModel& model, RunWatch& watch, FieldReader& fields, Selection& selection, QWidget* parent)
    : QWidget(parent)
    , m_model(model)
    , m_watch(watch)
    , m_fields(fields)
    , m_selection(selection)
    , m_filter(new RunsFilter(model, this))
    , m_search(new QLineEdit(this))
    , m_problem(new QLabel(this))
    , m_table(new QTreeView)
    , m_frame(new ViewFrame(m_table, this))
{
    m_search->setPlaceholderText(tr("Filter runs: lora state:failed loss < 0.2"));
    m_search->setToolTip(tr("Words that the name, project, tags, note or state contain, and comparisons: tag:lora, state:failed,"
                            " loss &lt; 0.2, min(loss) &lt; 0.1, optim.lr &gt;= 1e-4; joined by and, or, not and parentheses."));
    m_search->setAccessibleName(tr("Filter runs"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_problem->setObjectName(QStringLiteral("filterProblem"));
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->hide();
    setupTable();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(6);
    layout->addWidget(m_search);
    layout->addWidget(m_problem);
    layout->addWidget(m_frame, 1);
    setTabOrder(m_search, m_table);

    connect(m_search, &QLineEdit::textChanged, this, &RunsView::readQuery);
    connect(&m_fields, &FieldReader::namesChanged, this, &RunsView::readQuery);
    connect(&m_fields, &FieldReader::valuesRead, this, &RunsView::applyQuery);
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
        {RunsModel::Started, 18}, {RunsModel::Project, 12}, {RunsModel::Tags, 14}, {RunsModel::Notes, 20},
        {RunsModel::Ranks, 8}, {RunsModel::Attempts, 10}};
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
        if (column < RunsModel::BuiltInCount)
            m_widths.insert(column, width);
        Q_EMIT headerChanged();
    });
    connect(header, &QHeaderView::sectionMoved, this, &RunsView::headerChanged);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &RunsView::headerChanged);
}

/// Where the columns have no room in their wanted widths, makes some of them narrower, so that none is out of sight: the state last. Widths that
/// the user has chosen stay.
void RunsView::fitColumns()
{
    QHeaderView* const header = m_table->header();
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    int missing = -m_table->viewport()->width();
    for (int column = 0; column < m_model.columnCount(); ++column)
        missing += header->isSectionHidden(column) ? 0 : m_widths.value(column, header->sectionSize(column));
    const std::initializer_list<std::pair<int, int>> leastWidths = {{RunsModel::Name, 8}, {RunsModel::Progress, 6}, {RunsModel::State, 6}};
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

void RunsView::readQuery()
{
    const RunQuery::Parsed parsed = RunQuery::parse(m_search->text(), m_fields.names());
    showProblem(parsed.problem);
    if (parsed.problem)
        return;  // the table keeps showing what the last query without a problem selects
    m_query = parsed.query;
    m_isQueryWaiting = true;
    updateFields();
    applyQuery();
}

/// Applies the query that was typed, unless values that it compares have yet to be read.
void RunsView::applyQuery()
{
    if (!m_isQueryWaiting || (!m_query.fields().empty() && !m_fields.hasValues()))
        return;
    m_isQueryWaiting = false;
    // When the filter hides the current row, Qt makes another row current; that must not change the inspected run.
    m_isFiltering = true;
    m_filter->setQuery(m_query);
    m_isFiltering = false;
    updateFields();  // without those that only the last query compared
    reveal(m_selection.inspected());
    updateState();
}

void RunsView::showProblem(const std::optional<RunQuery::Problem>& problem)
{
    m_problem->setVisible(problem.has_value());
    m_problem->setText(problem ? problem->sentence : QString());
    QPalette palette = this->palette();
    const QColor failed = stateColour(launcher::RunState::Failed, palette);
    palette.setColor(QPalette::WindowText, withContrast(failed, palette.color(QPalette::Window), 4.5));
    m_problem->setPalette(palette);
    underline(m_search, problem ? problem->position : 0, problem ? problem->length : 0);
}

/// Gives the model the fields that are shown and those that the filter compares, and hides the columns of the latter.
void RunsView::updateFields()
{
    std::vector<storage::RunField> fields = m_shown;
    for (const RunQuery* query : std::initializer_list<const RunQuery*> {&m_query, &m_filter->query()}) {
        for (const storage::RunField& field : query->fields()) {
            if (std::ranges::find(fields, field) == fields.end())
                fields.push_back(field);
        }
    }
    m_isFitting = true;  // widths that the header gives to new columns are not the user's
    QHeaderView* const header = m_table->header();
    const int sortColumn = header->sortIndicatorSection();
    std::optional<storage::RunField> sortField;
    if (sortColumn >= RunsModel::BuiltInCount)
        sortField = m_model.fields()[std::size_t(sortColumn - RunsModel::BuiltInCount)];
    m_model.setFields(fields);
    QItemSelectionModel* const selection = m_table->selectionModel();
    selection->select(selection->selection(), QItemSelectionModel::Select | QItemSelectionModel::Rows);  // in new columns, too
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    for (const storage::RunField& field : m_model.fields()) {
        const int column = m_model.columnOf(field);
        const bool isShown = std::ranges::find(m_shown, field) != m_shown.end();
        if (isShown == header->isSectionHidden(column) || !m_sized.contains(field)) {
            header->setSectionHidden(column, !isShown);
            if (isShown && m_sized.insert(field).second)
                header->resizeSection(
                    column, std::clamp(fontMetrics().horizontalAdvance(titleOf(field)) + 3 * digit, 8 * digit, 20 * digit));
        }
    }
    m_isFitting = false;
    // Also when its column is where it was: QSortFilterProxyModel forgets how it sorts when any column is removed while its source's
    // first row is filtered out.
    const int sortColumnNow = sortField ? m_model.columnOf(*sortField) : sortColumn;
    if (sortColumnNow < 0)
        m_table->sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    else
        m_table->sortByColumn(sortColumnNow, header->sortIndicatorOrder());
    fitColumns();
}

void RunsView::setColumnShown(RunsModel::Column column, bool isShown)
{
    if (column < RunsModel::State || m_table->header()->isSectionHidden(column) != isShown)
        return;
    m_table->header()->setSectionHidden(column, !isShown);
    fitColumns();
    Q_EMIT headerChanged();
}

void RunsView::setFieldShown(const storage::RunField& field, bool isShown)
{
    const auto found = std::ranges::find(m_shown, field);
    if (isShown == (found != m_shown.end()))
        return;
    if (isShown)
        m_shown.push_back(field);
    else
        m_shown.erase(found);
    updateFields();
    Q_EMIT headerChanged();
}

void RunsView::chooseColumns()
{
    auto* dialog = new ColumnsDialog(m_model, m_fields, window());
    for (int column = RunsModel::State; column < RunsModel::BuiltInCount; ++column)
        dialog->setChecked(RunsModel::Column(column), !m_table->header()->isSectionHidden(column));
    for (const storage::RunField& field : m_shown)
        dialog->setChecked(field);
    connect(dialog, &ColumnsDialog::columnToggled, this, &RunsView::setColumnShown);
    connect(dialog, &ColumnsDialog::fieldToggled, this, &RunsView::setFieldShown);
    dialog->open();
}

void RunsView::setupColumnMenu()
{
    QHeaderView* const header = m_table->header();
    for (int column = RunsModel::State; column < RunsModel::BuiltInCount; ++column)
        header->setSectionHidden(column, column >= RunsModel::Age);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, &RunsView::openColumnMenu);
}

/// The menu of the header, which shows and hides columns.
void RunsView::openColumnMenu(const QPoint& position)
{
    QHeaderView* const header = m_table->header();
    auto* menu = new CheckMenu(header);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto addToggle = [&](int column, bool isShown) {
        QAction* const toggle = menu->addAction(m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        toggle->setCheckable(true);
        toggle->setChecked(isShown);
        return toggle;
    };
    for (int column = RunsModel::State; column < RunsModel::BuiltInCount; ++column)
        connect(addToggle(column, !header->isSectionHidden(column)), &QAction::toggled, this,
            [this, column](bool isShown) { setColumnShown(RunsModel::Column(column), isShown); });
    for (const storage::RunField& field : m_shown)
        connect(addToggle(m_model.columnOf(field), true), &QAction::toggled, this,
            [this, field](bool isShown) { setFieldShown(field, isShown); });
    menu->addSeparator();
    connect(menu->addAction(tr("Options and metrics…")), &QAction::triggered, this, &RunsView::chooseColumns);
    menu->popup(header->mapToGlobal(position));
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
    } else if (m_filter->rowCount() == 0 && !m_filter->query().isEmpty()) {
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
    QJsonArray fields;
    QJsonArray shown;
    for (const storage::RunField& field : m_model.fields())
        fields.append(idOf(field));
    for (const storage::RunField& field : m_shown)
        shown.append(idOf(field));
    return QJsonDocument(QJsonObject {{QStringLiteral("fields"), fields}, {QStringLiteral("shown"), shown},
        {QStringLiteral("header"), QString::fromLatin1(state.toBase64())}}).toJson(QJsonDocument::Compact);
}

void RunsView::restoreHeader(const QByteArray& state)
{
    const QJsonObject stored = QJsonDocument::fromJson(state).object();
    const auto fieldsIn = [&](const char* key) {
        std::vector<storage::RunField> fields;
        for (const QJsonValue& id : stored.value(QLatin1String(key)).toArray()) {
            const auto field = fieldFromId(id.toString());
            if (field && std::ranges::find(fields, *field) == fields.end())
                fields.push_back(*field);
        }
        return fields;
    };
    // The header's own state is that of all fields, also of those that a filter compared.
    QHeaderView* const header = m_table->header();
    m_isFitting = true;
    m_model.setFields(fieldsIn("fields"));
    m_shown = fieldsIn("shown");
    const QByteArray sections = QByteArray::fromBase64(stored.value(QStringLiteral("header")).toString().toLatin1());
    const bool isRestored = !sections.isEmpty() && header->restoreState(sections);
    m_isFitting = false;
    for (int column = 0; isRestored && column < RunsModel::BuiltInCount; ++column) {
        if (!header->isSectionHidden(column))
            m_widths.insert(column, header->sectionSize(column));
    }
    if (isRestored)
        m_sized.insert(m_shown.begin(), m_shown.end());
    updateFields();
}

}  // namespace ui
