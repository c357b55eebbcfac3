#include "engine/contract/checksum.h"

#ifndef NDEBUG
#define XXH_NO_INLINE_HINTS 1  // where little is optimised, GCC refuses to inline what the header demands
#endif
#define XXH_INLINE_ALL  // the header alone: nothing to link or to install where Atelier runs
#include <xxhash.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

namespace contract {

struct Checksum::State {
    XXH3_state_t xxh3;
};

Checksum::Checksum()
    : m_state(std::make_unique<State>())
{
    XXH3_64bits_reset(&m_state->xxh3);
}

Checksum::~Checksum() = default;

void Checksum::add(const void* data, std::size_t bytes) { XXH3_64bits_update(&m_state->xxh3, data, bytes); }

std::string Checksum::text() const
{
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx",
        static_cast<unsigned long long>(XXH3_64bits_digest(&m_state->xxh3)));
    return digits;
}

std::string checksumOf(const std::filesystem::path& file)
{
    constexpr std::size_t kPortion = std::size_t {1} << 20;
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        throw std::system_error(errno, std::generic_category(), file.string());
    Checksum checksum;
    std::vector<std::byte> portion(kPortion);
    ssize_t count = 0;
    do {
        count = ::read(descriptor, portion.data(), portion.size());
        if (count > 0)
            checksum.add(portion.data(), static_cast<std::size_t>(count));
    } while (count > 0 || (count < 0 && errno == EINTR));
    const int cause = errno;
    ::close(descriptor);
    if (count < 0)
        throw std::system_error(cause, std::generic_category(), file.string());
    return checksum.text();
}

}  // namespace contract
