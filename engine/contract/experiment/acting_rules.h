// Rules that act on a run while it trains: "loss is not finite: stop | grad_norm > 100 for 5 steps: notify, checkpoint".
//
//   RULES     := RULE { "|" RULE }
//   RULE      := METRIC CONDITION [ "for" N ("step" | "steps") ] ":" ACTION { "," ACTION }
//   CONDITION := ("<" | "<=" | ">" | ">=") NUMBER | "is not finite"
//   ACTION    := "notify" | "checkpoint" | "sample" | "stop"
//
// A metric is one that rank 0 records. A rule fires at the first step at which its condition has held at every recorded value over N steps (without
// "for": at the first such value), and again only after the condition has not held in between.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

struct ActingRule {
    enum class Test { Less, LessOrEqual, Greater, GreaterOrEqual, NotFinite };
    enum class Action { Notify, Checkpoint, Sample, Stop };

    std::string text;  ///< as written, without spaces around it
    std::string metric;
    Test test = Test::Greater;
    double limit = 0;  ///< not of NotFinite
    std::int64_t steps = 1;
    std::vector<Action> actions;  ///< at least one, in the order in which they are written

    /// A value that is not finite satisfies NotFinite and no other test.
    bool isMet(double value) const;
    bool has(Action action) const;
};

struct ActingRules {
    std::vector<ActingRule> rules;
    std::string problem;  ///< what is wrong with the text, in one sentence without its end; empty: nothing, and rules holds all
};

/// Parses the value of run.rules; empty text has no rules.
ActingRules parseActingRules(std::string_view text);

/// Follows the values of a rule's metric.
class RuleWatch {
public:
    explicit RuleWatch(ActingRule rule);

    const ActingRule& rule() const { return m_rule; }
    /// Takes the value of the rule's metric at @p step, which must ascend. @return whether the rule fires there
    bool take(std::int64_t step, double value);

private:
    ActingRule m_rule;
    std::optional<std::int64_t> m_since;  ///< the step from which on the condition has held
    bool m_hasFired = false;              ///< since then
};

struct FiredRule {
    ActingRule rule;
    std::int64_t step = 0;
    double value = 0;

    /// "loss > 2: stop (loss is 2.31 at step 412)".
    std::string sentence() const;
};

/// The "kind" of the event that the supervisor's journal has of a rule that has fired; its message is FiredRule::sentence().
inline constexpr char kRuleEvent[] = "rule";

/// Follows the values that rank 0 of an attempt records, for all rules of an experiment.
class RuleWatches {
public:
    explicit RuleWatches(const std::vector<ActingRule>& rules);

    bool isEmpty() const { return m_watches.empty(); }
    /// Takes a value of @p metric at @p step, which must not descend. Adds the rules that fire there to @p fired, in the order in which they
    /// are written.
    void take(std::int64_t step, std::string_view metric, double value, std::vector<FiredRule>& fired);

private:
    std::vector<RuleWatch> m_watches;
};

}  // namespace contract
