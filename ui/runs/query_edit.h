// The line in which a filter of the runs is typed, with what is wrong with it below.
#pragma once
#include "ui/runs/run_query.h"

#include <QWidget>

#include <optional>

class QLabel;
class QLineEdit;

namespace ui {

class QueryEdit : public QWidget {
    Q_OBJECT
public:
    explicit QueryEdit(QWidget* parent = nullptr);

    QString text() const;
    void setText(const QString& text);
    /// Takes the focus, with the text selected.
    void focusText();
    /// Shows what is wrong with the text and underlines it; nullopt: nothing is.
    void showProblem(const std::optional<RunQuery::Problem>& problem);

Q_SIGNALS:
    void textChanged();

private:
    QLineEdit* m_edit;
    QLabel* m_problem;
};

}  // namespace ui
