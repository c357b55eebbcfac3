#include "ui/base/thumbnail_store.h"

#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/output_file.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>
#include <vector>

namespace ui {
namespace {

namespace fs = std::filesystem;

constexpr char kEnding[] = ".thumbnail";
constexpr qsizetype kChecksumDigits = 16;
constexpr std::size_t kKeyDigits = 32;

std::string thumbnailChecksum(const std::string& key, const QByteArray& content)
{
    contract::Checksum checksum;
    checksum.add(key.data(), key.size());
    checksum.add(content.constData(), static_cast<std::size_t>(content.size()));
    return checksum.text();
}

/// Whether a file of that name is one of ours: a thumbnail, or one whose writer was killed.
bool isThumbnailName(const std::string& name)
{
    return name.find_first_not_of("0123456789abcdef") == kKeyDigits && name.compare(kKeyDigits, sizeof(kEnding) - 1, kEnding) == 0;
}

}  // namespace

ThumbnailStore::ThumbnailStore(fs::path folder, qint64 bytes)
    : m_folder(std::move(folder))
    , m_bytes(bytes)
    , m_sinceRemoval(bytes)  // looks at what is there when the first one is kept
{
}

fs::path ThumbnailStore::fileOf(const std::string& key) const { return m_folder / (key + kEnding); }

std::optional<QByteArray> ThumbnailStore::find(const std::string& key) const
{
    constexpr std::time_t kTouched = 24 * 3600;  // seconds; older ones are marked as used
    QFile file;
    const int descriptor = contract::openRegularFile(fileOf(key), O_RDONLY, contract::Links::Refuse);
    if (descriptor < 0 || !file.open(descriptor, QIODevice::ReadOnly, QFile::AutoCloseHandle) || file.size() > kMostEach + kChecksumDigits)
        return {};
    QByteArray content = file.readAll();
    const QByteArray checksum = content.left(kChecksumDigits);
    content.remove(0, kChecksumDigits);
    if (checksum != thumbnailChecksum(key, content).c_str())
        return {};
    struct stat info {};
    if (::fstat(descriptor, &info) == 0 && std::time(nullptr) - info.st_mtim.tv_sec > kTouched)
        ::futimens(descriptor, nullptr);
    return content;
}

void ThumbnailStore::keep(const std::string& key, const QByteArray& content)
{
    if (content.size() > kMostEach)
        return;
    const QByteArray whole = QByteArray::fromStdString(thumbnailChecksum(key, content)) + content;
    ::mkdir(m_folder.c_str(), S_IRWXU);
    try {
        contract::AtomicFile file(fileOf(key), static_cast<std::uint64_t>(whole.size()));
        file.output().write(whole.constData(), static_cast<std::size_t>(whole.size()));
        file.finish(contract::Durability::Process);
    } catch (const std::exception&) {
        return;  // it will be made again
    }
    const std::unique_lock lock(m_mutex, std::try_to_lock);
    if (!lock)
        return;
    m_sinceRemoval += whole.size();
    if (m_sinceRemoval > m_bytes / 16) {
        m_sinceRemoval = 0;
        removeOldest();
    }
}

void ThumbnailStore::removeOldest() const
{
    struct Kept {
        std::time_t used;
        qint64 bytes;
        fs::path file;
    };
    std::vector<Kept> all;
    qint64 total = 0;
    for (const fs::path& file : contract::entriesOf(m_folder)) {
        struct stat info {};
        if (!isThumbnailName(file.filename().string()) || ::lstat(file.c_str(), &info) != 0 || S_ISDIR(info.st_mode))
            continue;
        all.push_back({info.st_mtim.tv_sec, info.st_size, file});
        total += info.st_size;
    }
    std::ranges::sort(all, {}, &Kept::used);
    std::error_code ignored;
    for (const Kept& kept : all) {
        if (total <= m_bytes)
            return;
        fs::remove(kept.file, ignored);
        total -= kept.bytes;
    }
}

}  // namespace ui
