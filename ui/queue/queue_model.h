// The rows of the queue dock: the runs that the queue has started, then those that wait, in their order.
#pragma once
#include "ui/queue/queue_watch.h"
#include "ui/runs/runs_model.h"

#include <QAbstractTableModel>

namespace ui {

class QueueModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Place, Run, State, Gpus, WaitsFor, ColumnCount };

    /// @p runs, which knows names and states, must outlive this.
    explicit QueueModel(const RunsModel& runs, QObject* parent = nullptr);

    void setState(const QueueState& state);

    /// The waiting entry in @p row; nullptr for a row of a started run.
    const launcher::QueueEntry* waiting(int row) const;
    QString runId(int row) const;
    int rowOf(const QString& runId) const;  ///< of a waiting run; -1 when it does not wait

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column, const QModelIndex& parent) override;

Q_SIGNALS:
    /// Rows were dropped before the waiting entry @p place.
    void dropped(const QStringList& runs, int place);

private:
    int startedCount() const { return static_cast<int>(m_state.queue.started.size()); }
    QString text(int row, int column) const;
    QString gpus(int row) const;

    const RunsModel& m_runs;
    QueueState m_state;
};

}  // namespace ui
