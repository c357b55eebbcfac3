// The dialog in which the user chooses the columns of the runs table: built-in ones, options, metrics.
#pragma once
#include "ui/runs/field_reader.h"
#include "ui/runs/runs_model.h"

#include <QDialog>

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace ui {

/// What is checked has effect at once: the dialog emits it and leaves the rest to its owner.
class ColumnsDialog : public QDialog {
    Q_OBJECT
public:
    /// @p model and @p fields must outlive this. Deletes itself when it is closed.
    ColumnsDialog(const RunsModel& model, const FieldReader& fields, QWidget* parent = nullptr);

    // Neither emits a signal.
    void setChecked(RunsModel::Column column, bool isChecked);
    void setChecked(const storage::RunField& field);

Q_SIGNALS:
    void columnToggled(ui::RunsModel::Column column, bool isShown);
    void fieldToggled(const storage::RunField& field, bool isShown);

private:
    void addColumns(const RunsModel& model);
    void addFields(const storage::FieldNames& names);
    QTreeWidgetItem* addGroup(const QString& title);
    void narrow(const QString& text);
    void emitToggled(QTreeWidgetItem* item);

    QLineEdit* m_search;
    QTreeWidget* m_list;
    bool m_isFilling = true;
};

}  // namespace ui
