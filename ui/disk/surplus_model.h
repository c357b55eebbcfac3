// The checkpoints that no rule keeps, as a table model.
#pragma once
#include "ui/checkpoint/surplus_checkpoints.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

class RunsModel;

class SurplusModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Run, Checkpoint, Size, ColumnCount };

    /// @param runs has the names of the runs; must outlive this. Others are shown by their ids
    explicit SurplusModel(const RunsModel& runs, QObject* parent = nullptr);

    /// Resets the model.
    void setCheckpoints(std::vector<SurplusCheckpoint> checkpoints);
    const std::vector<SurplusCheckpoint>& checkpoints() const { return m_checkpoints; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const RunsModel& m_runs;
    std::vector<SurplusCheckpoint> m_checkpoints;
};

}  // namespace ui
