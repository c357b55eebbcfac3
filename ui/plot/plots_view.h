// The tab Plots: linked plots of the drawn runs.
#pragma once
#include "ui/base/selection.h"
#include "ui/base/state_strip.h"
#include "ui/plot/canvas/drawn_line.h"
#include "ui/plot/layout/plot_arrangement.h"
#include "ui/plot/layout/plot_view_state.h"
#include "ui/plot/lines/moment.h"
#include "ui/plot/lines/plot_feed.h"
#include "ui/store/store_service.h"

#include <QWidget>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ui {

class PlotGrid;
class PlotPanel;
class PlotsToolbar;

class PlotsView : public QWidget {
    Q_OBJECT
public:
    /// @p service and @p selection must outlive this. @param limits how many points are held
    PlotsView(StoreService& service, Selection& selection, QWidget* parent = nullptr, const PlotFeed::Limits& limits = {});
    ~PlotsView() override;

    PlotViewState& viewState() { return m_viewState; }
    PlotGrid& grid() { return *m_grid; }
    /// Opens the menu of what runs are grouped by.
    void openGroups();
    const std::vector<PlotPanel*>& panels() const;

    /// Whether the plots show all that the store has of the drawn runs, smoothed; false while anything of it is being read.
    bool isUpToDate() const { return m_feed.isUpToDate(); }
    /// Why the curves could not be read, in one sentence; empty: they could.
    const QString& error() const { return m_feed.error(); }

    /// Sets the buttons shown while no run is drawn, e.g. [New experiment] [Run the digits demo] where there are no runs.
    void setEmptyActions(const QList<ViewAction>& actions);
    /// Sets whether the metrics of the drawn runs are shown elsewhere, so that they are read although the plots are not in sight.
    void setMetricsShown(bool areShown);
    /// Whether the data home has any run, drawn or not; true until this is called.
    void setHasRuns(bool hasRuns);

    /// What the user has chosen here, for the next session.
    PlotChoices choices() const;
    void setChoices(const PlotChoices& choices);

    /// Sets which metrics have a plot; nullopt: the default ones. None of their plots is hidden.
    void chooseMetrics(const std::optional<std::set<std::string>>& metrics);
    const PlotArrangement& arrangement() const { return m_arrangement; }
    /// Adds these to the metrics that have a plot, their plots at the place of plot @p before; at the end when that is none.
    void addMetrics(const QStringList& names, const std::string& before);
    /// Draws these in plot @p id, and no longer where they were.
    void joinMetrics(const QStringList& names, const std::string& id);
    /// Draws these in their usual plots again.
    void separateMetrics(const QStringList& names);
    /// Moves a plot to the place of another one; to the end when @p before is none.
    void movePlot(const std::string& id, const std::string& before);
    void hidePlot(const std::string& id);
    void showHiddenPlots();
    std::size_t hiddenPlots() const;

    /// The moment of @p runId at the cursor; nullopt while there is no cursor, or nothing is drawn of the run.
    std::optional<Moment> momentOf(const QString& runId) const;
    /// Pins the cursor where @p runId was at @p wallSeconds since 1970. No-op when nothing is drawn of the run.
    void pinTime(const QString& runId, double wallSeconds);
    /// The same, where it was at @p step.
    void pinStep(const QString& runId, std::int64_t step);

    /// Sets the text below the plots that says since when a drawn run has recorded nothing: "Last record 14 s ago";
    /// empty: no text.
    void setStale(const QString& sentence);
    /// Sets whether all drawn runs have ended, so that nothing comes any more.
    void setEnded(bool haveEnded);

    QSize sizeHint() const override;

Q_SIGNALS:
    void choicesChanged();
    /// The lines may have changed, isUpToDate() and error() too.
    void linesShown();
    /// @param all metrics of the drawn runs. @param chosen those that have a plot
    void metricsListed(const std::set<std::string>& all, const std::set<std::string>& chosen);
    void plotsListed(const std::vector<ui::PlotGroup>& plots);
    /// The user wants to choose how the lines of these runs are drawn.
    void lineRequested(const QStringList& runIds);
    /// The user wants to find metrics.
    void metricsRequested();
    /// The result of something that the user asked for, in one sentence.
    void statusMessage(const QString& sentence);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void applySelection();
    void applyBaseline();
    std::set<std::string> shownMetrics() const;
    void rearrange();
    QString derivedSentence() const;
    void readDifferingOptions();
    std::vector<DrawnRunName> drawnNames() const;
    QStringList runsOf(const QStringList& lines) const;
    void applyFeed();
    std::vector<DrawnLine> withDetails(std::vector<DrawnLine> lines) const;
    void pinWanted();
    void inspectOneOf(const QStringList& lines);
    void showState();
    Interval extentOf() const;

    StoreService& m_service;
    Selection& m_selection;
    PlotViewState m_viewState;
    PlotFeed m_feed;
    bool m_areMetricsShown = false;  ///< elsewhere
    QTimer m_settle;  ///< since the view has moved
    PlotsToolbar* m_toolbar;
    PlotGrid* m_grid;
    ViewFrame* m_frame;
    PlotArrangement m_arrangement;
    struct WantedStep {
        QString run;
        std::int64_t step = 0;
    };
    std::optional<WantedStep> m_wantedStep;  ///< to be pinned when the run's points are there
    QString m_stale;
    QList<ViewAction> m_emptyActions;
    bool m_hasRuns = true;
};

}  // namespace ui
