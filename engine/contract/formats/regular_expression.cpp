#include "engine/contract/formats/regular_expression.h"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace contract {
namespace {

using Kind = ExpressionAutomaton::Kind;
using State = ExpressionAutomaton::State;

constexpr std::size_t kMaxText = 10'000;
constexpr std::size_t kMaxVisits = 30'000'000;  // more than any expression without look-ahead makes in the longest text

/// Matches one text. Each state is visited at most once for each place in the text, and each look-ahead is decided once.
class Match {
public:
    Match(const std::vector<State>& states, std::string_view text)
        : m_states(states)
        , m_text(text)
    {
    }

    /// @param isWhole whether the match must end at the end of the text
    bool matches(std::size_t start, std::size_t begin, bool isWhole)
    {
        std::vector<std::size_t> now = {start}, next;
        for (std::size_t at = begin;; ++at) {
            countVisits(1 + m_states.size() / 64);  // of the next vector
            std::vector<bool> isKnown(m_states.size());
            next.clear();
            while (!now.empty()) {
                const std::size_t index = now.back();
                now.pop_back();
                if (isKnown[index])
                    continue;
                isKnown[index] = true;
                countVisits(1);
                const State& state = m_states[index];
                if (state.kind == Kind::Accept && (!isWhole || at == m_text.size()))
                    return true;
                if (state.kind == Kind::Character && at < m_text.size() && state.characters.test(static_cast<unsigned char>(m_text[at])))
                    next.push_back(state.next);
                if (state.kind == Kind::Fork)
                    now.insert(now.end(), {state.next, state.other});
                else if (state.kind != Kind::Character && state.kind != Kind::Accept && holds(index, at))
                    now.push_back(state.next);
            }
            if (next.empty() || at == m_text.size())
                return false;
            now.swap(next);
        }
    }

private:
    void countVisits(std::size_t more)
    {
        m_visits += more;
        if (m_visits > kMaxVisits)
            throw std::runtime_error("takes too long to match a text of " + std::to_string(m_text.size()) + " bytes, because of its look-ahead");
    }

    /// Whether a condition on the place @p at is met.
    bool holds(std::size_t index, std::size_t at)
    {
        const State& state = m_states[index];
        if (state.kind == Kind::Begin)
            return at == 0;
        if (state.kind == Kind::End)
            return at == m_text.size();
        if (state.kind == Kind::WordEdge || state.kind == Kind::NoWordEdge) {
            const bool isEdge = isWordAt(at) != (at > 0 && isWordAt(at - 1));
            return isEdge == (state.kind == Kind::WordEdge);
        }
        const auto [known, isNew] = m_ahead.try_emplace({index, at}, false);
        if (isNew)
            known->second = matches(state.other, at, false);
        return known->second == (state.kind == Kind::Ahead);
    }

    bool isWordAt(std::size_t at) const { return at < m_text.size() && isWordCharacter(m_text[at]); }

    const std::vector<State>& m_states;
    std::string_view m_text;
    std::size_t m_visits = 0;
    std::map<std::pair<std::size_t, std::size_t>, bool> m_ahead;  ///< by state and place
};

}  // namespace

RegularExpression::RegularExpression(std::string_view pattern)
    : m_automaton(parseExpression(pattern))
{
}

bool RegularExpression::matches(std::string_view text) const
{
    if (text.size() > kMaxText)
        throw std::runtime_error("is matched with a text of more than " + std::to_string(kMaxText) + " bytes");
    return Match(m_automaton.states, text).matches(m_automaton.start, 0, true);
}

}  // namespace contract
