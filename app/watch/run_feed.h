// What `atelier watch` knows about one run: its state, progress, curves and the ends of its logs.
#pragma once
#include "app/cli/journal_tail.h"
#include "app/cli/progress.h"
#include "app/watch/log_tail.h"
#include "app/watch/metric_curve.h"
#include "launcher/base/data_home.h"
#include "launcher/state/run_state.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace storage {
class Ingest;
}

namespace app {

class RunFeed {
public:
    RunFeed(const launcher::DataHome& home, contract::RunFolder folder);
    ~RunFeed();

    /// Reads what was written since the last call, and brings the database up to date with this run. Does not throw: problems with
    /// the database are told by problem().
    void update();

    const contract::RunFolder& folder() const { return m_folder; }
    const std::string& name() const { return m_name; }  ///< the id until it is known
    const launcher::RunStatus& status() const { return m_status; }
    /// Of the present attempt; nullptr before its first step.
    const Progress* progress() const { return m_status.step > 0 && m_progress.step() > 0 ? &m_progress : nullptr; }
    const LogTail& log() const { return m_log; }
    /// Why curves cannot be read or are out of date, in one sentence; empty when they are not.
    const std::string& problem() const { return m_problem; }

    /// The names of the run's metrics, those first that people look at most.
    const std::vector<std::string>& metrics() const { return m_metrics; }
    std::vector<int> ranksOf(const std::string& metric) const;  ///< ascending
    /// The curve of @p rank or, when that has no such metric, of the lowest rank that has it; up to date.
    const MetricCurve& curve(const std::string& metric, int rank, const ui::Smoothing& smoothing);

private:
    void readJournal();
    void readDatabase();
    void open();

    launcher::DataHome m_home;
    contract::RunFolder m_folder;
    std::string m_name;
    launcher::RunStatus m_status;
    JournalTail m_journal;  ///< of rank 0
    Progress m_progress {0};
    LogTail m_log;
    std::string m_problem;
    std::optional<storage::Store> m_store;
    std::unique_ptr<storage::Ingest> m_ingest;  ///< null when the database can only be read
    std::vector<storage::SeriesRow> m_series;
    std::vector<std::string> m_metrics;
    std::map<std::pair<std::string, int>, MetricCurve> m_curves;  ///< by metric and rank
};

}  // namespace app
