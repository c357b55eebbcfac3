// What occupies the disk, by run and kind of file, as a table model.
#pragma once
#include "launcher/home/disk_usage.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

class RunsModel;

class DiskModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Run, Checkpoints, Samples, Journals, Logs, Other, Total, ColumnCount };
    enum Role { SortRole = Qt::UserRole, ShareRole };  ///< ShareRole: of the column Total, in relation to the largest run, 0 … 1

    /// @param runs has the names of the runs; must outlive this. Others are shown by their ids
    explicit DiskModel(const RunsModel& runs, QObject* parent = nullptr);

    /// Resets the model.
    void setUsage(std::vector<launcher::RunUsage> usage);
    const launcher::RunUsage& usage(int row) const { return m_usage[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const RunsModel& m_runs;
    std::vector<launcher::RunUsage> m_usage;
    std::uint64_t m_largest = 0;
};

}  // namespace ui
