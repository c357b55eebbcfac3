// The runs that lists in the form make, as a table from which they are queued.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/queue/sweep.h"

#include <QDialog>

#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace ui {

class SweepDialog : public QDialog {
    Q_OBJECT
public:
    /// @param experiment with the first value of each of @p lists
    SweepDialog(const contract::Experiment& experiment, const std::vector<launcher::ListedOption>& lists, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The user wants the ticked runs, in the order of the table. The dialog is closed.
    void chosen(const std::vector<contract::Experiment>& experiments);

private:
    void fill(const std::vector<launcher::SweepRun>& runs);
    void check();
    void takeProblems(const std::vector<std::string>& problems);
    void tickAll(bool isTicked);
    std::vector<contract::Experiment> ticked() const;
    void showCount();
    void choose();

    std::vector<contract::Experiment> m_experiments;  ///< of the rows
    bool m_isChecked = false;
    QTreeWidget* m_table;
    QLabel* m_note;
    QPushButton* m_queue;
};

}  // namespace ui
