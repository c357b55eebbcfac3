// Draws the bars of the queue's plan, and the time axis above them.
#pragma once
#include "ui/queue/queue_plan_model.h"

#include <QHeaderView>
#include <QStyledItemDelegate>

#include <chrono>
#include <vector>

namespace ui {

/// The time axis in the column of the bars. It begins some time before now, so that now is seen.
class PlanAxis {
public:
    PlanAxis(const QRect& column, std::chrono::milliseconds span);

    /// Times outside are at the edges.
    double x(std::chrono::milliseconds fromNow) const;
    std::chrono::milliseconds begin() const { return m_begin; }
    /// Round times after now, apart by at least @p width pixels.
    std::vector<std::chrono::milliseconds> ticks(double width) const;

private:
    QRect m_column;
    std::chrono::milliseconds m_begin, m_end;
};

/// A run that is active is a filled bar, one that waits a hatched one; without a known end the bar is open at its right and fades. A line shows now.
class PlanBarDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit PlanBarDelegate(const QueuePlanModel& model, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const QueuePlanModel& m_model;
};

class PlanHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit PlanHeader(const QueuePlanModel& model, QWidget* parent = nullptr);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;

private:
    const QueuePlanModel& m_model;
};

}  // namespace ui
