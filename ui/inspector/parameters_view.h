// The tabs of the inspector that list the inspected run's options: all, or those that differ from a chosen attempt.
#pragma once
#include "ui/inspector/parameter_table.h"
#include "ui/inspector/run_facts.h"

#include <QWidget>

#include <map>
#include <vector>

class QComboBox;
class QLineEdit;
class QSortFilterProxyModel;
class QTreeView;

namespace ui {

class ViewFrame;

class ParametersView : public QWidget {
    Q_OBJECT
public:
    enum class Show { All, Differences };

    explicit ParametersView(Show rows, QWidget* parent = nullptr);

    void show(const RunFacts& facts);
    /// Selects the row of the option @p key, and takes away a filter that hides it. No-op when there is no such row.
    void reveal(const QString& key);
    QTreeView& table() const { return *m_view; }
    /// Copies the selected options to the clipboard, "optim.lr = 0.001" a line.
    void copySelected() const;

private:
    void offerAttempts();
    void fill();

    const Show m_shownRows;
    std::map<int, std::vector<storage::ParameterRow>> m_parameters;  ///< by attempt
    QComboBox* m_comparedWith;  ///< item data: number of the attempt, 0 for the defaults
    QLineEdit* m_search;
    ParameterTable* m_table;
    QSortFilterProxyModel* m_filter;
    QTreeView* m_view;
    ViewFrame* m_frame;
};

}  // namespace ui
