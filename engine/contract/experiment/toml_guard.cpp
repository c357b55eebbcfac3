#include "engine/contract/experiment/toml_guard.h"

#include <algorithm>
#include <array>

namespace contract {
namespace {

class Scanner {
public:
    explicit Scanner(std::string_view toml)
        : m_rest(toml)
    {
        if (m_rest.starts_with("\xEF\xBB\xBF"))
            m_rest.remove_prefix(3);
    }

    std::optional<Problem> scan()
    {
        constexpr int kMaxDots = 10'000;
        int dots = 0;
        while (!m_rest.empty()) {
            const auto character = static_cast<unsigned char>(m_rest.front());
            if (character >= 0x80)
                return Problem {"", "a non-ASCII character is outside quotes and comments; put the text in quotes", m_line};
            if (character == '.' && ++dots > kMaxDots)
                return Problem {"", "not an experiment file: its keys have too many parts", m_line};
            if (character == '#')
                skipComment();
            else if (character == '"' || character == '\'')
                skipString();
            else
                skip(1);
        }
        return std::nullopt;
    }

private:
    void skip(std::size_t count)
    {
        count = std::min(count, m_rest.size());
        m_line += static_cast<int>(std::ranges::count(m_rest.substr(0, count), '\n'));
        m_rest.remove_prefix(count);
    }

    void skipComment() { skip(m_rest.find('\n')); }

    void skipString()
    {
        const char quote = m_rest.front();
        const std::array three = {quote, quote, quote};
        const std::string_view delimiter(three.data(), three.size());
        const bool isMultiLine = m_rest.starts_with(delimiter);
        skip(isMultiLine ? 3 : 1);
        while (!m_rest.empty()) {
            if (m_rest.front() == '\\' && quote == '"') {
                skip(2);
            } else if (isMultiLine && m_rest.starts_with(delimiter)) {
                skip(3);
                // The text may end with up to two quotes of its own just before the delimiter.
                for (int i = 0; i < 2 && m_rest.starts_with(quote); ++i)
                    skip(1);
                return;
            } else {
                const bool isEnd = !isMultiLine && (m_rest.front() == quote || m_rest.front() == '\n');
                skip(1);
                if (isEnd)
                    return;
            }
        }
    }

    std::string_view m_rest;
    int m_line = 1;
};

}  // namespace

std::optional<Problem> findUnparsable(std::string_view toml) { return Scanner(toml).scan(); }

}  // namespace contract
