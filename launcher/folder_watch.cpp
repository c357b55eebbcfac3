#include "launcher/base/folder_watch.h"

#include "engine/contract/formats/folder_entries.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace launcher {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortestPause = 100ms;
constexpr auto kPollPause = 1s;
constexpr std::uint32_t kChanges = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE;

/// Whether a file in the folder of journals is written by the supervisor, not by a rank.
bool isOwnJournal(std::string_view name)
{
    return name == "supervisor.jsonl" || name == "host.jsonl";
}

}  // namespace

FolderWatch::FolderWatch(const contract::RunFolder& folder, QObject* parent)
    : QObject(parent)
    , m_folder(folder)
    , m_descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK))
{
    m_throttle.setSingleShot(true);
    connect(&m_throttle, &QTimer::timeout, this, [this] { Q_EMIT changed(std::exchange(m_hasRankWritten, false)); });
    connect(&m_poll, &QTimer::timeout, this, [this] { compareSizes(); });

    bool isWatching = m_descriptor >= 0;
    for (const auto& watched : {folder.journals(), folder.samples(), folder.checkpoints()})
        isWatching = isWatching && ::inotify_add_watch(m_descriptor, watched.c_str(), kChanges) >= 0;
    if (!isWatching) {
        m_poll.start(kPollPause);
        return;
    }
    m_notifier = std::make_unique<QSocketNotifier>(m_descriptor, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] { drain(); });
}

FolderWatch::~FolderWatch()
{
    m_notifier.reset();
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

void FolderWatch::drain()
{
    alignas(inotify_event) char events[16 * 1024];
    for (ssize_t count; (count = ::read(m_descriptor, events, sizeof events)) > 0;) {
        for (const char* at = events; at < events + count;) {
            const auto* event = reinterpret_cast<const inotify_event*>(at);
            m_hasRankWritten = m_hasRankWritten || event->len == 0 || !isOwnJournal(event->name);
            at += sizeof(inotify_event) + event->len;
        }
    }
    if (!m_throttle.isActive())
        m_throttle.start(kShortestPause);
}

void FolderWatch::compareSizes()
{
    std::uintmax_t size = 0;
    std::error_code error;
    for (const auto& folder : {m_folder.journals(), m_folder.samples(), m_folder.checkpoints()}) {
        for (const std::filesystem::path& entry : contract::entriesOf(folder)) {
            if (isOwnJournal(entry.filename().string()))
                continue;
            const std::uintmax_t bytes = std::filesystem::file_size(entry, error);
            size += 1 + (error ? 0 : bytes);
        }
    }
    if (std::exchange(m_knownSize, size) != size)
        Q_EMIT changed(true);
}

}  // namespace launcher
