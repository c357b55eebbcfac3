// The tab Plots: linked plots of the runs that are drawn.
#pragma once
#include "ui/base/selection.h"
#include "ui/base/store_service.h"
#include "ui/plot/plot_feed.h"
#include "ui/plot/plot_groups.h"
#include "ui/plot/plot_link.h"

#include <QWidget>

#include <optional>
#include <set>
#include <string>
#include <vector>

class QGridLayout;
class QScrollArea;

namespace ui {

class PlotPanel;
class PlotsToolbar;
class ViewFrame;

class PlotsView : public QWidget {
    Q_OBJECT
public:
    /// Both must outlive this.
    PlotsView(StoreService& service, Selection& selection, QWidget* parent = nullptr);
    ~PlotsView() override;

    PlotLink& link() { return m_link; }
    const std::vector<PlotPanel*>& panels() const { return m_panels; }

    /// Which metrics have a plot; none given: the usual ones.
    void chooseMetrics(const std::optional<std::set<std::string>>& metrics);
    const std::optional<std::set<std::string>>& chosenMetrics() const { return m_chosen; }

    /// Shown below the plots while a drawn run is silent: "Last record 14 s ago"; empty: none is.
    void setStale(const QString& sentence);

    /// Something to do while no run is drawn: buttons for the empty view, "Show digits-…".
    QSize sizeHint() const override;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void takeSelection();
    void takeFeed();
    void showState();
    void setGroups(const std::vector<PlotGroup>& groups);
    void arrange();
    Interval extentOf() const;

    StoreService& m_service;
    Selection& m_selection;
    PlotLink m_link;
    PlotFeed m_feed;
    PlotsToolbar* m_toolbar;
    QScrollArea* m_scroll;
    QWidget* m_page;
    QGridLayout* m_grid;
    ViewFrame* m_frame;
    std::vector<PlotPanel*> m_panels;
    std::optional<std::set<std::string>> m_chosen;
    QString m_stale;
    int m_columns = 0;
};

}  // namespace ui
