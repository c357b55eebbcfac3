// Some of a model's units, as a person names them: `none`, `all`, `every 2`, `blocks.0, blocks.1*`.
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
    /// Selects none.
    UnitSelection() = default;

    /// Names are patterns as in name_pattern.h; "every N" selects every N-th block, the N-th being the first, and
    /// "all" all blocks. Nothing for what is none of that.
    static std::optional<UnitSelection> parse(std::string_view text);

    /// @param index of the unit; 0 is the root, which is selected by its name only.
    bool contains(std::size_t index, std::string_view name) const;

    /// Which of the names none of @p units has.
    std::vector<std::string> unmatched(const std::vector<std::string>& units) const;

private:
    std::size_t m_every = 0;
    std::vector<std::string> m_names;
};

}  // namespace contract
