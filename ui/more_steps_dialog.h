// Asks for the number of steps to add to finished runs.
#pragma once
#include "ui/runs/run_entry.h"

#include <QDialog>

#include <vector>

class QSpinBox;

namespace ui {

/// Deletes itself when closed.
class MoreStepsDialog : public QDialog {
    Q_OBJECT
public:
    /// @param finished must not be empty.
    MoreStepsDialog(const std::vector<RunEntry>& finished, QWidget* parent);

    QSpinBox& steps() { return *m_steps; }

Q_SIGNALS:
    /// The user pressed Resume. @param moreSteps the number of steps to add to each run
    void stepsChosen(int moreSteps);

private:
    QSpinBox* m_steps;
};

}  // namespace ui
