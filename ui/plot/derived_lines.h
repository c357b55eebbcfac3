// The lines that are drawn in place of those that were recorded: differences from a baseline, or the means of groups.
//
// They are brought up to date in three steps, so that the second may run on another thread: planned() on the GUI thread, extend() or
// extendCopies() of the plan, take() on the GUI thread.
#pragma once
#include "ui/plot/lines/delta_line.h"
#include "ui/plot/lines/group_line.h"

#include <map>
#include <memory>
#include <string>

namespace ui {

class DerivedLines {
public:
    using Lines = std::map<LineKey, std::shared_ptr<LineData>>;
    using GroupOfRun = std::map<std::string, std::string>;  ///< id → key, see groupKey()

    /// What to derive: the differences of the other runs from @p baseline; or, if that is empty, the means of groups.
    struct Recipe {
        std::string baseline;
        Grouping grouping;
        GroupOfRun groups;
        bool operator==(const Recipe&) const = default;
    };
    /// Forgets all lines when @p recipe is another one.
    void setRecipe(const Recipe& recipe);
    const Recipe& recipe() const { return m_recipe; }
    bool isOn() const { return !m_recipe.baseline.empty() || m_recipe.grouping.by != Grouping::By::Nothing; }

    struct Plan {
        Recipe recipe;
        std::map<LineKey, DeltaLine> deltas;
        std::map<LineKey, GroupLine> groups;

        std::size_t pointsToDo() const;
        void extend();
        /// Extends copies of the lines, so that those which are shown can be drawn meanwhile.
        void extendCopies();
    };
    /// What there is to derive of @p recorded by now.
    Plan planned(const Lines& recorded) const;
    /// Shows the lines of @p plan. No-op when its recipe is another one by now.
    void take(const Plan& plan);

    const Lines& lines() const { return m_lines; }
    /// Shows @p line in place of the one with its key. No-op when there is none.
    void replace(const std::shared_ptr<LineData>& line);

private:
    void planDeltas(const Lines& recorded, Plan& plan) const;
    void planGroups(const Lines& recorded, Plan& plan) const;

    Recipe m_recipe;
    std::map<LineKey, DeltaLine> m_deltas;
    std::map<LineKey, GroupLine> m_groups;
    Lines m_lines;
};

}  // namespace ui
