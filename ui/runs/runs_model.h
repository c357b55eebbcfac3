// All runs as a table model. Rows are updated without a reset, so views keep their selection and scroll position.
//
// [Note: columns of runs]
// The model has all built-in columns, which the view shows or hides, and after them one for each of fields(): options and
// metrics that the user has chosen, and those that the filter compares and that the view hides. FieldReader reads their values.
#pragma once
#include "ui/base/selection.h"
#include "ui/runs/run_entry.h"

#include <QAbstractTableModel>
#include <QHash>

#include <string>
#include <unordered_map>
#include <vector>

namespace ui {

class RunsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Drawn, Name, State, Progress, Loss, Age, Started, Project, Tags, Notes, Ranks, Attempts, BuiltInCount };
    enum Role {
        SortRole = Qt::UserRole,
        IdRole,        ///< QString
        StateRole,     ///< int of launcher::RunState; invalid QVariant while unknown
        ProgressRole,  ///< double, 0 … 1
        LookRole,      ///< Look (ui/base/line_look.h); invalid QVariant: not drawn
        ArchivedRole,  ///< bool
    };

    /// @param selection must outlive this.
    explicit RunsModel(Selection& selection, QObject* parent = nullptr);

    /// Replaces the rows from the database; runs that remain keep their status.
    void setRows(std::vector<storage::RunRow> rows);
    /// Updates the rows of runs that the model has and adds those of others.
    void updateRows(std::vector<storage::RunRow> rows);
    /// No-op for an unknown run.
    void setStatus(const QString& id, const launcher::RunStatus& status);
    /// Adds and removes columns; those that remain keep their place and their values.
    void setFields(const std::vector<storage::RunField>& fields);
    const std::vector<storage::RunField>& fields() const { return m_fields; }
    /// The column of @p field; -1 when the model does not have it.
    int columnOf(const storage::RunField& field) const;
    /// Replaces the values of all runs. No-op for a field that the model does not have (any more).
    void setValues(const storage::RunField& field, const std::vector<storage::RunValue>& values);
    /// Replaces the values of one run; fields that @p values leaves out have none. No-op for an unknown run.
    void setValuesOf(const QString& id, const std::vector<std::pair<storage::RunField, storage::RunValue>>& values);

    /// Emits ticked(). RunWatch calls it every second.
    void tick() { Q_EMIT ticked(); }

    /// nullptr when there is no such run. Invalidated by the next setRows().
    const RunEntry* entry(const QString& id) const;
    const std::vector<RunEntry>& entries() const { return m_entries; }
    /// The order of two runs by @p column, ascending.
    bool isBefore(int row, int otherRow, int column) const;
    /// The place of each row in that order; the same for rows of which none is before the other. Sorting by it compares integers.
    std::vector<int> placesBy(int column) const;
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
    /// Runs were added or removed.
    void runsChanged();
    /// fields() has changed.
    void fieldsChanged();
    /// Emitted every second, for views that show ages. It stands for dataChanged() of the ages, after which a sorted and
    /// filtered view would look at all rows.
    void ticked();

private:
    void removeMissing(const std::vector<storage::RunRow>& rows);
    std::vector<bool> missingRows(const std::vector<storage::RunRow>& rows) const;
    void moveToEnd(const std::vector<bool>& isMoved);
    void removeBlock(int first, int last);
    void append(std::vector<storage::RunRow> rows);
    void rebuildIndex();
    void recountNames();
    void emitRowChanged(int row);
    bool setValue(RunEntry& entry, std::size_t field, const storage::RunValue* value) const;
    const FieldValue& valueIn(const RunEntry& entry, int column) const;
    QVariant text(const RunEntry& entry, int column) const;
    QVariant copied(const RunEntry& entry, int column) const;
    QVariant toolTip(const RunEntry& entry, int column) const;
    QVariant sortKey(const RunEntry& entry, int column) const;

    Selection& m_selection;
    std::vector<storage::RunField> m_fields;
    std::vector<RunEntry> m_entries;
    QHash<QString, int> m_rows;  ///< id → row
    std::unordered_map<std::string, int> m_names;  ///< how many runs have each
};

}  // namespace ui
