// Creates run folders with real journals, for tests and screenshots.
#pragma once
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/run_folder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace synthetic {

/// Appends steps [first, last) of every rank to the journals of @p attempt.
class Attempt {
public:
    Attempt(const contract::RunFolder& folder, int attempt, int ranks, std::int64_t parentStep)
        : m_ranks(ranks)
        , m_random(static_cast<unsigned>(attempt))
    {
        std::filesystem::create_directories(folder.attempt(attempt));
        std::filesystem::create_directories(folder.journals());
        std::filesystem::create_directories(folder.samples());
        std::ofstream(folder.config(attempt)) << "";
        contract::AttemptStart start;
        start.attempt = attempt;
        start.startUnixMs = 1'795'255'200'000 + attempt * 3'600'000;
        start.ranks = ranks;
        start.host = "box";
        if (parentStep > 0)
            start.parentCheckpoint = "checkpoints/step-" + std::to_string(parentStep);
        start.parentStep = parentStep;
        folder.writeStart(start);
        contract::JournalHeader header;
        header.run = folder.id();
        header.attempt = attempt;
        for (header.rank = 0; header.rank < ranks; ++header.rank)
            m_journals.push_back(std::make_unique<contract::JournalWriter>(folder.journal(header.rank), header));
    }

    void steps(std::int64_t first, std::int64_t last, double floor = 0.18)
    {
        namespace metric = contract::metric;
        std::normal_distribution<double> noise;
        for (std::int64_t step = first; step < last; ++step) {
            const double t = static_cast<double>(step);
            const double loss = floor + std::exp(-t / 150) + 0.03 * noise(m_random) * (1 + std::exp(-t / 300));
            for (int rank = 0; rank < m_ranks; ++rank) {
                auto& line = m_journals[static_cast<std::size_t>(rank)]->begin(contract::record::kStep, step);
                if (rank == 0) {
                    const bool isSpike = step % 397 == 396;
                    line.add(metric::kLoss, loss);
                    line.add(metric::kGradNorm, isSpike ? std::nan("") : std::abs(2 * std::exp(-t / 200) + 0.5 + 0.2 * noise(m_random)));
                    line.add(metric::kLr, 1e-3 * std::min(1.0, t / 100) * (0.5 + 0.5 * std::cos(t / 1200)));
                    line.add(metric::kImagesPerSecond, 820 + 25 * noise(m_random));
                }
                line.add(metric::kStepTime, 98 + 3 * noise(m_random) + rank);
                line.add(metric::kDataTime, 3 + 0.4 * noise(m_random));
                line.add(metric::kForwardTime, 31 + noise(m_random));
                line.add(metric::kBackwardTime, 48 + 1.5 * noise(m_random));
                line.add(metric::kCommunicationTime, 9 + std::abs(2 * noise(m_random)));
                line.add(metric::kOptimizerTime, 5 + 0.2 * noise(m_random));
                line.add(metric::kResident, 1.21e9 + 2.1e7 * rank + 4e6 * std::sin(t / 50 + rank) + 1.2e8 * (1 - std::exp(-t / 80)));
                line.commit();
            }
            if (step % 50 == 0)
                m_journals[0]->begin(contract::record::kMetrics, step).add(metric::kValidationLoss, loss + 0.02).commit();
        }
    }

    contract::JournalWriter& journal(int rank) { return *m_journals[static_cast<std::size_t>(rank)]; }

private:
    int m_ranks;
    std::mt19937 m_random;
    std::vector<std::unique_ptr<contract::JournalWriter>> m_journals;
};

}  // namespace synthetic
