#include "engine/contract/toml_guard.h"

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
        constexpr int kMostDots = 10'000;
        int dots = 0;
        while (!m_rest.empty()) {
            const auto character = static_cast<unsigned char>(m_rest.front());
            if (character >= 0x80)
                return Problem {"", "a character that TOML allows in quotes only stands outside them", m_line};
            if (character == '.' && ++dots > kMostDots)
                return Problem {"", "no experiment file: its keys have too many parts", m_line};
            if (character == '#')
                skipComment();
            else if (character == '"' || character == '\'')
                skipString();
            else
                take(1);
        }
        return std::nullopt;
    }

private:
    void take(std::size_t count)
    {
        count = std::min(count, m_rest.size());
        m_line += static_cast<int>(std::ranges::count(m_rest.substr(0, count), '\n'));
        m_rest.remove_prefix(count);
    }

    void skipComment() { take(m_rest.find('\n')); }

    void skipString()
    {
        const char quote = m_rest.front();
        const std::array three = {quote, quote, quote};
        const std::string_view delimiter(three.data(), three.size());
        const bool isMultiLine = m_rest.starts_with(delimiter);
        take(isMultiLine ? 3 : 1);
        while (!m_rest.empty()) {
            if (m_rest.front() == '\\' && quote == '"') {
                take(2);
            } else if (isMultiLine && m_rest.starts_with(delimiter)) {
                take(3);
                // Up to two more may stand before the delimiter, as part of the text.
                for (int i = 0; i < 2 && m_rest.starts_with(quote); ++i)
                    take(1);
                return;
            } else {
                const bool isEnd = !isMultiLine && (m_rest.front() == quote || m_rest.front() == '\n');
                take(1);
                if (isEnd)
                    return;
            }
        }
    }

    std::string_view m_rest;
    int m_line = 1;
};

}  // namespace

std::optional<Problem> unparsable(std::string_view toml) { return Scanner(toml).scan(); }

}  // namespace contract
