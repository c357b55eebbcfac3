// Ranks that journal steps without training.
#pragma once
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/run_folder.h"

#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace bench {

/// Appends to the journals of a run's first attempt as that many ranks do.
class JournallingRanks {
public:
    JournallingRanks(const contract::RunFolder& folder, int ranks, int metrics)
    {
        for (int rank = 0; rank < ranks; ++rank)
            m_journals.emplace_back(folder.journal(rank),
                contract::JournalHeader {.version = contract::kJournalVersion, .run = folder.id(), .attempt = 1, .rank = rank, .host = {}, .startUnixMs = 0});
        for (int i = 0; i < metrics; ++i)
            m_names.push_back("group" + std::to_string(i / 10) + "/value" + std::to_string(i));
    }

    /// The next step of every rank, with random values of all metrics.
    void writeStep()
    {
        ++m_step;
        for (contract::JournalWriter& journal : m_journals) {
            auto& record = journal.begin(contract::record::kStep, m_step);
            for (const std::string& name : m_names)
                record.add(name, std::abs(static_cast<double>(static_cast<float>(m_normal(m_random)))));
            journal.commit();
        }
    }

private:
    std::deque<contract::JournalWriter> m_journals;
    std::vector<std::string> m_names;
    std::int64_t m_step = 0;
    std::mt19937_64 m_random {1};
    std::normal_distribution<double> m_normal;
};

}  // namespace bench
