#include "launcher/remote/transfers.h"

#include "engine/contract/formats/open_file.h"
#include "launcher/remote/protocol.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace launcher {

Transfers::~Transfers()
{
    for (const auto& [depth, items] : m_items) {
        for (const Item& item : items)
            ::close(item.descriptor);
    }
}

void Transfers::add(Item item)
{
    const auto depth = servedDepth(item.path);
    if (!depth)
        return;
    std::deque<Item>& items = m_items[*depth];
    if (*depth == FileDepth::Samples && !items.empty())  // the newest are looked at first
        items.insert(items.begin() + (items.front().descriptor >= 0 ? 1 : 0), std::move(item));
    else
        items.push_back(std::move(item));
}

void Transfers::addGrowth(const std::string& run, const std::filesystem::path& root, const ServedFile& file, std::int64_t from, bool isAnew)
{
    add({.run = run, .path = file.path, .file = root / file.path, .at = from, .end = file.size, .isAnew = isAnew});
}

void Transfers::addWhole(const std::string& run, const std::filesystem::path& root, const ServedFile& file)
{
    add({.run = run, .path = file.path, .file = root / file.path, .isWhole = true});
}

void Transfers::addMessage(const std::string& run, FileDepth depth, const nlohmann::json& message)
{
    m_items[depth].push_back({.run = run, .path = {}, .file = {}, .message = message});
}

void Transfers::drop(const std::string& run, std::optional<FileDepth> depth)
{
    for (auto& [ofDepth, items] : m_items) {
        if (depth && ofDepth <= *depth)
            continue;
        std::erase_if(items, [&](const Item& item) {
            if (item.run == run)
                ::close(item.descriptor);
            return item.run == run;
        });
    }
}

/// @return false when the file has been removed meanwhile, which the next listing says.
bool Transfers::open(Item& item)
{
    if (item.descriptor >= 0)
        return true;
    item.descriptor = contract::openRegularFile(item.file, O_RDONLY, contract::Links::Refuse);
    struct stat info {};
    if (item.descriptor < 0 || ::fstat(item.descriptor, &info) != 0)
        return false;
    if (item.isWhole) {
        item.end = info.st_size;
        item.mtimeNs = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
    }
    return true;
}

/// Reads the item's next bytes and moves it on; to its end when the file has become shorter.
std::string Transfers::part(Item& item)
{
    std::string bytes(static_cast<std::size_t>(std::min<std::int64_t>(item.end - item.at, kLongestPayload)), '\0');
    const ssize_t count = bytes.empty() ? 0 : ::pread(item.descriptor, bytes.data(), bytes.size(), item.at);
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    nlohmann::json message = {{"run", item.run}, {"file", item.path}, {"at", item.at}, {"bytes", bytes.size()}};
    if (item.isWhole) {
        message["size"] = item.end;
        message["mtime"] = item.mtimeNs;
    } else if (item.isAnew) {
        message["anew"] = true;
        item.isAnew = false;
    }
    item.at = bytes.empty() ? item.end : item.at + static_cast<std::int64_t>(bytes.size());
    return messageLine(message) + bytes;
}

bool Transfers::isEmpty() const
{
    return std::ranges::all_of(m_items, [](const auto& each) { return each.second.empty(); });
}

std::optional<std::string> Transfers::next()
{
    for (auto& [depth, items] : m_items) {
        while (!items.empty()) {
            Item& item = items.front();
            const bool isMessage = item.path.empty();
            const bool isThere = isMessage || open(item);
            std::string bytes = isMessage ? messageLine(item.message) : isThere ? part(item) : std::string();
            if (isMessage || !isThere || item.at >= item.end) {
                ::close(item.descriptor);
                items.pop_front();
            }
            if (!bytes.empty())
                return bytes;
        }
    }
    return std::nullopt;
}

}  // namespace launcher
