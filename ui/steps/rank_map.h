// Rank × step, a colour for each value.
#pragma once
#include "ui/plot/layout/plot_groups.h"
#include "ui/steps/step_chart.h"
#include "ui/steps/step_times.h"

#include <QFocusEvent>
#include <QKeyEvent>

namespace ui {

/// What the map shows of a rank's steps.
enum class RankQuantity { Computing, Waiting, StepTime, Memory };

/// A rank's values from times.first() to times.last(): means in milliseconds, or the highest number of bytes. NaN: nothing was recorded.
std::vector<double> rankValues(const StepTimes& times, RankQuantity quantity, int rank);

class RankMap : public StepChart {
    Q_OBJECT
public:
    explicit RankMap(QWidget* parent = nullptr);

    /// @param times is read during the call only
    void setTimes(const StepTimes& times, RankQuantity quantity);

    ChartTable numbers() const override;
    /// "Step time by rank, 8 ranks, step 0 to 412, slowest rank 3". @param title of what is shown of each rank
    QString summary(const QString& title) const;
    /// The rank that the arrows up and down have chosen.
    int currentRank() const { return m_rank; }

    int ranks() const { return m_map->data()->valueSize(); }
    double valueAt(int rank, int bin) const { return m_map->data()->cell(bin, rank - m_firstRank); }

protected:
    QString textAt(double x, double value) const override;
    void applyColours() override;
    double cursorValue() const override { return m_rank; }
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void showCursor();
    int highestRank() const;

    QCPColorMap* m_map;
    QCPColorScale* m_scale;
    QCPItemRect* m_cursor;  ///< around the current rank's values, while the map has the focus
    RankQuantity m_quantity = RankQuantity::StepTime;
    Unit m_unit = Unit::Milliseconds;
    int m_firstRank = 0, m_rank = 0;
    std::int64_t m_firstBin = 0, m_width = 1;
};

}  // namespace ui
