#include "app/watch/key_reader.h"

namespace app {
namespace {

constexpr char kEscape = '\033';

char keyOf(std::string_view sequence)
{
    switch (sequence.back()) {
    case 'C':
        return kKeyRight;
    case 'D':
        return kKeyLeft;
    case 'Z':
        return kKeyBackTab;
    default:
        return 0;
    }
}

/// Whether @p sequence is an escape sequence to its end: ESC [ … and a letter, or ESC and another character.
bool isComplete(std::string_view sequence)
{
    constexpr std::size_t kMostBytes = 32;
    if (sequence.size() < 2)
        return false;
    const bool hasMore = sequence[1] == '[' || sequence[1] == 'O';
    const char last = sequence.back();
    return !hasMore || sequence.size() > kMostBytes || (sequence.size() > 2 && last >= '@' && last <= '~');
}

}  // namespace

std::vector<char> KeyReader::keysIn(std::string_view bytes)
{
    std::vector<char> keys;
    for (const char byte : bytes) {
        if (byte == kEscape)
            m_sequence.clear();
        if (byte == kEscape || !m_sequence.empty()) {
            m_sequence += byte;
            if (!isComplete(m_sequence))
                continue;
            if (const char key = keyOf(m_sequence))
                keys.push_back(key);
            m_sequence.clear();
        } else if ((byte >= ' ' && byte <= '~') || byte == kKeyTab) {
            keys.push_back(byte);
        }
    }
    return keys;
}

}  // namespace app
