// The inspected run at a glance: state, cause, progress, newest values, attempts.
#pragma once
#include "ui/inspector/run_facts.h"
#include "ui/runs/run_entry.h"

#include <QHash>
#include <QWidget>

class QGridLayout;
class QLabel;
class QProgressBar;
class QVBoxLayout;

namespace ui {

class StateBadge;

class Overview : public QWidget {
    Q_OBJECT
public:
    explicit Overview(QWidget* parent = nullptr);

    /// @p entry may be newer than @p facts, or of another run while those are read.
    void show(const RunEntry& entry, const RunFacts& facts);

private:
    void addRow(const QString& key, const QString& name);
    void setRow(const QString& key, const QString& value, const QString& toolTip = {});
    void showValues(const RunEntry& entry, const RunFacts& facts);
    void showTimes(const RunEntry& entry, const RunFacts& facts);
    void showAttempts(const RunFacts& facts);

    StateBadge* m_state;
    QLabel* m_name;
    QLabel* m_cause;
    QProgressBar* m_progress;
    QLabel* m_judge;
    QGridLayout* m_grid;
    QHash<QString, QLabel*> m_names;
    QHash<QString, QLabel*> m_values;
};

}  // namespace ui
