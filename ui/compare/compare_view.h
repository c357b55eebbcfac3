// The tab Compare: what differs between the runs that are drawn.
#pragma once
#include "storage/reports/comparison.h"
#include "ui/base/action_registry.h"
#include "ui/base/selection.h"
#include "ui/base/state_strip.h"
#include "ui/compare/compare_model.h"
#include "ui/store/store_service.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QSortFilterProxyModel;
class QTreeView;

namespace ui {

/// Reads the database only while it is visible, at most once a second. The first run that was drawn is the baseline until the
/// user chooses another one, in Selection::setBaseline().
class CompareView : public QWidget {
    Q_OBJECT
public:
    /// Registers its actions, "compare.copy" …, in @p actions. All must outlive this.
    CompareView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent = nullptr);

    /// Sets the buttons shown while fewer than two runs are drawn.
    void setEmptyActions(const QList<ViewAction>& actions);

    /// What the table shows, as CSV with every digit.
    QString csv() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Answer;
    void registerActions();
    void setupTable();
    void setupControls();
    void askSoon();
    void ask();
    void apply(Answer answer);
    void offerBaselines();
    void fill();
    void updateState();
    void copy();
    void save();
    std::vector<std::string> drawn() const;
    std::optional<std::size_t> baseline() const;

    StoreService& m_service;
    Selection& m_selection;
    ActionRegistry& m_actions;
    QCheckBox* m_onlyDifferent;
    QCheckBox* m_withDeltas;
    QComboBox* m_baseline;
    QLineEdit* m_ignored;
    CompareModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTreeView* m_table;
    ViewFrame* m_frame;
    QTimer m_pace;
    QueryTicket m_ticket;           ///< of the query in flight
    bool m_isAsking = false;
    bool m_isCancelled = false;     ///< the last query was
    bool m_isStale = true;          ///< something may have changed since the last query was started
    storage::Comparison m_found;    ///< everything, before what is equal or ignored is left out
    QStringList m_names;
    std::vector<contract::RunLine> m_lines;            ///< of m_found.runs
    QList<ViewAction> m_emptyActions;
    QString m_error;                ///< of the last query; empty: it succeeded
    QString m_notice;               ///< why the last file could not be written; empty: it was
};

}  // namespace ui
