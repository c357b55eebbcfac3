// Rank × step, a colour for each value.
#pragma once
#include "ui/plot/layout/plot_groups.h"
#include "ui/steps/step_chart.h"
#include "ui/steps/step_times.h"

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

    int ranks() const { return m_map->data()->valueSize(); }
    double valueAt(int rank, int bin) const { return m_map->data()->cell(bin, rank - m_firstRank); }

protected:
    QString textAt(double step, double value) const override;
    void applyColours() override;

private:
    QCPColorMap* m_map;
    QCPColorScale* m_scale;
    Unit m_unit = Unit::Milliseconds;
    int m_firstRank = 0;
    std::int64_t m_firstBin = 0, m_width = 1;
};

}  // namespace ui
