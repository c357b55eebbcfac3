// The parts of a parsed RunQuery. Private to run_query*.cpp.
#pragma once
#include "ui/runs/run_query.h"

namespace ui {

struct RunQuery::Node {
    enum class Kind { And, Or, Not, Word, Comparison };
    enum class Subject { Id, Name, Project, Note, Tag, State, Step, Steps, Ranks, Attempts, Field };
    enum class Operator { Contains, Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };

    Kind kind = Kind::And;
    std::vector<std::shared_ptr<const Node>> parts;  ///< of And, Or and Not

    // of Word and Comparison
    QString text;
    std::optional<double> number;  ///< the text as a number, if it is one

    // of Comparison
    Subject subject = Subject::Field;
    Operator comparison = Operator::Equal;
    storage::RunField field;
};

}  // namespace ui
