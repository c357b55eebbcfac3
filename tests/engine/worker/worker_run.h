// Ranks, each a process, over a run folder of their own.
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/run_folder.h"
#include "tests/engine/worker/worker_process.h"

#include <QTemporaryDir>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tests {

using Options = std::vector<std::pair<const char*, contract::OptionValue>>;

/// Sets options, the last of a key last. Ends the process when one is refused.
contract::Experiment with(contract::Experiment experiment, const Options& options);

/// A small float32 digits experiment whose global batch is 24, whatever the number of ranks.
contract::Experiment smallExperiment(int ranks);

class WorkerRun {
public:
    explicit WorkerRun(const contract::Experiment& experiment);
    ~WorkerRun();  ///< kills what still runs

    /// From now on ranks are bin/atelier-worker, for tests of the program itself. Otherwise they are forks of the test, which have loaded LibTorch.
    static void startProgram() { s_isProgram = true; }

    const contract::RunFolder& folder() const { return m_folder; }

    /// Prepares the next attempt, from @p parentStep's checkpoint when that is not negative.
    void prepareAttempt(const contract::Experiment& experiment, std::int64_t parentStep = -1);

    /// Limits the address space of each rank that is started from now on, which is bin/atelier-worker then.
    void limitMemory(std::uint64_t bytes) { m_memoryLimit = bytes; }

    /// Starts the ranks of the last attempt.
    void start();
    /// Starts as many ranks for `atelier generate`, as if each ran on a host of its own: they exchange through Gloo.
    void startGenerating(const std::filesystem::path& request);
    /// @return their exit codes; -signal for a killed one.
    std::vector<int> wait();
    std::vector<int> run()
    {
        start();
        return wait();
    }
    WorkerProcess& rank(int index) { return *m_ranks[static_cast<std::size_t>(index)]; }

    /// Values of one metric in the last attempt by step, from a rank's journal.
    std::map<std::int64_t, double> metric(const std::string& name, int rank = 0) const;
    /// The same in the order of their steps.
    std::vector<double> series(const std::string& name) const;
    /// Text of the last record of a type: "end", "outcome".
    std::string lastText(const std::string& type, const std::string& field, int rank = 0) const;

    /// Message of the last event of that kind.
    std::string lastEvent(const std::string& kind, int rank = 0) const;

    /// The number of records of that type whose field contains @p part.
    int countOf(const std::string& type, const std::string& field, const std::string& part, int rank = 0) const;
    bool hasText(const std::string& type, const std::string& field, const std::string& part, int rank = 0) const { return countOf(type, field, part, rank) > 0; }

    /// Full tensors of a checkpoint, read through its manifest alone.
    std::map<std::string, at::Tensor> checkpoint(std::int64_t step) const;

private:
    void startRanks(const std::vector<std::string>& arguments, int ranksPerHost);

    QTemporaryDir m_directory;
    contract::RunFolder m_folder;
    int m_attempt = 0;
    int m_rankCount = 1;
    int m_masterDescriptor = -1;
    std::uint64_t m_memoryLimit = 0;
    std::vector<std::unique_ptr<WorkerProcess>> m_ranks;
    static inline bool s_isProgram = false;
};

}  // namespace tests
