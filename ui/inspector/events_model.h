// The events of a run as a table model, newest last.
#pragma once
#include "storage/store.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

class EventsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Time, Level, Step, Rank, Message, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// Removes the oldest rows and inserts the new ones if @p events go on from those already shown of the same run; otherwise
    /// resets the model.
    void setEvents(const QString& runId, const std::vector<storage::EventRow>& events);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant text(const storage::EventRow& event, int column) const;

    QString m_runId;
    std::vector<storage::EventRow> m_events;
};

}  // namespace ui
