// A table model of a run's options, each with the value of another attempt or the default to compare with.
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
        QString other;  ///< the value to compare with; empty: the other side does not have the option
        bool operator==(const Row&) const = default;
        bool differs() const { return value != other; }
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// No-op when @p rows equal the current ones; otherwise resets the model.
    void setRows(std::vector<Row> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Row> m_rows;
};

/// One row for every key of either side: declared options in their order, then unknown keys by name.
std::vector<ParameterTable::Row> compareParameters(const std::vector<storage::ParameterRow>& values,
    const std::vector<storage::ParameterRow>& others);

/// All declared options with their default values.
std::vector<storage::ParameterRow> defaultParameters();

}  // namespace ui
