// Tries rules on a run: where they fired, or would have fired (N7).
#pragma once
#include "storage/reports/rule_trial.h"
#include "ui/store/store_service.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QTimer;
class QTreeWidget;

namespace ui {

class ViewFrame;

/// Deletes itself when closed.
class RulesDialog : public QDialog {
    Q_OBJECT
public:
    /// @param store must outlive this. @param rules that the run was started with; may be empty
    RulesDialog(StoreService& store, const QString& runId, const QString& name, const QString& rules, QWidget* parent);

    QTreeWidget& firings() { return *m_firings; }

private:
    void check();
    void tryAll(const std::vector<contract::ActingRule>& rules);
    void showTrials(const std::vector<storage::RuleTrial>& trials);

    StoreService& m_store;
    QString m_runId;
    QLineEdit* m_rules;
    QLabel* m_problem;
    QTreeWidget* m_firings;
    ViewFrame* m_frame;
    QTimer* m_pause;  ///< while the user types
    QueryTicket m_ticket;
};

}  // namespace ui
