#include "ui/runs/run_columns.h"

#include "ui/base/check_menu.h"
#include "ui/runs/columns_dialog.h"

#include <QEvent>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

QJsonArray idsOf(const std::vector<storage::RunField>& fields)
{
    QJsonArray ids;
    for (const storage::RunField& field : fields)
        ids.append(idOf(field));
    return ids;
}

std::vector<storage::RunField> fieldsIn(const QJsonValue& ids)
{
    std::vector<storage::RunField> fields;
    for (const QJsonValue& id : ids.toArray()) {
        const auto field = fieldFromId(id.toString());
        if (field && std::ranges::find(fields, *field) == fields.end())
            fields.push_back(*field);
    }
    return fields;
}

}  // namespace

RunColumns::RunColumns(RunsModel& model, const FieldReader& fields, QTreeView& table)
    : QObject(&table)
    , m_model(model)
    , m_fields(fields)
    , m_table(table)
    , m_header(table.header())
{
    m_table.viewport()->installEventFilter(this);
    m_header->setStretchLastSection(false);
    m_header->setSectionsMovable(true);
    m_header->setMinimumSectionSize(28);
    setupWidths();
    m_header->setSectionResizeMode(RunsModel::Drawn, QHeaderView::Fixed);
    m_table.sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    for (int column = RunsModel::State; column < RunsModel::BuiltInCount; ++column)
        m_header->setSectionHidden(column, column >= RunsModel::Age);
    m_header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_header, &QWidget::customContextMenuRequested, this, &RunColumns::openMenu);
    connect(m_header, &QHeaderView::sectionResized, this, [this](int column, int from, int width) {
        if (m_isFitting)
            return;
        if (from == 0 || width == 0)  // it appears, or is being hidden
            QMetaObject::invokeMethod(this, &RunColumns::fit, Qt::QueuedConnection);
        if (width == 0)
            return;
        if (column < RunsModel::BuiltInCount)
            m_widths.insert(column, width);
        Q_EMIT changed();
    });
    connect(m_header, &QHeaderView::sectionMoved, this, &RunColumns::changed);
    connect(m_header, &QHeaderView::sortIndicatorChanged, this, &RunColumns::changed);
}

void RunColumns::setupWidths()
{
    const int digit = m_table.fontMetrics().horizontalAdvance(QLatin1Char('0'));
    const std::initializer_list<std::pair<int, int>> widths = {{RunsModel::Drawn, 4}, {RunsModel::Name, 18},
        {RunsModel::State, 13}, {RunsModel::Progress, 13}, {RunsModel::Loss, 10}, {RunsModel::Age, 12},
        {RunsModel::Started, 18}, {RunsModel::Project, 12}, {RunsModel::Tags, 14}, {RunsModel::Notes, 20},
        {RunsModel::Ranks, 8}, {RunsModel::Attempts, 10}};
    for (const auto& [column, digits] : widths) {
        m_header->resizeSection(column, digits * digit);
        m_usualWidths.insert(column, digits * digit);
    }
    m_widths = m_usualWidths;
}

/// Where the columns have no room in their wanted widths, makes some of them narrower, so that none is out of sight: the progress first, then the loss,
/// the state down to its commonest words, and the names to some ten letters; then state and names once more. Room that is left goes to the names.
/// Widths that the user has chosen stay.
void RunColumns::fit()
{
    const int digit = m_table.fontMetrics().horizontalAdvance(QLatin1Char('0'));
    int missing = -m_table.viewport()->width();
    for (int column = 0; column < m_model.columnCount(); ++column)
        missing += m_header->isSectionHidden(column) ? 0 : m_widths.value(column, m_header->sectionSize(column));
    const std::initializer_list<std::pair<int, int>> leastWidths = {{RunsModel::Progress, 6}, {RunsModel::Loss, 8}, {RunsModel::State, 10},
        {RunsModel::Name, 12}, {RunsModel::State, 6}, {RunsModel::Name, 8}};
    QHash<int, int> fitting;
    for (const auto& [column, leastDigits] : leastWidths) {
        const int wanted = m_widths.value(column);
        if (m_header->isSectionHidden(column) || wanted != m_usualWidths.value(column))
            continue;
        const int before = fitting.value(column, wanted), given = std::clamp(missing, 0, std::max(0, before - leastDigits * digit));
        fitting.insert(column, before - given);
        missing -= given;
    }
    if (missing < 0 && fitting.contains(RunsModel::Name))
        fitting[RunsModel::Name] -= missing;
    m_isFitting = true;
    for (const auto& [column, width] : fitting.asKeyValueRange())
        m_header->resizeSection(column, width);
    m_isFitting = false;
}

bool RunColumns::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        fit();
    return QObject::eventFilter(watched, event);
}

void RunColumns::setCompared(const std::vector<storage::RunField>& fields)
{
    m_compared = fields;
    updateFields();
}

std::vector<storage::RunField> RunColumns::wantedFields() const
{
    std::vector<storage::RunField> fields = m_shown;
    for (const storage::RunField& field : m_compared) {
        if (std::ranges::find(fields, field) == fields.end())
            fields.push_back(field);
    }
    return fields;
}

/// Gives the model the fields that are shown and those that the filter compares, and hides the columns of the latter.
void RunColumns::updateFields()
{
    m_isFitting = true;  // widths that the header gives to new columns are not the user's
    const int sortColumn = m_header->sortIndicatorSection();
    std::optional<storage::RunField> sortField;
    if (sortColumn >= RunsModel::BuiltInCount)
        sortField = m_model.fields()[std::size_t(sortColumn - RunsModel::BuiltInCount)];
    m_model.setFields(wantedFields());
    QItemSelectionModel* const selection = m_table.selectionModel();
    selection->select(selection->selection(), QItemSelectionModel::Select | QItemSelectionModel::Rows);  // in new columns, too
    showFields();
    m_isFitting = false;
    sortBy(sortField, sortColumn);
    fit();
}

void RunColumns::showFields()
{
    const QFontMetrics metrics = m_table.fontMetrics();
    const int digit = metrics.horizontalAdvance(QLatin1Char('0'));
    for (const storage::RunField& field : m_model.fields()) {
        const int column = m_model.columnOf(field);
        const bool isShown = std::ranges::find(m_shown, field) != m_shown.end();
        if (isShown != m_header->isSectionHidden(column) && m_sized.contains(field))
            continue;
        m_header->setSectionHidden(column, !isShown);
        if (isShown && m_sized.insert(field).second)
            m_header->resizeSection(column, std::clamp(metrics.horizontalAdvance(titleOf(field)) + 3 * digit, 8 * digit, 20 * digit));
    }
}

/// Sorts by @p field, or by @p column if it is none. Called also when the column is where it was: QSortFilterProxyModel forgets how it
/// sorts when any column is removed while its source's first row is filtered out.
void RunColumns::sortBy(const std::optional<storage::RunField>& field, int column)
{
    const int columnNow = field ? m_model.columnOf(*field) : column;
    if (columnNow < 0)
        m_table.sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    else
        m_table.sortByColumn(columnNow, m_header->sortIndicatorOrder());
}

void RunColumns::setColumnShown(RunsModel::Column column, bool isShown)
{
    if (column < RunsModel::State || m_header->isSectionHidden(column) != isShown)
        return;
    m_header->setSectionHidden(column, !isShown);
    fit();
    Q_EMIT changed();
}

void RunColumns::setFieldShown(const storage::RunField& field, bool isShown)
{
    const auto found = std::ranges::find(m_shown, field);
    if (isShown == (found != m_shown.end()))
        return;
    if (isShown)
        m_shown.push_back(field);
    else
        m_shown.erase(found);
    updateFields();
    Q_EMIT changed();
}

void RunColumns::choose()
{
    auto* dialog = new ColumnsDialog(m_model, m_fields, &m_table);
    for (int column = RunsModel::State; column < RunsModel::BuiltInCount; ++column)
        dialog->setChecked(RunsModel::Column(column), !m_header->isSectionHidden(column));
    for (const storage::RunField& field : m_shown)
        dialog->setChecked(field);
    connect(dialog, &ColumnsDialog::columnToggled, this, &RunColumns::setColumnShown);
    connect(dialog, &ColumnsDialog::fieldToggled, this, &RunColumns::setFieldShown);
    dialog->open();
}

/// The menu of the header, which shows and hides columns.
void RunColumns::openMenu(const QPoint& position)
{
    auto* menu = new CheckMenu(m_header);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto addToggle = [&](int column, bool isShown) {
        QAction* const toggle = menu->addAction(m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        toggle->setCheckable(true);
        toggle->setChecked(isShown);
        return toggle;
    };
    for (int column = RunsModel::State; column < RunsModel::BuiltInCount; ++column)
        connect(addToggle(column, !m_header->isSectionHidden(column)), &QAction::toggled, this,
            [this, column](bool isShown) { setColumnShown(RunsModel::Column(column), isShown); });
    for (const storage::RunField& field : m_shown)
        connect(addToggle(m_model.columnOf(field), true), &QAction::toggled, this,
            [this, field](bool isShown) { setFieldShown(field, isShown); });
    menu->addSeparator();
    connect(menu->addAction(tr("Options and metrics…")), &QAction::triggered, this, &RunColumns::choose);
    menu->popup(m_header->mapToGlobal(position));
}

// The widths to keep are those that the user wants, not those that had room.
QByteArray RunColumns::state()
{
    m_isFitting = true;
    for (const int column : {RunsModel::Name, RunsModel::State, RunsModel::Progress, RunsModel::Loss}) {
        if (!m_header->isSectionHidden(column))
            m_header->resizeSection(column, m_widths.value(column));
    }
    const QByteArray sections = m_header->saveState();
    fit();
    return QJsonDocument(QJsonObject {{QStringLiteral("fields"), idsOf(m_model.fields())}, {QStringLiteral("shown"), idsOf(m_shown)},
        {QStringLiteral("header"), QString::fromLatin1(sections.toBase64())}}).toJson(QJsonDocument::Compact);
}

void RunColumns::restore(const QByteArray& state)
{
    const QJsonObject stored = QJsonDocument::fromJson(state).object();
    // The header's own state is that of all fields, also of those that a filter compared.
    m_isFitting = true;
    m_model.setFields(fieldsIn(stored.value(QStringLiteral("fields"))));
    m_shown = fieldsIn(stored.value(QStringLiteral("shown")));
    const QByteArray sections = QByteArray::fromBase64(stored.value(QStringLiteral("header")).toString().toLatin1());
    const bool isRestored = !sections.isEmpty() && m_header->restoreState(sections);
    m_isFitting = false;
    for (int column = 0; isRestored && column < RunsModel::BuiltInCount; ++column) {
        if (!m_header->isSectionHidden(column))
            m_widths.insert(column, m_header->sectionSize(column));
    }
    if (isRestored)
        m_sized.insert(m_shown.begin(), m_shown.end());
    updateFields();
}

}  // namespace ui
