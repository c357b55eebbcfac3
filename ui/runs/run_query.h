// The typed filter of the runs table: "lora state:failed", "loss < 0.2 and not tag:old", "optim.lr >= 1e-4 or min(loss) < 0.1".
//
// A query is words and comparisons, joined by "and" (which may be left out), "or" and "not", and grouped by parentheses. A run
// matches a word when its id, name, project, tags, note or state contains it. A comparison names what it compares:
//
//   name project note id      text:   ":" contains, "=" and "!=" the whole text; case does not matter
//   tag state                 one tag, the state:  ":" and "=" the whole word, "!=" that it is not
//   step steps ranks attempts numbers
//   optim.lr …                an option: as a number or as text
//   loss …                    a metric: its last value; min(loss) and max(loss): the lowest and highest of its values
//
// A run that does not have the option or the metric does not match, whatever it is compared with. Text in double quotes is
// taken as it is.
#pragma once
#include "ui/runs/run_entry.h"

#include <QString>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ui {

class RunQuery {
public:
    /// What is wrong with the text, in one sentence, and where.
    struct Problem {
        QString sentence;
        qsizetype position = 0;  ///< in the text
        qsizetype length = 0;    ///< 0: at the end of the text
    };
    struct Parsed;

    /// Matches every run.
    RunQuery() = default;

    /// @param known nullptr: which options and metrics there are is not known yet, so any name may be one
    static Parsed parse(const QString& text, const storage::FieldNames* known);

    bool isEmpty() const { return !m_root; }
    /// The options and metrics that the query compares.
    const std::vector<storage::RunField>& fields() const { return m_fields; }
    /// @param fields which values @p entry has: RunsModel::fields()
    bool matches(const RunEntry& entry, std::span<const storage::RunField> fields) const;

    struct Node;

private:
    std::shared_ptr<const Node> m_root;
    std::vector<storage::RunField> m_fields;
};

struct RunQuery::Parsed {
    RunQuery query;  ///< matches every run when there is a problem
    std::optional<Problem> problem;
};

}  // namespace ui
