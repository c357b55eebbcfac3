#include "launcher/home/run_archive.h"

#include "engine/contract/attempt/history.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "launcher/base/folders.h"
#include "launcher/home/incoming_folder.h"
#include "launcher/state/run_state.h"

#include <QCryptographicHash>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

constexpr char kSums[] = "SHA256SUMS";
constexpr std::size_t kSumLength = 64;
constexpr std::uint64_t kMostSumsBytes = 256 << 20;
constexpr std::size_t kBlockBytes = 1 << 20;

/// A file descriptor that is closed in the end.
class Descriptor {
public:
    explicit Descriptor(int descriptor)
        : m_descriptor(descriptor)
    {
    }
    ~Descriptor()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator int() const { return m_descriptor; }

private:
    int m_descriptor;
};

std::string sumOf(const QCryptographicHash& hash) { return hash.result().toHex().toStdString(); }

bool isPlainName(std::string_view name)
{
    const bool isPrintable = std::ranges::all_of(name, [](char byte) { return static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7F && byte != '\\'; });
    return !name.empty() && name != "." && name != ".." && isPrintable && name.find('/') == std::string_view::npos;
}

/// Not a part of the run: its lock, what a process is writing, and that somebody is to be told of its end here ([Note: notices]).
bool isTransient(const std::string& name) { return name == "supervisor.lock" || name == "untold" || name.find(".tmp") != std::string::npos; }

std::uint64_t sumsBytes(const std::vector<std::string>& paths)
{
    std::uint64_t bytes = 0;
    for (const std::string& path : paths)
        bytes += kSumLength + 2 + path.size() + 1;
    return bytes;
}

/// Reads @p file and passes on exactly @p bytes bytes. @return their SHA-256
std::string copyFile(const fs::path& file, std::uint64_t bytes, const TarWriter::Write& write)
{
    const Descriptor descriptor(contract::openRegularFile(file, O_RDONLY, contract::Links::Refuse));
    if (descriptor < 0)
        throw std::runtime_error(contract::cannotBe("read", file, errno));
    std::vector<char> block(kBlockBytes);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    while (bytes > 0) {
        const ssize_t count = ::read(descriptor, block.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes, block.size())));
        if (count < 0)
            throw std::runtime_error(contract::cannotBe("read", file, errno));
        if (count == 0)
            throw std::runtime_error(file.string() + " became shorter while it was packed; pack the run again");
        hash.addData(QByteArrayView(block.data(), count));
        write(block.data(), static_cast<std::size_t>(count));
        bytes -= static_cast<std::uint64_t>(count);
    }
    return sumOf(hash);
}

}  // namespace

RunArchive::RunArchive(const contract::RunFolder& folder, PackedCheckpoints checkpoints)
    : m_folder(folder)
{
    if (isActive(inspectRun(folder).state))
        throw std::runtime_error("run " + folder.id() + " is active, and its files change; stop it first");
    for (const std::int64_t step : folder.checkpointFolders())
        m_locks.push_back(std::make_unique<contract::CheckpointLock>(folder.checkpoint(step), contract::CheckpointLock::Use::Read));
    collect(folder.root(), folder.id(), checkpoints);
    if (m_files == 0)
        throw std::runtime_error("run " + folder.id() + " has no files that can be packed");
    std::vector<std::string> paths;
    for (const Item& item : m_items) {
        m_bytes += tarBytes(item.entry);
        if (!item.entry.isFolder)
            paths.push_back(item.entry.path);
    }
    m_bytes += tarBytes({.path = kSums, .bytes = sumsBytes(paths)}) + kTarEndBytes;
}

RunArchive::~RunArchive() = default;

void RunArchive::collect(const fs::path& folder, const std::string& path, PackedCheckpoints checkpoints)
{
    std::error_code error;
    struct stat info {};
    ::stat(folder.c_str(), &info);
    m_items.push_back({{.path = path, .isFolder = true, .changedSeconds = info.st_mtim.tv_sec}, folder});
    const std::vector<fs::path> entries = contract::entriesOf(folder, error);
    if (error)
        throw std::runtime_error(contract::cannotBe("read", folder, error.value()));
    const bool isCheckpoint = folder == m_folder.checkpoints();
    std::optional<std::int64_t> last;
    if (const auto steps = m_folder.checkpointSteps(); isCheckpoint && checkpoints == PackedCheckpoints::Last && !steps.empty())
        last = contract::impliedCheckpoint(m_folder).value_or(steps.back());
    for (const fs::path& entry : entries) {
        const std::string name = entry.filename().string();
        const bool isWanted = checkpoints == PackedCheckpoints::All || (last && entry == m_folder.checkpoint(*last));
        if (isTransient(name) || (isCheckpoint && !isWanted))
            continue;
        const bool isSound = isPlainName(name) && ::lstat(entry.c_str(), &info) == 0;
        if (isSound && S_ISDIR(info.st_mode)) {
            collect(entry, path + "/" + name, checkpoints);
        } else if (isSound && S_ISREG(info.st_mode)) {
            ++m_files;
            m_items.push_back({{.path = path + "/" + name, .bytes = static_cast<std::uint64_t>(info.st_size), .changedSeconds = info.st_mtim.tv_sec}, entry});
        } else {
            m_leftOut.push_back(contract::escapedBytes(entry.string()) + " was left out: it is neither a file nor a folder, or its name is odd");
        }
    }
}

void RunArchive::write(const TarWriter::Write& write) const
{
    TarWriter tar(write);
    std::string sums;
    for (const Item& item : m_items) {
        tar.begin(item.entry);
        if (item.entry.isFolder)
            continue;
        const std::string sum = copyFile(item.place, item.entry.bytes, [&](const void* data, std::size_t bytes) { tar.write(data, bytes); });
        sums += sum + "  " + item.entry.path + "\n";
    }
    if (isActive(inspectRun(m_folder).state))
        throw std::runtime_error("run " + m_folder.id() + " was started while it was packed; stop it and pack it again");
    tar.begin({.path = kSums, .bytes = sums.size()});
    tar.write(sums.data(), sums.size());
    tar.finish();
}

namespace {

class Unpacking {
public:
    Unpacking(const DataHome& home, const TarReader::Read& read)
        : m_home(home)
        , m_tar(read)
    {
    }

    contract::RunFolder run()
    {
        while (const auto entry = m_tar.next())
            take(*entry);
        if (!m_sums)
            throw std::runtime_error("the archive has no " + std::string(kSums) + " at its end: it is not a packed run, or was cut off");
        compareSums();
        const contract::RunFolder unpacked(m_incoming->path() / m_id);
        if (unpacked.attempts().empty())
            throw std::runtime_error("the archive is not a packed run: it has no attempts/1/start.json");
        m_incoming->sync();
        std::error_code error;
        createFolder(m_home.runs());
        fs::rename(unpacked.root(), m_home.runs() / m_id, error);
        if (error)
            throw std::runtime_error(contract::cannotBe("created", m_home.runs() / m_id, error.value()));
        return contract::RunFolder(m_home.runs() / m_id);
    }

private:
    void take(const TarEntry& entry)
    {
        if (m_sums)
            throw std::runtime_error("the archive has files behind " + std::string(kSums) + ": it is not a packed run");
        if (entry.path == kSums && !entry.isFolder && m_incoming) {
            m_sums = contentOf(entry);
            return;
        }
        const fs::path place = placeOf(entry);
        if (entry.isFolder)
            createFolder(place);
        else
            extract(entry, place);
    }

    /// Where an entry goes. @throws std::runtime_error when its path leads out of the run's folder.
    fs::path placeOf(const TarEntry& entry)
    {
        std::vector<std::string> parts;
        for (std::size_t begin = 0; begin <= entry.path.size();) {
            const std::size_t end = std::min(entry.path.find('/', begin), entry.path.size());
            parts.push_back(entry.path.substr(begin, end - begin));
            begin = end + 1;
        }
        const bool isBelow = parts.size() > 1 || entry.isFolder;
        if (!std::ranges::all_of(parts, isPlainName) || !isBelow || (!m_id.empty() && parts.front() != m_id))
            throw std::runtime_error("the archive has the path " + contract::inQuotes(contract::shortened(entry.path)) + ", which is not in the folder of its run");
        if (m_id.empty())
            begin(parts.front());
        const fs::path place = m_incoming->path() / entry.path;
        createFolder(entry.isFolder ? place : place.parent_path());
        return place;
    }

    void begin(const std::string& id)
    {
        if (id.front() == '.' || id.size() > 128)
            throw std::runtime_error("the archive is not a packed run: " + contract::inQuotes(contract::shortened(id)) + " is not a run's id");
        if (contract::hasEntry(m_home.runs() / id))
            throw std::runtime_error("run " + id + " is in " + m_home.runs().string() + " already");
        m_id = id;
        m_incoming.emplace(m_home);
    }

    std::string contentOf(const TarEntry& entry)
    {
        if (entry.bytes > kMostSumsBytes)
            throw std::runtime_error("the archive is damaged: " + entry.path + " is too large");
        std::string content(entry.bytes, '\0');
        m_tar.read(content.data(), content.size());
        return content;
    }

    void extract(const TarEntry& entry, const fs::path& place)
    {
        if (contract::hasEntry(place))
            throw std::runtime_error("the archive has " + contract::inQuotes(contract::shortened(entry.path)) + " twice");
        QCryptographicHash hash(QCryptographicHash::Sha256);
        try {
            contract::OutputFile file(place, entry.bytes);
            std::vector<char> block(kBlockBytes);
            while (const std::size_t count = m_tar.read(block.data(), block.size())) {
                hash.addData(QByteArrayView(block.data(), static_cast<qsizetype>(count)));
                file.write(block.data(), count);
            }
        } catch (const std::system_error& error) {
            throw std::runtime_error(contract::cannotBe("written", place, error.code().value()));
        }
        const std::array<timespec, 2> times {timespec {.tv_sec = 0, .tv_nsec = UTIME_OMIT}, timespec {.tv_sec = entry.changedSeconds, .tv_nsec = 0}};
        ::utimensat(AT_FDCWD, place.c_str(), times.data(), 0);
        m_found[entry.path] = sumOf(hash);
    }

    void compareSums()
    {
        std::map<std::string, std::string> expected;
        for (std::size_t begin = 0; begin < m_sums->size();) {
            const std::size_t end = std::min(m_sums->find('\n', begin), m_sums->size());
            const std::string line = m_sums->substr(begin, end - begin);
            if (line.size() > kSumLength + 2)
                expected[line.substr(kSumLength + 2)] = line.substr(0, kSumLength);
            begin = end + 1;
        }
        for (const auto& [path, sum] : expected) {
            const auto found = m_found.find(path);
            if (found == m_found.end())
                throw std::runtime_error("the archive is damaged: it lacks " + contract::inQuotes(contract::shortened(path)));
            if (found->second != sum)
                throw std::runtime_error("the archive is damaged: " + contract::inQuotes(contract::shortened(path)) + " does not have its checksum");
        }
        if (expected.size() != m_found.size())
            throw std::runtime_error("the archive is damaged: it has files without a checksum");
    }

    const DataHome& m_home;
    TarReader m_tar;
    std::string m_id;
    std::optional<IncomingFolder> m_incoming;
    std::map<std::string, std::string> m_found;  ///< SHA-256 by path
    std::optional<std::string> m_sums;
};

}  // namespace

contract::RunFolder unpackRun(const DataHome& home, const TarReader::Read& read) { return Unpacking(home, read).run(); }

}  // namespace launcher
