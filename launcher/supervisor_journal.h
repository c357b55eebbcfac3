// journal/supervisor.jsonl
#pragma once
#include "engine/contract/journal_writer.h"
#include "engine/contract/run_folder.h"
#include "launcher/rank_exit.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace launcher {

/// Never throws once it is open: on a full disk an event is lost. For the last word some room is kept
/// reserved on the disk, in a file that is given up for it.
class SupervisorJournal {
public:
    SupervisorJournal() = default;
    ~SupervisorJournal();
    SupervisorJournal(const SupervisorJournal&) = delete;
    SupervisorJournal& operator=(const SupervisorJournal&) = delete;

    /// @return empty, or why it cannot be written, in one sentence.
    std::string open(const contract::RunFolder& folder, int attempt);

    void event(std::string_view level, std::string_view kind, std::int64_t step, std::string_view message);
    void command(std::string_view name);
    void rankExit(const RankExit& exit);

    /// The last word. @return whether it is on disk.
    bool end(std::string_view outcome, std::string_view cause, std::int64_t step);

private:
    bool commit();
    void reserveRoom();
    void giveRoomUp();

    std::optional<contract::JournalWriter> m_writer;
    std::filesystem::path m_reserve;
};

}  // namespace launcher
