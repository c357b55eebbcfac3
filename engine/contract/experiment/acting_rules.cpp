#include "engine/contract/experiment/acting_rules.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace contract {
namespace {

using Test = ActingRule::Test;
using Action = ActingRule::Action;

constexpr std::int64_t kMostSteps = 1'000'000'000;
// "<=" before "<", of which it would be the beginning.
constexpr std::array<std::pair<std::string_view, Test>, 4> kTests
    = {{{"<=", Test::LessOrEqual}, {">=", Test::GreaterOrEqual}, {"<", Test::Less}, {">", Test::Greater}}};
constexpr std::array<std::pair<std::string_view, Action>, 4> kActions
    = {{{"notify", Action::Notify}, {"checkpoint", Action::Checkpoint}, {"sample", Action::Sample}, {"stop", Action::Stop}}};

std::vector<std::string_view> parts(std::string_view text, char separator)
{
    std::vector<std::string_view> all;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        all.push_back(trimmed(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return all;
}

std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> all;
    for (const std::string_view word : parts(text, ' ')) {
        if (!word.empty())
            all.push_back(word);
    }
    return all;
}

template <typename Number>
std::optional<Number> numberOf(std::string_view text)
{
    Number number {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

/// Takes "for 5 steps" off the end of @p words. @return what is wrong; empty: nothing
std::string takeSteps(std::vector<std::string_view>& words, ActingRule& rule)
{
    const std::size_t count = words.size();
    if (count < 3 || words[count - 3] != "for" || (words.back() != "steps" && words.back() != "step"))
        return {};
    const auto steps = numberOf<std::int64_t>(words[count - 2]);
    if (!steps || *steps < 1 || *steps > kMostSteps)
        return quoted(words[count - 2]) + " is no number of steps";
    rule.steps = *steps;
    words.resize(count - 3);
    return {};
}

std::string takeCondition(std::string_view text, ActingRule& rule)
{
    std::vector<std::string_view> all = words(text);
    if (const std::string problem = takeSteps(all, rule); !problem.empty())
        return problem;
    if (all.size() == 4 && all[1] == "is" && all[2] == "not" && all[3] == "finite") {
        rule.test = Test::NotFinite;
        rule.metric = all[0];
        return {};
    }
    std::string condition;
    for (const std::string_view word : all)
        condition += word;
    for (const auto& [sign, test] : kTests) {
        const std::size_t place = condition.find(sign);
        if (place == std::string::npos)
            continue;
        const auto limit = numberOf<double>(std::string_view(condition).substr(place + sign.size()));
        if (place == 0 || !limit || !std::isfinite(*limit))
            break;
        rule.metric = condition.substr(0, place);
        rule.test = test;
        rule.limit = *limit;
        return {};
    }
    return quoted(text) + " is no condition such as \"loss > 2\", \"grad_norm > 100 for 5 steps\" or \"loss is not finite\"";
}

std::string takeActions(std::string_view text, ActingRule& rule)
{
    for (const std::string_view word : parts(text, ',')) {
        const auto known = std::ranges::find(kActions, word, &std::pair<std::string_view, Action>::first);
        if (known == kActions.end())
            return quoted(word) + " is no action; there are notify, checkpoint, sample and stop";
        if (!rule.has(known->second))
            rule.actions.push_back(known->second);
    }
    return {};
}

}  // namespace

bool ActingRule::isMet(double value) const
{
    switch (test) {
    case Test::Less:
        return std::isfinite(value) && value < limit;
    case Test::LessOrEqual:
        return std::isfinite(value) && value <= limit;
    case Test::Greater:
        return std::isfinite(value) && value > limit;
    case Test::GreaterOrEqual:
        return std::isfinite(value) && value >= limit;
    case Test::NotFinite:
        break;
    }
    return !std::isfinite(value);
}

bool ActingRule::has(Action action) const { return std::ranges::find(actions, action) != actions.end(); }

ActingRules parseActingRules(std::string_view text)
{
    ActingRules parsed;
    if (trimmed(text).empty())
        return parsed;
    for (const std::string_view part : parts(text, '|')) {
        ActingRule rule;
        rule.text = part;
        const std::size_t colon = part.rfind(':');
        std::string problem;
        if (part.empty())
            problem = "a rule is empty";
        else if (colon == std::string_view::npos)
            problem = quoted(part) + " names no action; add one, as in \"loss > 2: stop\"";
        else
            problem = takeCondition(trimmed(part.substr(0, colon)), rule);
        if (problem.empty())
            problem = takeActions(part.substr(colon + 1), rule);
        if (!problem.empty())
            return {{}, problem};
        parsed.rules.push_back(std::move(rule));
    }
    return parsed;
}

RuleWatch::RuleWatch(ActingRule rule)
    : m_rule(std::move(rule))
{
}

bool RuleWatch::take(std::int64_t step, double value)
{
    if (!m_rule.isMet(value)) {
        m_since.reset();
        m_hasFired = false;
        return false;
    }
    if (!m_since)
        m_since = step;
    if (m_hasFired || step - *m_since + 1 < m_rule.steps)
        return false;
    m_hasFired = true;
    return true;
}

std::string FiredRule::sentence() const
{
    return rule.text + " (" + rule.metric + " is " + shortestText(value) + " at step " + std::to_string(step) + ")";
}

RuleWatches::RuleWatches(const std::vector<ActingRule>& rules)
    : m_watches(rules.begin(), rules.end())
{
}

void RuleWatches::take(std::int64_t step, std::string_view metric, double value, std::vector<FiredRule>& fired)
{
    for (RuleWatch& watch : m_watches) {
        if (watch.rule().metric == metric && watch.take(step, value))
            fired.push_back({watch.rule(), step, value});
    }
}

}  // namespace contract
