// The keys that a terminal sends, as bytes and escape sequences that may arrive in parts.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// A character of ASCII, or one of these.
enum Key : char { kKeyLeft = '\x01', kKeyRight = '\x02', kKeyTab = '\t', kKeyBackTab = '\x03' };

class KeyReader {
public:
    /// @return the keys that @p bytes complete; those without a meaning here are left out
    std::vector<char> keysIn(std::string_view bytes);

private:
    std::string m_sequence;  ///< the beginning of an escape sequence
};

}  // namespace app
