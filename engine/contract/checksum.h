// Checksum of a file's content: XXH3-64, faster than any disk.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace contract {

/// Takes bytes in any portions; the result depends on their sequence alone.
class Checksum {
public:
    Checksum();
    ~Checksum();
    void add(const void* data, std::size_t bytes);
    std::string text() const;  ///< of what was added so far: 16 hexadecimal digits

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// @throws std::system_error naming the file when it cannot be read.
std::string checksumOf(const std::filesystem::path& file);

}  // namespace contract
