// The rows of the queue's plan: a run each, when it starts and ends, and its bar over time.
#pragma once
#include "launcher/scheduler/queue_plan.h"
#include "ui/runs/runs_model.h"

#include <QAbstractTableModel>

#include <chrono>
#include <optional>
#include <vector>

namespace ui {

class QueuePlanModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Run, State, Bar, Starts, Ends, Basis, ColumnCount };

    /// @p runs, which knows names and states, must outlive this.
    explicit QueuePlanModel(const RunsModel& runs, QObject* parent = nullptr);

    /// @param nowUnixMs when the plan was made
    void setPlan(const std::vector<launcher::PlanBar>& bars, std::int64_t nowUnixMs);

    const launcher::PlanBar& bar(int row) const { return m_bars[static_cast<std::size_t>(row)]; }
    QString runId(int row) const { return QString::fromStdString(bar(row).run); }
    launcher::RunState stateOf(int row) const;  ///< the one whose colour the bar has
    /// From now until the last moment that the plan knows, and some more.
    std::chrono::milliseconds span() const { return m_span; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(int row, int column) const;
    /// "digits waits; it starts in 12 min (14:05), ends in 48 min (14:41), by a trial."
    QString sentence(int row) const;
    QString moment(std::chrono::milliseconds fromNow) const;

    const RunsModel& m_runs;
    std::vector<launcher::PlanBar> m_bars;
    std::int64_t m_nowUnixMs = 0;
    std::chrono::milliseconds m_span {1};
};

}  // namespace ui
