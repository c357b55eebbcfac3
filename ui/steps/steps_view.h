// The dock Steps: where the time of the inspected run's steps goes (N13), and how its ranks compare (N4).
#pragma once
#include "ui/base/selection.h"
#include "ui/base/state_strip.h"
#include "ui/plot/lines/plot_feed.h"
#include "ui/steps/step_times.h"
#include "ui/store/store_service.h"

#include <QWidget>

#include <cstdint>
#include <optional>

class QComboBox;
class QLabel;

namespace ui {

class ActionRegistry;
class ChartPanel;
class PartsChart;
class PartsLegend;
class RankMap;

class StepsView : public QWidget {
    Q_OBJECT
public:
    /// Registers its actions, "steps.fit" …, in @p actions. All must outlive this.
    StepsView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent = nullptr);
    ~StepsView() override;

    const PartsChart& chart() const { return *m_chart; }
    const RankMap& map() const { return *m_map; }
    /// Draws both charts along @p axis, or along the steps where the run has no places on it, as imported ones have no samples.
    void setXAxis(XAxis axis);
    /// Marks a step of the inspected run; nullopt: none.
    void showStep(const std::optional<std::int64_t>& step);

Q_SIGNALS:
    /// The user wants to see this step of the inspected run everywhere.
    void stepChosen(std::int64_t step);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void registerActions(ActionRegistry& actions);
    /// The one that has the focus, or else the first.
    ChartPanel& currentPanel() const;
    QWidget* makeParts(const ActionRegistry& actions);
    QWidget* makeMap(const ActionRegistry& actions);
    void applySelection();
    void applyFeed();
    void applyAxis();
    void showMark();
    void choose(double x);
    bool areRoundsShown() const;
    void offerRounds();
    void offerRanks();
    void showParts();
    void showMap();
    void nameCharts();
    void showStraggler();
    void showState();

    Selection& m_selection;
    PlotFeed m_feed;
    bool m_isOutOfSight = false;  ///< lies behind another dock, and is not brought up to date
    XAxis m_wantedAxis = XAxis::Step;
    bool m_isAxisChanging = false;  ///< one of the charts has another axis than the other one
    std::optional<std::int64_t> m_marked;  ///< a step
    StepTimes m_steps;
    StepTimes m_rounds;
    QComboBox* m_what = nullptr;   ///< of Part
    QComboBox* m_rank = nullptr;   ///< whose parts; −1: the mean of all
    QComboBox* m_quantity = nullptr;  ///< of RankQuantity
    QLabel* m_straggler = nullptr;
    PartsLegend* m_legend = nullptr;
    PartsChart* m_chart = nullptr;
    RankMap* m_map = nullptr;
    ChartPanel* m_partsPanel = nullptr;
    ChartPanel* m_mapPanel = nullptr;
    ViewFrame* m_frame = nullptr;
};

}  // namespace ui
