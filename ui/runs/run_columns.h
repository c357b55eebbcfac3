// The columns of the runs table: which are shown, in which order and how wide, and the menu that chooses them.
#pragma once
#include "ui/runs/field_reader.h"
#include "ui/runs/runs_model.h"

#include <QHash>
#include <QObject>

#include <optional>
#include <set>
#include <vector>

class QHeaderView;
class QTreeView;

namespace ui {

class RunColumns : public QObject {
    Q_OBJECT
public:
    /// Sets up the header of @p table, which shows @p model through a filter and becomes the parent. All must outlive this.
    RunColumns(RunsModel& model, const FieldReader& fields, QTreeView& table);

    /// No-op for the columns that are always shown.
    void setColumnShown(RunsModel::Column column, bool isShown);
    void setFieldShown(const storage::RunField& field, bool isShown);
    /// Sets the fields that a filter compares: the model has them as well, in hidden columns.
    void setCompared(const std::vector<storage::RunField>& fields);
    /// Opens the dialog in which the user chooses the columns.
    void choose();

    /// The columns with their places and widths, and the order of the rows.
    QByteArray state();
    void restore(const QByteArray& state);

Q_SIGNALS:
    /// The user has changed the columns or the order of the rows: state() is another.
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setupWidths();
    void openMenu(const QPoint& position);
    void updateFields();
    std::vector<storage::RunField> wantedFields() const;
    void showFields();
    void sortBy(const std::optional<storage::RunField>& field, int column);
    void fit();

    RunsModel& m_model;
    const FieldReader& m_fields;
    QTreeView& m_table;
    QHeaderView* m_header;
    std::vector<storage::RunField> m_shown;     ///< fields with a column; the model also has m_compared
    std::vector<storage::RunField> m_compared;
    std::set<storage::RunField> m_sized;        ///< fields whose columns have been given a width
    QHash<int, int> m_usualWidths;              ///< by column
    QHash<int, int> m_widths;                   ///< by column: the width that the user wants
    bool m_isFitting = false;                   ///< widths are changed by this, not by the user
};

}  // namespace ui
