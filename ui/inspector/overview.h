// The inspector's overview: state, cause, progress, newest values and attempts of the inspected run.
#pragma once
#include "ui/inspector/run_facts.h"
#include "ui/runs/run_entry.h"

#include <QHash>
#include <QWidget>

class QGridLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace ui {

class StateBadge;

class Overview : public QWidget {
    Q_OBJECT
public:
    explicit Overview(QWidget* parent = nullptr);

    /// @p entry may be newer than @p facts. While @p facts are of another run, only the values from @p entry are updated, and
    /// the others are replaced by "…".
    void show(const RunEntry& entry, const RunFacts& facts);

Q_SIGNALS:
    /// The user pressed Resume beside the cause of a run that failed, was killed or was interrupted.
    void resumeRequested(const QString& runId);
    /// The user pressed the button that shows what went wrong.
    void failureRequested(const QString& runId);

private:
    void addRow(const QString& key, const QString& name);
    void setRow(const QString& key, const QString& value, const QString& toolTip = {});
    void showValues(const RunEntry& entry, const RunFacts& facts);
    void showTimes(const RunEntry& entry, const RunFacts& facts);
    void showAttempts(const RunFacts& facts);
    void hideFactsOfOther(const QString& runId);

    StateBadge* m_state;
    QLabel* m_name;
    QLabel* m_cause;
    QPushButton* m_resume;
    QPushButton* m_failure;
    QString m_runId;    ///< of the run that is shown
    QString m_factsOf;  ///< the run whose facts are shown; empty: "…" is shown in their place
    QProgressBar* m_progress;
    QLabel* m_judge;
    QGridLayout* m_grid;
    QHash<QString, QLabel*> m_names;
    QHash<QString, QLabel*> m_values;
};

}  // namespace ui
