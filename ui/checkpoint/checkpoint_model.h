// The checkpoints of a run as a table model, ordered by step.
#pragma once
#include "ui/checkpoint/checkpoint_measure.h"
#include "ui/checkpoint/listed_checkpoints.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace ui {

class CheckpointModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Step, Time, Size, Loss, ValidationLoss, Measured, Marks, ColumnCount };
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setMeasure(const CheckpointMeasure& measure);
    /// Whether the measure is neither loss, which have columns of their own.
    bool hasMeasureOfItsOwn() const;

    /// @p checkpoints must be ordered as listedCheckpoints() returns them. Resets the model only when @p runId changes; otherwise inserts, removes and
    /// updates rows, so that views keep their selection.
    void setCheckpoints(const QString& runId, const std::vector<ListedCheckpoint>& checkpoints);
    const ListedCheckpoint& checkpoint(int row) const { return m_rows[static_cast<std::size_t>(row)]; }

    /// The one from which the last attempt would go on; -1 if there is none.
    int latestRow() const;
    /// The best row by the measure, or if no row has one, that with the lowest loss; -1 if none is known.
    int bestRow() const { return m_best; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const ListedCheckpoint& row, int column, int number) const;
    QVariant sortKey(const ListedCheckpoint& row, int column, int number) const;
    std::optional<double> metricIn(const ListedCheckpoint& row, int column) const;
    QString marks(int row) const;
    void findBest();

    QString m_runId;
    CheckpointMeasure m_measure;
    std::vector<ListedCheckpoint> m_rows;
    int m_best = -1;
};

/// The value of @p metric at the checkpoint's step; nullopt if it is not known.
std::optional<double> metricOf(const ListedCheckpoint& row, const char* metric);

}  // namespace ui
