#include "engine/contract/formats/name_pattern.h"

#include <algorithm>

namespace contract {

std::vector<std::string_view> namePatterns(std::string_view text)
{
    std::vector<std::string_view> patterns;
    for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string_view part = text.substr(begin, end - begin);
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
        part.remove_suffix(part.size() - (part.find_last_not_of(' ') + 1));
        patterns.push_back(part);
        begin = end + 1;
    }
    return patterns;
}

bool matchesPattern(std::string_view name, std::string_view pattern)
{
    // On a mismatch the last star takes one more character; earlier stars never need to be retried.
    constexpr auto kNone = std::string_view::npos;
    std::size_t at = 0, afterStar = kNone, retried = 0;
    for (std::size_t i = 0; i < name.size();) {
        if (at < pattern.size() && pattern[at] == '*') {
            afterStar = ++at;
            retried = i;
        } else if (at < pattern.size() && pattern[at] == name[i]) {
            ++at;
            ++i;
        } else if (afterStar != kNone) {
            at = afterStar;
            i = ++retried;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', at) == kNone;
}

}  // namespace contract
