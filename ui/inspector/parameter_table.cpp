#include "ui/inspector/parameter_table.h"

#include "engine/contract/experiment/options.h"
#include "ui/base/plain_text.h"
#include "ui/language/outside_text.h"

#include <QFont>

#include <algorithm>
#include <map>

namespace ui {
namespace {

/// Index of the option in the declaration order; unknown keys come after all options.
std::size_t position(const std::string& key)
{
    const auto options = contract::options();
    return std::size_t(std::ranges::find(options, key, &contract::Option::key) - options.begin());
}

}  // namespace

void ParameterTable::setRows(std::vector<Row> rows)
{
    if (rows == m_rows)
        return;
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int ParameterTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int ParameterTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ParameterTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    const QString& text = index.column() == Key ? row.key : index.column() == Value ? row.value : row.other;
    switch (role) {
    case Qt::DisplayRole:
        return text;
    case Qt::FontRole: {
        QFont font;
        font.setBold(row.differs() && index.column() == Value);
        return font;
    }
    case Qt::ToolTipRole:
        if (const contract::Option* const option = contract::findOption(row.key.toStdString()))
            return plainToolTip(tr("%1: %2").arg(
                text, translatedText(option->help)));
        return plainToolTip(text);
    default:
        return {};
    }
}

QVariant ParameterTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Key ? tr("Option") : section == Value ? tr("This run") : tr("Compared with");
}

std::vector<ParameterTable::Row> compareParameters(
    const std::vector<storage::ParameterRow>& values, const std::vector<storage::ParameterRow>& others)
{
    std::map<std::pair<std::size_t, std::string>, ParameterTable::Row> byPosition;
    const auto rowOf = [&byPosition](const std::string& key) -> ParameterTable::Row& {
        ParameterTable::Row& row = byPosition[{position(key), key}];
        row.key = QString::fromStdString(key);
        return row;
    };
    for (const storage::ParameterRow& value : values)
        rowOf(value.key).value = QString::fromStdString(value.value);
    for (const storage::ParameterRow& other : others)
        rowOf(other.key).other = QString::fromStdString(other.value);
    std::vector<ParameterTable::Row> rows;
    for (auto& [order, row] : byPosition)
        rows.push_back(std::move(row));
    return rows;
}

std::vector<storage::ParameterRow> defaultParameters()
{
    std::vector<storage::ParameterRow> rows;
    for (const contract::Option& option : contract::options())
        rows.push_back({std::string(option.key), contract::toText(option.defaultValue)});
    return rows;
}

}  // namespace ui
