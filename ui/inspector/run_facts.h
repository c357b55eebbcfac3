// The database's records of the inspected run: attempts, series, events, options. What changes in the database is read again.
#pragma once
#include "launcher/plan/estimate.h"
#include "launcher/plan/forecast.h"
#include "storage/reports/resume_proof.h"
#include "ui/base/selection.h"
#include "ui/store/store_service.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

struct RunFacts {
    QString runId;
    std::vector<storage::AttemptRow> attempts;
    std::vector<storage::SeriesRow> series;
    std::vector<storage::ResumeProof> proofs;  ///< in the order of the attempts
    static constexpr int kMostEvents = 2000;
    std::vector<storage::EventRow> events;  ///< the newest kMostEvents, oldest first
    std::map<int, std::vector<storage::ParameterRow>> parameters;  ///< by attempt
    std::optional<launcher::Estimate> estimate;  ///< made before the last attempt
    std::optional<launcher::Forecast> forecast;  ///< made at its start
    std::int64_t checkpoints = 0, checkpointBytes = 0;
    std::int64_t samples = 0;

    std::map<std::string, double, std::less<>> values;  ///< of the metrics that the overview shows: as the runs table has them

    std::optional<double> last(std::string_view metric) const;  ///< nullopt when there is no value
};

class FactsLoader : public QObject {
    Q_OBJECT
public:
    /// @p store and @p selection must outlive this.
    FactsLoader(StoreService& store, Selection& selection, QObject* parent = nullptr);

    /// While a newly inspected run is being read, still the facts of the previous one: compare runId.
    const RunFacts& facts() const { return m_facts; }
    const launcher::DataHome& home() const { return m_store.home(); }
    bool isLoading() const { return m_isLoading; }
    /// Reads all facts again; loaded() or failed() follows.
    void load();
    /// Gives up reading; all is read again when something changes, when another run is inspected, or by load().
    void cancel();

Q_SIGNALS:
    void loaded();
    void failed(storage::StoreError::Kind kind, const QString& message);

private:
    struct Update;
    void turnToInspected();
    void takeChanges(const storage::Changes& changes);
    void readOutdated();
    void finish();
    void apply(Update update);

    StoreService& m_store;
    Selection& m_selection;
    RunFacts m_facts;
    QueryTicket m_ticket;  ///< of the query in flight
    bool m_isLoading = false;
    std::set<storage::Part> m_outdated;  ///< what is to be read again
    QTimer m_pause;  ///< after each query, before what has changed meanwhile is read
};

}  // namespace ui
