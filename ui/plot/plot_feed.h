// Keeps the lines that are drawn up to date with the store.
//
// One question is in flight at a time, at most 30 a second, and none while nobody looks. That alone is what
// lets a smoothing task read the lines on another thread: nothing is added to them meanwhile.
#pragma once
#include "ui/base/store_service.h"
#include "ui/plot/line_loader.h"

#include <QElapsedTimer>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

namespace ui {

class PlotFeed : public QObject {
    Q_OBJECT
public:
    explicit PlotFeed(StoreService& service, QObject* parent = nullptr);
    ~PlotFeed() override;

    void setRuns(const std::vector<std::string>& runs);
    void setMetrics(const std::set<std::string>& metrics);
    void setSmoothing(const Smoothing& smoothing);
    /// While false nothing is fetched.
    void setActive(bool isActive);
    void retry();

    using Lines = std::map<LineKey, std::shared_ptr<LineData>>;
    const Lines& lines() const { return m_lines; }
    /// In the order of setRuns(); only those the store knows.
    const std::vector<RunInfo>& runs() const { return m_infos; }
    bool isLoading() const { return m_isLoading; }
    /// True once the store has answered for the runs asked about.
    bool hasAnswer() const { return m_hasAnswer; }
    const QString& error() const { return m_error; }

Q_SIGNALS:
    /// Lines, runs, loading or error changed. At most 30 times a second.
    void updated();

private:
    void ask();
    void askSoon();
    LoadRequest request() const;
    void take(LoadResult& result);
    void smoothStale();
    void finish();
    void dropUnwanted();

    StoreService& m_service;
    std::vector<std::string> m_runs;
    std::set<std::string> m_metrics;
    Smoothing m_smoothing;
    Lines m_lines;
    std::vector<RunInfo> m_infos;
    QString m_error;
    QTimer m_pace;
    QElapsedTimer m_sinceAsked;
    QThreadPool m_pool;
    bool m_isActive = false;
    bool m_isAsking = false;
    bool m_isStale = true;  ///< something changed since the question in flight was asked
    bool m_isLoading = false;
    bool m_hasAnswer = false;
};

}  // namespace ui
