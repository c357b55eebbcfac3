#include "ui/runs/run_query.h"

#include "ui/base/look.h"
#include "ui/runs/run_query_node.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using Node = RunQuery::Node;
using Subject = Node::Subject;
using Operator = Node::Operator;

bool compares(Operator comparison, double a, double b)
{
    switch (comparison) {
    case Operator::Less:
        return a < b;
    case Operator::LessOrEqual:
        return a <= b;
    case Operator::Greater:
        return a > b;
    case Operator::GreaterOrEqual:
        return a >= b;
    case Operator::NotEqual:
        return a != b && !(std::isnan(a) && std::isnan(b));
    default:
        return a == b || (std::isnan(a) && std::isnan(b));
    }
}

bool compares(Operator comparison, const QString& a, const QString& b)
{
    if (comparison == Operator::Contains)
        return a.contains(b, Qt::CaseInsensitive);
    const bool isEqual = a.compare(b, Qt::CaseInsensitive) == 0;
    return comparison == Operator::NotEqual ? !isEqual : isEqual;
}

bool isState(const RunEntry& entry, const QString& word)
{
    if (!entry.status)
        return false;
    const std::string_view name = launcher::stateName(entry.status->state);
    return word.compare(QLatin1String(name.data(), qsizetype(name.size())), Qt::CaseInsensitive) == 0
        || word.compare(stateWord(entry.status->state), Qt::CaseInsensitive) == 0;
}

bool hasTag(const RunEntry& entry, const QString& word)
{
    return std::ranges::any_of(entry.row.tags,
        [&](const std::string& tag) { return QString::fromStdString(tag).compare(word, Qt::CaseInsensitive) == 0; });
}

/// What the run has for the field. The loss is known also of a run without journals here, in a mirror of another machine.
FieldValue valueOf(const storage::RunField& field, const RunEntry& entry, std::span<const storage::RunField> fields)
{
    const auto at = static_cast<std::size_t>(std::ranges::find(fields, field) - fields.begin());
    FieldValue value = at < entry.values.size() ? entry.values[at] : FieldValue();
    if (value.isMissing() && field.kind == storage::RunField::Kind::Last && field.name == "loss")
        value.number = entry.loss();
    return value;
}

bool matchesField(const Node& node, const RunEntry& entry, std::span<const storage::RunField> fields)
{
    const FieldValue value = valueOf(node.field, entry, fields);
    if (value.isMissing())
        return false;
    if (node.comparison == Operator::Contains)
        return value.text.isEmpty() ? value.number && node.number && *value.number == *node.number
            : compares(node.comparison, value.text, node.text);
    if (value.number && node.number)
        return compares(node.comparison, *value.number, *node.number);
    const bool isOrder = node.comparison != Operator::Equal && node.comparison != Operator::NotEqual;
    return !isOrder && compares(node.comparison, value.text, node.text);
}

bool matchesComparison(const Node& node, const RunEntry& entry, std::span<const storage::RunField> fields)
{
    const bool isWanted = node.comparison != Operator::NotEqual;
    switch (node.subject) {
    case Subject::Id:
        return compares(node.comparison, entry.id(), node.text);
    case Subject::Name:
        return compares(node.comparison, entry.name(), node.text);
    case Subject::Project:
        return compares(node.comparison, QString::fromStdString(entry.row.project), node.text);
    case Subject::Note:
        return compares(node.comparison, QString::fromStdString(entry.row.notes), node.text);
    case Subject::Tag:
        return hasTag(entry, node.text) == isWanted;
    case Subject::State:
        return isState(entry, node.text) == isWanted;
    case Subject::Step:
        return compares(node.comparison, double(entry.step()), *node.number);
    case Subject::Steps:
        return compares(node.comparison, double(entry.totalSteps()), *node.number);
    case Subject::Ranks:
        return compares(node.comparison, double(entry.row.ranks), *node.number);
    case Subject::Attempts:
        return compares(node.comparison, double(entry.row.attempts), *node.number);
    case Subject::Field:
        return matchesField(node, entry, fields);
    }
    return false;
}

bool matchesWord(const QString& word, const RunEntry& entry)
{
    const auto contains = [&](const std::string& text) { return QString::fromStdString(text).contains(word, Qt::CaseInsensitive); };
    const storage::RunRow& row = entry.row;
    return contains(row.id) || contains(row.name) || contains(row.project) || std::ranges::any_of(row.tags, contains) || contains(row.notes)
        || (entry.status && stateWord(entry.status->state).contains(word, Qt::CaseInsensitive));
}

bool matchesNode(const Node& node, const RunEntry& entry, std::span<const storage::RunField> fields)
{
    const auto doesMatch = [&](const std::shared_ptr<const Node>& part) { return matchesNode(*part, entry, fields); };
    switch (node.kind) {
    case Node::Kind::And:
        return std::ranges::all_of(node.parts, doesMatch);
    case Node::Kind::Or:
        return std::ranges::any_of(node.parts, doesMatch);
    case Node::Kind::Not:
        return !doesMatch(node.parts.front());
    case Node::Kind::Word:
        return matchesWord(node.text, entry);
    case Node::Kind::Comparison:
        return matchesComparison(node, entry, fields);
    }
    return false;
}

}  // namespace

bool RunQuery::matches(const RunEntry& entry, std::span<const storage::RunField> fields) const
{
    return !m_root || matchesNode(*m_root, entry, fields);
}

}  // namespace ui
