#include "engine/contract/run/supervisor_lock.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/lock_byte.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>

namespace contract {
namespace {

std::string firstLine(const std::string& file)
{
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

/// Whether a journal has the header of @p attempt or of a later one.
bool isJournalled(const std::filesystem::path& file, int attempt)
{
    constexpr std::streamsize kLongestHeader = 4096;
    std::ifstream stream(file);
    JournalParser parser;
    std::string line(kLongestHeader, '\0');
    while (stream.getline(line.data(), kLongestHeader) || stream.gcount() > 0) {
        if (stream.fail() && !stream.eof()) {  // longer than a header is
            stream.clear();
            stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
            continue;
        }
        const std::string_view text(line.c_str());
        if (!text.starts_with("{\"v\":"))
            continue;
        const JournalLine& parsed = parser.parse(text);
        if (parsed.kind == JournalLine::Kind::Header && parsed.header.attempt >= attempt)
            return true;
    }
    return false;
}

}  // namespace

std::int64_t startTicksOf(std::int64_t processId)
{
    const std::string stat = firstLine("/proc/" + std::to_string(processId) + "/stat");
    // The program's name, in parentheses, may contain spaces: count fields after it.
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string field;
    for (int i = 3; i <= 22; ++i)
        fields >> field;
    return std::strtoll(field.c_str(), nullptr, 10);
}

std::string hostName()
{
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string bootId() { return firstLine("/proc/sys/kernel/random/boot_id"); }

SupervisorLock::SupervisorLock(const RunFolder& folder)
    : m_folder(folder)
{
}

SupervisorLock::~SupervisorLock() { release(); }

std::string SupervisorLock::take()
{
    const int cause = takeByte(m_folder.supervisorLock(), LockByte::Supervisor, m_descriptor);
    if (cause == EAGAIN)
        return alreadySupervisedMessage(m_folder);
    return cause == 0 ? std::string() : cannotBe("locked", m_folder.supervisorLock(), cause);
}

void SupervisorLock::describe(int attempt, bool isRankZero)
{
    std::error_code error;
    const auto journalBytes = std::filesystem::file_size(m_folder.journal(0), error);
    const nlohmann::json json = {{"v", 1}, {"attempt", attempt}, {"rank_zero", isRankZero}, {"pid", ::getpid()},
        {"start_ticks", startTicksOf(::getpid())}, {"boot_id", bootId()}, {"host", hostName()},
        {"journal_offset", error ? 0 : journalBytes}};
    const std::string text = jsonText(json) + "\n";
    // Written in place: replacing the file would leave the lock on the old one.
    if (::pwrite(m_descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()))
        [[maybe_unused]] const int cut = ::ftruncate(m_descriptor, static_cast<off_t>(text.size()));
}

void SupervisorLock::release()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = -1;
}

bool isLocked(const RunFolder& folder)
{
    return isByteTaken(folder.supervisorLock(), LockByte::Supervisor);
}

std::string alreadySupervisedMessage(const RunFolder& folder)
{
    const auto owner = lockOwner(folder);
    std::string who = "another process";
    if (owner)
        who = "process " + std::to_string(owner->processId) + " on " + owner->host;
    if (owner && owner->isRankZero)
        return "run " + folder.id() + " is running already, and " + who + " is its rank 0; stop the run first";
    return "run " + folder.id() + " already has a supervisor, " + who + "; stop the run first";
}

bool hasStarted(const RunFolder& folder, int attempt)
{
    if (const auto owner = lockOwner(folder))
        return owner->attempt >= attempt;
    // Without its lock file the folder is a copy, or no attempt has been started.
    return isJournalled(folder.journal(kSupervisorRank), attempt) || isJournalled(folder.journal(0), attempt);
}

void waitForSupervisor(const RunFolder& folder)
{
    waitForByte(folder.supervisorLock(), LockByte::Supervisor);
}

std::optional<LockOwner> lockOwner(const RunFolder& folder)
{
    constexpr std::uint64_t kMaxBytes = 64 * 1024;
    try {
        const auto json = parsedJson(fileContent(folder.supervisorLock(), kMaxBytes, Links::Refuse));
        return LockOwner {.attempt = json.at("attempt").get<int>(),
            .isRankZero = json.value("rank_zero", false),
            .processId = json.at("pid").get<std::int64_t>(),
            .startTicks = json.at("start_ticks").get<std::int64_t>(),
            .bootId = json.at("boot_id").get<std::string>(),
            .host = json.at("host").get<std::string>(),
            .journalOffset = json.at("journal_offset").get<std::int64_t>()};
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace contract
