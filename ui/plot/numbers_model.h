// The numbers of a plot as a table: a row a step, a column a line.
#pragma once
#include "ui/plot/drawn_line.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <vector>

namespace ui {

class NumbersModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Steps that were only added at the end are appended as rows; anything else is a new table.
    void setLines(const std::vector<DrawnLine>& lines);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Column {
        std::size_t line = 0;
        bool isSmoothed = false;
        bool operator==(const Column&) const = default;
    };
    std::vector<Column> columnsOf(const std::vector<DrawnLine>& lines) const;
    bool isSameTable(const std::vector<DrawnLine>& lines) const;

    std::vector<DrawnLine> m_lines;
    std::vector<Column> m_columns;
    std::vector<std::int64_t> m_steps;
};

}  // namespace ui
