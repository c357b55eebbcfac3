// All runs as a table. Rows are updated in place: the view keeps its place, selection and scroll position.
#pragma once
#include "ui/base/selection.h"
#include "ui/runs/run_entry.h"

#include <QAbstractTableModel>
#include <QHash>

#include <vector>

namespace ui {

class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Drawn, Name, State, Progress, Loss, Age, Started, ColumnCount };
    enum Role {
        SortRole = Qt::UserRole,
        IdRole,        ///< QString
        StateRole,     ///< int of launcher::RunState; invalid while unknown
        ProgressRole,  ///< double, 0 … 1
        LookRole,      ///< int; -1: not drawn
        FilterRole,    ///< QString: everything that the filter searches
        ArchivedRole,  ///< bool
    };

    explicit RunsModel(Selection& selection, QObject* parent = nullptr);

    /// Takes over what the database says; entries that stay keep their status.
    void setRows(std::vector<storage::RunRow> rows);
    void setStatus(const QString& id, const launcher::RunStatus& status);
    /// Ages grow: repaints the age column.
    void tick();

    /// nullptr when there is no such run.
    const RunEntry* entry(const QString& id) const;
    const std::vector<RunEntry>& entries() const { return m_entries; }
    QModelIndex indexOf(const QString& id, int column = Name) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    /// A run's row or status has changed.
    void entryChanged(const QString& id);
    /// Runs came or went.
    void runsChanged();
    /// Another second has passed: what is told by its age is older.
    void ticked();

private:
    void removeMissing(const std::vector<storage::RunRow>& rows);
    void append(std::vector<storage::RunRow> rows);
    void rebuildIndex();
    void changed(int row);
    QVariant text(const RunEntry& entry, int column) const;
    QVariant toolTip(const RunEntry& entry, int column) const;
    QVariant sortKey(const RunEntry& entry, int column) const;

    Selection& m_selection;
    std::vector<RunEntry> m_entries;
    QHash<QString, int> m_rows;  ///< id → row
};

}  // namespace ui
