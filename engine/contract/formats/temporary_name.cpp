#include "engine/contract/formats/temporary_name.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace contract {

std::filesystem::path temporaryName(const std::filesystem::path& file)
{
    std::random_device random;
    const std::uint64_t bits = (std::uint64_t {random()} << 32) | random();
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(bits));
    return file.string() + ".tmp" + std::to_string(::getpid()) + "-" + digits;
}

}  // namespace contract
