#include "launcher/remote/followed_run.h"

#include "engine/contract/formats/open_file.h"
#include "launcher/remote/protocol.h"

#include <fcntl.h>
#include <unistd.h>

#include <set>
#include <string_view>
#include <utility>

namespace launcher {

FollowedRun::FollowedRun(std::string run, const std::filesystem::path& root)
    : m_run(std::move(run))
    , m_root(root)
    , m_files(root)
{
}

void FollowedRun::have(const nlohmann::json& files)
{
    constexpr std::size_t kMostFiles = 1'000'000;
    for (const nlohmann::json& file : files.is_array() ? files : nlohmann::json::array()) {
        const bool isFile = file.is_array() && file.size() == 3 && file[0].is_string() && file[1].is_number_integer();
        if (!isFile || !servedDepth(file[0].get<std::string>()) || m_had.size() >= kMostFiles)
            continue;
        Had had {.size = file[1].get<std::int64_t>()};
        if (file[2].is_number_integer())
            had.mtimeNs = file[2].get<std::int64_t>();
        else if (file[2].is_string())
            had.check = file[2].get<std::string>();
        m_had.insert_or_assign(file[0].get<std::string>(), had);
    }
}

void FollowedRun::setDepth(FileDepth depth, Transfers& transfers)
{
    if (depth < m_depth)
        transfers.drop(m_run, depth);
    m_depth = depth;
    std::erase_if(m_had, [&](const auto& each) { return *servedDepth(each.first) > depth; });
}

void FollowedRun::sendChanges(Transfers& transfers)
{
    const std::vector<ServedFile> files = m_files.list(m_depth);
    std::set<std::string_view> present;
    for (const ServedFile& file : files) {
        present.insert(file.path);
        sendChange(file, transfers);
    }
    for (auto each = m_had.begin(); each != m_had.end();) {
        const FileDepth depth = *servedDepth(each->first);
        if (present.contains(each->first) || depth > m_depth) {
            ++each;
            continue;
        }
        transfers.addMessage(m_run, depth, {{"run", m_run}, {"file", each->first}, {"removed", true}});
        each = m_had.erase(each);
    }
}

void FollowedRun::sendChange(const ServedFile& file, Transfers& transfers)
{
    const auto known = m_had.find(file.path);
    const bool isNew = known == m_had.end();
    if (!isNew && known->second.size == file.size && known->second.mtimeNs == file.mtimeNs)
        return;
    Had next {.size = file.size, .mtimeNs = file.mtimeNs};
    if (!isGrowing(file.path)) {
        transfers.addWhole(m_run, m_root, file);
        m_had.insert_or_assign(file.path, next);
        return;
    }
    const int descriptor = contract::openRegularFile(m_root / file.path, O_RDONLY, contract::Links::Refuse);
    if (descriptor < 0)
        return;  // removed meanwhile
    const std::int64_t had = isNew ? 0 : known->second.size;
    const bool goesOn = had >= 0 && had <= file.size && (had == 0 || tailCheck(descriptor, had) == known->second.check);
    next.check = tailCheck(descriptor, file.size);
    ::close(descriptor);
    const std::int64_t from = goesOn ? had : 0;
    if (isNew || !goesOn || from < file.size)
        transfers.addGrowth(m_run, m_root, file, from, !goesOn);
    m_had.insert_or_assign(file.path, next);
}

}  // namespace launcher
