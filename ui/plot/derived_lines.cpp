#include "ui/plot/lines/derived_lines.h"

#include <set>
#include <utility>
#include <vector>

namespace ui {

void DerivedLines::setRecipe(const Recipe& recipe)
{
    if (m_recipe == recipe)
        return;
    m_recipe = recipe;
    m_deltas.clear();
    m_groups.clear();
    m_lines.clear();
}

std::size_t DerivedLines::Plan::pointsToDo() const
{
    std::size_t points = 0;
    for (const auto& [key, delta] : deltas)
        points += delta.pointsToDo();
    for (const auto& [key, group] : groups)
        points += group.pointsToDo();
    return points;
}

void DerivedLines::Plan::extend()
{
    for (auto& [key, delta] : deltas)
        delta.extend();
    for (auto& [key, group] : groups)
        group.extend();
}

void DerivedLines::Plan::extendCopies()
{
    for (auto& [key, delta] : deltas)
        delta.line = std::make_shared<LineData>(*delta.line);
    for (auto& [key, group] : groups)
        group.detach();
    extend();
}

DerivedLines::Plan DerivedLines::planned(const Lines& recorded) const
{
    Plan plan {m_recipe, {}, {}};
    if (!m_recipe.baseline.empty())
        planDeltas(recorded, plan);
    else
        planGroups(recorded, plan);
    return plan;
}

void DerivedLines::planDeltas(const Lines& recorded, Plan& plan) const
{
    for (const auto& [key, line] : recorded) {
        const auto other = recorded.find({m_recipe.baseline, key.metric, key.rank});
        if (key.run == m_recipe.baseline || other == recorded.end() || line->isThinned || other->second->isThinned)
            continue;
        const auto known = m_deltas.find(key);
        if (known != m_deltas.end() && known->second.source == line && known->second.baseline == other->second) {
            plan.deltas.emplace(key, known->second);
            continue;
        }
        DeltaLine delta {line, other->second, std::make_shared<LineData>()};
        delta.line->key = key;
        plan.deltas.emplace(key, std::move(delta));
    }
}

void DerivedLines::planGroups(const Lines& recorded, Plan& plan) const
{
    std::map<LineKey, std::vector<std::shared_ptr<const LineData>>> members;
    for (const auto& [key, line] : recorded) {
        const auto group = m_recipe.groups.find(key.run);
        if (group != m_recipe.groups.end() && !line->isThinned)
            members[{group->second, key.metric, 0}].push_back(line);
    }
    for (const auto& [key, lines] : members) {
        const auto known = m_groups.find(key);
        if (known != m_groups.end() && known->second.sources == lines)
            plan.groups.emplace(key, known->second);
        else
            plan.groups.emplace(key, GroupLine(lines, key, m_recipe.grouping.band));
    }
}

void DerivedLines::take(const Plan& plan)
{
    if (plan.recipe != m_recipe)
        return;
    m_deltas = plan.deltas;
    m_groups = plan.groups;
    m_lines.clear();
    for (const auto& [key, delta] : m_deltas)
        m_lines.emplace(key, delta.line);
    for (const auto& [key, group] : m_groups) {
        m_lines.emplace(key, group.mean);
        if (group.sources.size() == 1)
            continue;  // it has no band
        for (const auto& edge : {group.low, group.high})
            m_lines.emplace(edge->key, edge);
    }
}

void DerivedLines::replace(const std::shared_ptr<LineData>& line)
{
    const auto found = m_lines.find(line->key);
    if (found == m_lines.end())
        return;
    found->second = line;
    if (const auto delta = m_deltas.find(line->key); delta != m_deltas.end())
        delta->second.line = line;
    LineKey key = line->key;
    const LinePart part = std::exchange(key.part, LinePart::Line);
    if (const auto group = m_groups.find(key); group != m_groups.end()) {
        GroupLine& own = group->second;
        (part == LinePart::Low ? own.low : part == LinePart::High ? own.high : own.mean) = line;
    }
}

}  // namespace ui
