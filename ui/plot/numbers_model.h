// The values of a plot as a table: one row per step, one column per line (two when it is smoothed).
#pragma once
#include "ui/plot/canvas/drawn_line.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <vector>

namespace ui {

class NumbersModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Inserts rows when lines have only grown, at a cost that depends on the new steps; resets the model on any other
    /// change.
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
    /// What has been merged into m_steps of one line.
    struct Merged {
        std::vector<LinePiece> pieces;
        std::size_t points = 0;
        std::int64_t lastStep = 0;
    };
    bool hasOnlyGrown(const std::vector<DrawnLine>& lines) const;
    std::vector<std::int64_t> newSteps(const std::vector<DrawnLine>& lines) const;
    void insert(const std::vector<std::int64_t>& steps);
    void rememberMerged();

    std::vector<DrawnLine> m_lines;
    std::vector<Column> m_columns;
    std::vector<std::int64_t> m_steps;
    std::vector<Merged> m_merged;  ///< by line
};

}  // namespace ui
