#include "launcher/supervisor_journal.h"

#include "launcher/sentence.h"
#include "launcher/supervisor_events.h"

#include <fstream>
#include <system_error>

namespace launcher {

SupervisorJournal::~SupervisorJournal() { giveRoomUp(); }

void SupervisorJournal::reserveRoom()
{
    // Filled, not only made large: some file systems give no room to what was not written.
    constexpr std::size_t kBytes = 16 * 1024;
    std::ofstream(m_reserve, std::ios::binary) << std::string(kBytes, '\n');
}

void SupervisorJournal::giveRoomUp()
{
    std::error_code error;
    if (!m_reserve.empty())
        std::filesystem::remove(m_reserve, error);
}

std::string SupervisorJournal::open(const contract::RunFolder& folder, int attempt)
{
    const auto file = folder.journal(contract::kSupervisorRank);
    try {
        m_writer.emplace(file,
            contract::JournalHeader {.version = contract::kJournalVersion,
                .run = folder.id(),
                .attempt = attempt,
                .rank = contract::kSupervisorRank,
                .host = {},
                .startUnixMs = 0});
        m_reserve = folder.root() / "supervisor.reserve";
        reserveRoom();
        return {};
    } catch (const std::system_error& error) {
        return cannotBe("written", file, error.code().value());
    }
}

void SupervisorJournal::event(
    std::string_view level, std::string_view kind, std::int64_t step, std::string_view message)
{
    if (!m_writer)
        return;
    m_writer->begin(contract::record::kEvent, step)
        .add("level", level)
        .add("kind", kind)
        .add("message", message);
    commit();
}

void SupervisorJournal::command(std::string_view name)
{
    if (!m_writer)
        return;
    m_writer->begin(contract::record::kEvent, 0)
        .add("level", std::string_view("info"))
        .add("kind", std::string_view(contract::event::kCommand))
        .add(launcher::event::kCommandField, name)
        .add("message", std::string(name) + " was asked for");
    commit();
}

void SupervisorJournal::rankExit(const RankExit& exit)
{
    if (!m_writer)
        return;
    const std::string_view level = exit.isFailure() && !exit.wasOurs ? "error" : "info";
    m_writer->begin(contract::record::kEvent, exit.step)
        .add("level", level)
        .add("kind", std::string_view(contract::event::kRankExit))
        .add("rank", std::int64_t {exit.rank})
        .add(exit.isSignal ? "signal" : "exit_code", std::int64_t {exit.code})
        .add("message", describe(exit));
    commit();
}

bool SupervisorJournal::end(std::string_view outcome, std::string_view cause, std::int64_t step)
{
    if (!m_writer)
        return false;
    const auto write = [&] {
        m_writer->begin(contract::record::kEnd, step).add("outcome", outcome).add("cause", cause);
        return commit();
    };
    if (write())
        return true;
    giveRoomUp();
    return write();
}

bool SupervisorJournal::commit()
{
    try {
        m_writer->commit();
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

}  // namespace launcher
