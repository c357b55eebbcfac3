// Options of a run as a table: those of one attempt, or what differs from another attempt or the defaults.
#pragma once
#include "storage/store.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

class ParameterTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Key, Value, Other, ColumnCount };

    struct Row {
        QString key;
        QString value;
        QString other;  ///< what it is compared with; empty: not there
        bool operator==(const Row&) const = default;
        bool differs() const { return value != other; }
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// Nothing happens when the rows are the same as before.
    void setRows(std::vector<Row> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Row> m_rows;
};

/// Every key of either side, in the order of the declared options, then by name.
std::vector<ParameterTable::Row> compareParameters(const std::vector<storage::ParameterRow>& values,
    const std::vector<storage::ParameterRow>& others);

/// The declared options' defaults.
std::vector<storage::ParameterRow> defaultParameters();

}  // namespace ui
