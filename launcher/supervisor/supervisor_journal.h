// The supervisor's journal, journal/supervisor.jsonl.
#pragma once
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/ranks/rank_exit.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace launcher {

/// Never throws after open(): on a full disk an event is lost. For the end record, some disk space is reserved in a file
/// that end() deletes when it needs the space.
class SupervisorJournal {
public:
    SupervisorJournal() = default;
    ~SupervisorJournal();
    SupervisorJournal(const SupervisorJournal&) = delete;
    SupervisorJournal& operator=(const SupervisorJournal&) = delete;

    /// @return empty, or why the journal cannot be written, in one sentence.
    std::string open(const contract::RunFolder& folder, int attempt);

    void event(std::string_view level, std::string_view kind, std::int64_t step, std::string_view message);
    void command(std::string_view name, std::int64_t step);
    void rankExit(const RankExit& exit);

    /// Journals that the ranks are started again after a pause.
    struct Restart {
        std::int64_t number = 1, most = 1;  ///< "restart 1 of 3"
        std::chrono::milliseconds pause {};
    };
    void restarting(const Restart& restart, std::int64_t step, const std::string& cause);

    /// Writes the end record. @param restart number of the restart that follows; 0: the run has ended
    /// @return whether it is on disk.
    bool end(std::string_view outcome, std::string_view cause, std::int64_t step, std::int64_t restart = 0);

private:
    bool commit();
    void reserveSpace();
    void releaseSpace();

    std::optional<contract::JournalWriter> m_writer;
    std::filesystem::path m_reserve;
};

}  // namespace launcher
