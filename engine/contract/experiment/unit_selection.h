// A selection of a model's units, written as `none`, `all`, `every 2` or `blocks.0, blocks.1*`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

class UnitSelection {
public:
    /// Selects no unit.
    UnitSelection() = default;

    /// Names are patterns as in name_pattern.h. "every N" selects the N-th block, the 2N-th and so on; "all" selects all
    /// blocks. Nullopt when @p text is in none of these forms.
    static std::optional<UnitSelection> parse(std::string_view text);

    /// @param index of the unit; 0 is the root, which only a name can select
    bool contains(std::size_t index, std::string_view name) const;

    /// The patterns of this selection that match none of @p units.
    std::vector<std::string> unmatched(const std::vector<std::string>& units) const;

private:
    std::size_t m_every = 0;
    std::vector<std::string> m_names;
};

}  // namespace contract
