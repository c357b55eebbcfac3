#include "engine/contract/formats/output_file.h"

#include "engine/contract/formats/open_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace contract {

OutputFile::OutputFile(std::filesystem::path path, std::uint64_t bytes, std::filesystem::path called)
    : m_path(std::move(path))
    , m_called(called.empty() ? m_path : std::move(called))
    , m_descriptor(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644))
{
    if (m_descriptor < 0)
        fail(errno);
    // Allocating up front keeps the file contiguous and finds a full disk early. File systems without fallocate() are fine.
    if (bytes > 0 && ::fallocate(m_descriptor, 0, 0, static_cast<off_t>(bytes)) != 0
        && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
        const int cause = errno;
        ::close(m_descriptor);
        ::unlink(m_path.c_str());
        fail(cause);
    }
}

OutputFile::~OutputFile() { ::close(m_descriptor); }

void OutputFile::write(const void* data, std::size_t bytes)
{
    // Chunks are small enough to stay in the CPU cache between the checksum and the copy made by ::write().
    constexpr std::size_t kChunkBytes = std::size_t {1} << 20;
    const auto* cursor = static_cast<const std::byte*>(data);
    for (std::size_t done = 0; done < bytes; done += kChunkBytes)
        writeChunk(cursor + done, std::min(kChunkBytes, bytes - done));
}

void OutputFile::writeChunk(const std::byte* data, std::size_t bytes)
{
    m_checksum.add(data, bytes);
    const auto begin = static_cast<off_t>(m_written);
    m_written += bytes;
    for (std::size_t left = bytes; left > 0;) {
        const ssize_t count = ::write(m_descriptor, data, left);
        if (count < 0 && errno != EINTR)
            fail(errno);
        if (count > 0) {
            data += count;
            left -= static_cast<std::size_t>(count);
        }
    }
    // Start writing back to the disk now, so that sync() has less left to wait for.
    ::sync_file_range(m_descriptor, begin, static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
}

void OutputFile::sync()
{
    if (::fsync(m_descriptor) != 0)
        fail(errno);
}

void OutputFile::fail(int cause) const { throw std::system_error(cause, std::generic_category(), m_called.string()); }

AtomicFile::AtomicFile(std::filesystem::path file, std::uint64_t bytes, Existing existing)
    : m_file(std::move(file))
    , m_unfinished(temporaryName(m_file))
    , m_output(m_unfinished, bytes, m_file)
    , m_existing(existing)
{
}

AtomicFile::~AtomicFile()
{
    if (!m_isFinished)
        ::unlink(m_unfinished.c_str());
}

void AtomicFile::finish(Durability durability)
{
    if (durability == Durability::PowerFailure)
        m_output.sync();
    if (const int cause = publishFile(m_unfinished, m_file, m_existing); cause != 0)
        throw std::system_error(cause, std::generic_category(), m_file.string());
    m_isFinished = true;
    if (durability == Durability::PowerFailure)
        syncFolder(m_file.has_parent_path() ? m_file.parent_path() : std::filesystem::path("."));
}

void writeFileAtomically(const std::filesystem::path& file, std::string_view content)
{
    AtomicFile atomic(file, content.size());
    atomic.output().write(content.data(), content.size());
    atomic.finish();
}

void appendLines(const std::filesystem::path& file, std::string_view lines, Durability durability)
{
    const int descriptor = openRegularFile(file, O_WRONLY | O_APPEND | O_CREAT, Links::Refuse);
    if (descriptor < 0)
        throw std::system_error(openError(errno), file.string());
    const std::string text = "\n" + std::string(lines);
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    int cause = count < 0 ? errno : static_cast<std::size_t>(count) < text.size() ? ENOSPC : 0;
    if (cause == 0 && durability == Durability::PowerFailure && ::fsync(descriptor) != 0)
        cause = errno;
    ::close(descriptor);
    if (cause != 0)
        throw std::system_error(cause, std::generic_category(), file.string());
}

void syncFolder(const std::filesystem::path& folder)
{
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // EINVAL: the file system does not support fsync on folders.
    const bool isSynced = descriptor >= 0 && (::fsync(descriptor) == 0 || errno == EINVAL);
    const int cause = errno;
    if (descriptor >= 0)
        ::close(descriptor);
    if (!isSynced)
        throw std::system_error(cause, std::generic_category(), folder.string());
}

}  // namespace contract
