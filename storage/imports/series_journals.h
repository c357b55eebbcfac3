// Writes the journals of a run whose values come series by series, as Atelier exports them.
#pragma once
#include "storage/imports/run_writer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace storage {

/// Keeps ranks and attempts apart, and every number as it is. Uses little memory: parts of journals lie on the disk until finish() joins them.
/// All functions throw std::runtime_error naming the file that cannot be written, and ImportCancelled.
class SeriesJournals {
public:
    explicit SeriesJournals(RunWriter& writer)
        : m_writer(writer)
    {
    }

    static constexpr int kMostAttempts = 10'000;
    static constexpr int kMostRanks = 65'536;
    static constexpr std::size_t kLongestMetric = 65'536;
    /// Why there can be no such series; empty when there can.
    static std::string problemOf(std::string_view metric, double rank, double attempt);

    /// The points that follow belong to that series, of which problemOf() is empty. Also those of host and supervisor, as ranks -2 and -1.
    void begin(std::string_view metric, int rank, int attempt);
    void add(std::int64_t step, double tMs, double value, bool isSuperseded);
    /// What is known of an attempt. Others go on from the last one of which something is kept.
    void setAttempt(int number, std::int64_t startUnixMs, std::int64_t parentStep);

    /// Writes journals and attempts. @return false when what is superseded does not fit the attempts
    bool finish();

private:
    struct Part {
        std::string lines;
        bool isOnDisk = false;
    };
    struct Attempt {
        std::optional<std::int64_t> startUnixMs;
        std::optional<std::int64_t> parentStep;
        int parent = 0;  ///< the attempt that it goes on from; 0: none
        std::optional<std::int64_t> lastKept;         ///< the highest step that is not superseded
        std::optional<std::int64_t> firstSuperseded;  ///< the lowest one that is
        std::int64_t lastStep = 0;
        double lastMs = 0;
        int ranks = 1;
    };
    using Key = std::pair<int, int>;  ///< rank and attempt

    std::filesystem::path partFile(const Key& key) const;
    void flush(const Key& key, Part& part);
    void completeAttempts();
    bool areConsistent() const;
    void writeStarts();
    void writeJournal(int rank);
    contract::AttemptStart startOf(int number) const;

    RunWriter& m_writer;
    std::map<Key, Part> m_parts;
    std::map<int, Attempt> m_attempts;
    Part* m_part = nullptr;        ///< of the series that was begun last, as is m_attempt
    Attempt* m_attempt = nullptr;
    Key m_key;
    std::string m_head;            ///< of its lines
    std::string m_name;
    std::size_t m_buffered = 0;    ///< bytes in all parts
};

}  // namespace storage
