// Keeps the drawn lines up to date with the store.
//
// At most one query is in flight, at most 30 start per second, and none while the feed is inactive. A query is about the runs
// that have changed. It ends
// only after its smoothing task, so no points are added to the lines while that task reads them on its thread.
#pragma once
#include "ui/plot/lines/derived_lines.h"
#include "ui/plot/lines/line_detail.h"
#include "ui/plot/lines/line_loader.h"
#include "ui/store/index_error.h"
#include "ui/store/store_service.h"

#include <QElapsedTimer>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ui {

class PlotFeed : public QObject {
    Q_OBJECT
public:
    struct Limits {
        std::int64_t heldWhole = 4'000'000;  ///< points of a series that is not thinned
        std::int64_t detail = 2'000'000;     ///< points of all parts that detailOf() returns
    };
    explicit PlotFeed(StoreService& service, QObject* parent = nullptr);
    PlotFeed(StoreService& service, const Limits& limits, QObject* parent = nullptr);
    ~PlotFeed() override;

    void setRuns(const std::vector<std::string>& runs);
    void setMetrics(const std::set<std::string>& metrics);
    void setSmoothing(const Smoothing& smoothing);
    /// With a run, lines() are the differences of the other runs from it, see [Note: differences]; empty: lines as they are.
    void setBaseline(const std::string& run);
    /// Unless there is a baseline, lines() are the means of groups of runs, see [Note: groups]; by nothing: lines as they are.
    void setGrouping(const Grouping& grouping);
    /// The one that lines() and RunInfo::group follow by now.
    const Grouping& grouping() const { return m_derived.recipe().grouping; }
    /// While inactive (the initial state), nothing is fetched.
    void setActive(bool isActive);
    void retry();
    /// Stops reading; error() then says so, and retry() or a change of the runs or of what is chosen reads again.
    void cancel();

    /// What is seen of the lines: of those that are thinned, all points of that part are read, if they are not too many.
    void setView(XAxis axis, const Interval& x);
    /// What has been read of a thinned line because of setView(); null: nothing.
    std::shared_ptr<const LineDetail> detailOf(const LineKey& key) const;

    using Lines = DerivedLines::Lines;
    const Lines& lines() const { return m_derived.isOn() ? m_derived.lines() : m_lines; }
    /// The lines as they were recorded, whatever lines() are.
    const Lines& recorded() const { return m_lines; }
    /// The runs of setRuns() that the store knows, in that order.
    const std::vector<RunInfo>& runs() const { return m_infos; }
    /// True while some whole lines are still to be fetched.
    bool isLoading() const { return m_isLoading; }
    /// True once the store has answered a query since the runs were last changed.
    bool hasAnswer() const { return m_hasAnswer; }
    /// True while lines() are all that was asked for, as the store had them at the last query, and smoothed.
    bool isUpToDate() const { return m_hasAnswer && !m_isAsking && !m_isStale; }
    /// Why the last query failed; empty when it succeeded.
    const QString& error() const { return m_error; }
    /// The same for a view's frame, with the button [Retry]. @param sentence says what could not be read; %1 in it stands for the reason
    std::optional<ViewError> viewError(const QString& sentence);

Q_SIGNALS:
    /// Lines, runs, loading or error may have changed. Emitted at most 30 times a second.
    void updated();

private:
    void ask();
    void askSoon();
    void askAllSoon();
    void takeChanges(const storage::Changes& changes);
    LoadRequest request(const std::vector<std::string>& runs) const;
    void applyGroups(const Grouping& grouping);
    void applyResult(LoadResult& result);
    void takeInfos(std::vector<RunInfo> infos, const std::vector<std::string>& asked);
    void updateDerived();
    void smoothOutdatedLines();
    void smoothElsewhere(std::vector<std::shared_ptr<LineData>> lines);
    void finishQuery();
    void readDetails();
    void dropUnselectedLines();

    StoreService& m_service;
    std::vector<std::string> m_runs;
    std::set<std::string> m_metrics;
    Smoothing m_smoothing;
    Lines m_lines;
    Limits m_limits;
    struct View {
        XAxis axis;
        Interval x;
    };
    std::optional<View> m_view;
    std::map<LineKey, std::shared_ptr<LineDetail>> m_details;  ///< of thinned lines
    QueryTicket m_detailTicket;
    bool m_areDetailsMissing = false;  ///< whole lines have come since they were read
    std::string m_baseline;
    Grouping m_grouping;  ///< as wanted
    DerivedLines m_derived;
    std::vector<RunInfo> m_infos;
    QString m_error;
    bool m_isCancelled = false;  ///< which m_error says
    QTimer m_pace;
    QElapsedTimer m_sinceQuery;
    QThreadPool m_pool;
    std::atomic<bool> m_isClosing = false;
    bool m_isActive = false;
    bool m_isAsking = false;
    bool m_isReading = false;  ///< m_ticket's query has not answered yet
    QueryTicket m_ticket;
    bool m_isStale = true;  ///< something may have changed since the last query was started
    std::set<std::string> m_changed;  ///< the runs in which it has
    bool m_isAllChanged = true;       ///< all of them, or the choice of runs and metrics
    bool m_isLoading = false;
    bool m_hasAnswer = false;
};

}  // namespace ui
