#include "launcher/supervisor/supervisor_journal.h"

#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/state/supervisor_events.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <system_error>

namespace launcher {

SupervisorJournal::~SupervisorJournal() { releaseSpace(); }

void SupervisorJournal::reserveSpace()
{
    // Written with data, not only resized: some file systems allocate no blocks for unwritten ranges.
    const std::string bytes(16 * 1024, '\n');
    const int descriptor = contract::openRegularFile(m_reserve, O_WRONLY | O_CREAT | O_TRUNC, contract::Links::Refuse);
    if (descriptor < 0)
        return;
    [[maybe_unused]] const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    ::close(descriptor);
}

void SupervisorJournal::releaseSpace()
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
        reserveSpace();
        return {};
    } catch (const std::system_error& error) {
        return contract::cannotBe("written", file, error.code().value());
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

void SupervisorJournal::command(std::string_view name, std::int64_t step)
{
    if (!m_writer)
        return;
    m_writer->begin(contract::record::kEvent, step)
        .add("level", std::string_view("info"))
        .add("kind", std::string_view(contract::event::kCommand))
        .add(launcher::event::kCommandField, name)
        .add("message", std::string(name) + " was requested");
    commit();
}

void SupervisorJournal::rankExit(const RankExit& exit)
{
    if (!m_writer)
        return;
    const std::string_view level = exit.isFailure() && !exit.endedBySupervisor ? "error" : "info";
    m_writer->begin(contract::record::kEvent, exit.step)
        .add("level", level)
        .add("kind", std::string_view(contract::event::kRankExit))
        .add("rank", std::int64_t {exit.rank})
        .add(exit.isSignal ? "signal" : "exit_code", std::int64_t {exit.code})
        .add("message", describe(exit));
    commit();
}

void SupervisorJournal::restarting(const Restart& restart, std::int64_t step, const std::string& cause)
{
    if (!m_writer)
        return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(restart.pause).count();
    m_writer->begin(contract::record::kEvent, step)
        .add("level", std::string_view("warning"))
        .add("kind", std::string_view(contract::event::kRestarting))
        .add("restart", restart.number)
        .add("restarts", restart.most)
        .add("pause_ms", std::int64_t {restart.pause.count()})
        .add("cause", cause)
        .add("message", cause + "; waits " + std::to_string(seconds) + " s before restart " + std::to_string(restart.number) + " of "
                + std::to_string(restart.most));
    commit();
}

bool SupervisorJournal::end(std::string_view outcome, std::string_view cause, std::int64_t step, std::int64_t restart)
{
    if (!m_writer)
        return false;
    const auto write = [&] {
        m_writer->begin(contract::record::kEnd, step).add("outcome", outcome).add("cause", cause);
        if (restart > 0)
            m_writer->add(launcher::event::kRestartField, restart);
        return commit();
    };
    if (write())
        return true;
    releaseSpace();
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
