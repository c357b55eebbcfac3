// The numbers of a chart over steps as a table: a row for each bin, a column for each part or rank.
#pragma once
#include "ui/plot/layout/plot_groups.h"
#include "ui/plot/lines/plot_settings.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <vector>

namespace ui {

struct ChartTable {
    struct Column {
        QString name;
        std::vector<double> values;  ///< one for each bin; NaN: nothing was recorded
    };
    std::vector<Column> columns;
    Unit unit = Unit::Milliseconds;
    std::int64_t firstBin = 0, width = 1;  ///< see StepBins
    XAxis axis = XAxis::Step;

    std::size_t bins() const { return columns.empty() ? 0 : columns.front().values.size(); }
};

class ChartNumbers : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Inserts rows when the table has only grown, so that the current row stays; resets the model on any other change.
    void setTable(ChartTable table);
    const ChartTable& table() const { return m_table; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool isContinuedBy(const ChartTable& table) const;

    ChartTable m_table;
};

}  // namespace ui
