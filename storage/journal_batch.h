// What some consecutive lines of one journal say, ready for one transaction.
#pragma once
#include "engine/contract/journal_parser.h"
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

/// How far one attempt's writer has come.
struct ProgressBatch {
    int attempt = 1;
    std::int64_t startUnixMs = 0;
    std::string host;
    std::int64_t lastStep = 0;
    std::int64_t lastRecordUnixMs = 0;
    std::optional<double> loss;
    std::string outcome;
    std::string cause;
};

class JournalBatch {
public:
    /// @param attempt that the lines before belong to; 0: no header has been read yet.
    JournalBatch(int rank, int attempt, std::int64_t startUnixMs);

    void add(const contract::JournalLine& line);
    void clear();  ///< forgets the lines, not where it stands

    int attempt() const { return m_attempt; }
    std::int64_t startUnixMs() const { return m_startUnixMs; }
    const std::vector<SeriesBatch>& series() const { return m_series; }
    const std::vector<ProgressBatch>& progress() const { return m_progress; }
    const std::vector<EventRow>& events() const { return m_events; }
    const std::vector<SampleRow>& samples() const { return m_samples; }
    std::int64_t values() const { return m_values; }
    std::int64_t malformedLines() const { return m_malformedLines; }

private:
    void addHeader(const contract::JournalHeader& header);
    void addRecord(const contract::JournalLine& line);
    void addMetrics(const contract::JournalLine& line);
    void addSample(const contract::JournalLine& line);
    void addEvent(const contract::JournalLine& line);
    ProgressBatch& progressNow();
    std::size_t seriesOf(const std::string& metric);
    std::int64_t unixMsOf(const contract::JournalLine& line) const;

    int m_rank;
    int m_attempt;
    std::int64_t m_startUnixMs;
    std::vector<SeriesBatch> m_series;
    std::unordered_map<std::string, std::size_t> m_byMetric;  ///< of the present attempt
    std::size_t m_nextSeries = 0;  ///< lines name their metrics in the same order: a guess that saves look-ups
    std::vector<ProgressBatch> m_progress;
    std::vector<EventRow> m_events;
    std::vector<SampleRow> m_samples;
    std::int64_t m_values = 0;
    std::int64_t m_malformedLines = 0;
};

}  // namespace storage
