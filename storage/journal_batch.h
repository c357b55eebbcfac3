// Collects the content of some consecutive lines of one journal, to be written in one transaction.
#pragma once
#include "engine/contract/run/journal_parser.h"
#include "storage/store.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace storage {

struct SeriesBatch {
    int attempt = 1;
    std::string metric;
    std::vector<Point> points;
};

/// Progress of one attempt, as its rank's journal records it.
struct ProgressBatch {
    int attempt = 1;
    std::int64_t startUnixMs = 0;
    std::string host;
    std::int64_t lastStep = 0;
    std::int64_t lastRecordUnixMs = 0;
    std::optional<double> loss;
    std::string outcome;
    std::string cause;
    std::optional<Pace> pace;
};

/// Lines of one attempt that are not records, as in a journal with a damaged byte.
struct DamageBatch {
    int attempt = 1;
    std::int64_t lines = 0;
    std::int64_t step = 0;    ///< of the last progress before them
    std::int64_t unixMs = 0;
};

class JournalBatch {
public:
    /// @param attempt the one to which the preceding lines belong; 0 when no header has been read yet
    JournalBatch(int rank, int attempt, std::int64_t startUnixMs);

    void add(const contract::JournalLine& line);
    void clear();  ///< discards the collected content; keeps the attempt and its start time

    int attempt() const { return m_attempt; }
    std::int64_t startUnixMs() const { return m_startUnixMs; }
    const std::vector<SeriesBatch>& series() const { return m_series; }
    const std::vector<ProgressBatch>& progress() const { return m_progress; }
    const std::vector<EventRow>& events() const { return m_events; }
    const std::vector<SampleRow>& samples() const { return m_samples; }
    std::int64_t values() const { return m_values; }
    const std::vector<DamageBatch>& damage() const { return m_damage; }
    std::int64_t malformedLines() const;  ///< not counting a line that a killed writer left unfinished
    bool hasTooManyMetrics() const { return m_hasTooManyMetrics; }

    /// How many metrics a journal may have in one attempt; further ones are left out.
    static constexpr std::size_t kMostMetrics = 10'000;

private:
    void addHeader(const contract::JournalHeader& header);
    void addRecord(const contract::JournalLine& line);
    void addMetrics(const contract::JournalLine& line);
    void addSample(const contract::JournalLine& line);
    void addEvent(const contract::JournalLine& line);
    void addDamage();
    ProgressBatch& progressNow();
    SeriesBatch* seriesOf(const std::string& metric);
    std::int64_t unixMsOf(const contract::JournalLine& line) const;

    int m_rank;
    int m_attempt;
    std::int64_t m_startUnixMs;
    std::vector<SeriesBatch> m_series;
    std::unordered_map<std::string, std::size_t> m_byMetric;  ///< index into m_series, for the current attempt
    std::size_t m_nextSeries = 0;  ///< guessed index of the next metric: most lines list their metrics in the same order
    std::vector<ProgressBatch> m_progress;
    std::vector<EventRow> m_events;
    std::vector<SampleRow> m_samples;
    std::vector<DamageBatch> m_damage;
    bool m_isLastDamaged = false;  ///< the last line was not a record
    std::int64_t m_lastStep = 0;
    std::int64_t m_lastUnixMs = 0;
    bool m_hasTooManyMetrics = false;
    std::int64_t m_values = 0;
};

}  // namespace storage
