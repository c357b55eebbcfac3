// The inspected run's options: all of them, or only what differs.
#pragma once
#include "ui/inspector/parameter_table.h"
#include "ui/inspector/run_facts.h"

#include <QWidget>

class QCheckBox;
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

    explicit ParametersView(Show what, QWidget* parent = nullptr);

    void show(const RunFacts& facts);

private:
    void offerAttempts(const RunFacts& facts);
    void fill();
    void copySelected() const;

    const Show m_what;
    RunFacts m_facts;
    QComboBox* m_with;  ///< data: attempt, 0 for the defaults
    QLineEdit* m_search;
    ParameterTable* m_table;
    QSortFilterProxyModel* m_filter;
    QTreeView* m_view;
    ViewFrame* m_frame;
};

}  // namespace ui
