// Runs rounds of Flow-GRPO: ours (algorithms_bench_rank) and the peer's (tests/peers/fsdp2_grpo.py) on the same prompts and noise.
#pragma once
#include <nlohmann/json.hpp>

#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <string>

namespace bench {

/// Some rounds of prompts · samples rows on a model that both programs know by its size.
struct RoundsCase {
    std::string name;
    QString size, dtype;
    int rounds, prompts, samples, micro;

    QStringList arguments() const;
};

/// One run of ours; see runRanks().
nlohmann::json runRounds(const RoundsCase& what, const QStringList& more = {});

class RoundsPeer {
public:
    /// Writes the prompts and the noise of the rounds for the peer. @throws std::runtime_error when that fails
    explicit RoundsPeer(const RoundsCase& what);

    /// One run of the peer; see runRanks().
    nlohmann::json run(const QStringList& options) const;

private:
    QTemporaryDir m_folder;
    QStringList m_arguments;
};

}  // namespace bench
