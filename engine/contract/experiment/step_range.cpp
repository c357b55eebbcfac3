#include "engine/contract/experiment/step_range.h"

#include "engine/contract/formats/text.h"

namespace contract {

std::optional<StepRange> parseStepRange(std::string_view text)
{
    constexpr std::string_view kTo = "..";
    const std::size_t to = text.find(kTo);
    const auto first = parseInteger(text.substr(0, to));
    const auto last = to == std::string_view::npos ? first : parseInteger(text.substr(to + kTo.size()));
    if (!first || !last || *first < 1 || *last < *first)
        return std::nullopt;
    return StepRange {*first, *last};
}

}  // namespace contract
