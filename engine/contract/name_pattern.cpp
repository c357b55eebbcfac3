#include "engine/contract/name_pattern.h"

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

bool fitsPattern(std::string_view name, std::string_view pattern)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return name == pattern;
    if (!name.starts_with(pattern.substr(0, star)))
        return false;
    name.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
        if (fitsPattern(name.substr(skipped), pattern))
            return true;
    }
    return false;
}

}  // namespace contract
