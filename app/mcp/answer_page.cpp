#include "app/mcp/answer_page.h"

#include "app/cli/format.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace app {
namespace {

constexpr std::size_t kMostListBytes = 100'000;
constexpr std::size_t kLongestListed = 2000;  // bytes of a text

std::string counted(std::size_t count) { return formatCount(static_cast<std::int64_t>(count)); }

class Cutter {
public:
    Cutter(const AnswerList& list, std::size_t limit, std::size_t offset)
        : m_list(list)
        , m_limit(limit)
        , m_offset(offset)
    {
    }

    void cut(Json& list)
    {
        const std::size_t size = list.size(), left = size - std::min(m_offset, size);
        std::vector<Json> kept;
        while (kept.size() < std::min(left, m_limit) && (kept.empty() || m_bytes < kMostListBytes)) {
            const std::size_t at = m_offset + kept.size();
            kept.push_back(std::move(list[m_list.isNewestLast ? size - 1 - at : at]));
            shortenTexts(kept.back());
            m_bytes += contract::jsonText(kept.back()).size();
        }
        if (m_list.isNewestLast)
            std::ranges::reverse(kept);
        m_longest = std::max(m_longest, size);
        if (kept.size() < left)
            m_next = std::min(m_next, m_offset + kept.size());
        list = Json(std::move(kept));
    }

    std::string note() const
    {
        const std::string name = m_list.key.empty() ? "the list" : contract::inQuotes(m_list.key);
        std::string text;
        if (m_next != kNone)
            text = name + " has " + counted(m_longest) + " elements, of which not all are given; \"offset\": " + std::to_string(m_next)
                + (m_list.isNewestLast ? " gives those before" : " gives those that follow");
        else if (m_offset > 0 && m_offset >= m_longest)
            text = name + " has no more than " + counted(m_longest) + " elements";
        if (m_isShortened)
            text += std::string(text.empty() ? "" : "; ") + "texts that end with \"…\" are longer than " + counted(kLongestListed) + " bytes and were shortened";
        return text;
    }

private:
    void shortenTexts(Json& value)
    {
        if (value.is_structured()) {
            for (Json& each : value)
                shortenTexts(each);
        } else if (value.is_string() && value.get_ref<const std::string&>().size() > kLongestListed) {
            value = contract::shortened(value.get_ref<const std::string&>(), kLongestListed);
            m_isShortened = true;
        }
    }

    static constexpr std::size_t kNone = SIZE_MAX;
    const AnswerList& m_list;
    std::size_t m_limit, m_offset;
    std::size_t m_bytes = 0;
    std::size_t m_longest = 0;     ///< elements of the longest list
    std::size_t m_next = kNone;    ///< the lowest offset of an element that follows the part; none: the part is the last
    bool m_isShortened = false;
};

}  // namespace

AnswerPage pageOf(Json document, const AnswerList& list, std::size_t limit, std::size_t offset)
{
    Cutter cutter(list, limit, offset);
    if (list.key.empty()) {
        if (document.is_array())
            cutter.cut(document);
    } else if (document.is_array()) {
        for (Json& each : document) {
            if (each.is_object() && each.contains(list.key) && each[list.key].is_array())
                cutter.cut(each[list.key]);
        }
    } else if (document.is_object() && document.contains(list.key) && document[list.key].is_array()) {
        cutter.cut(document[list.key]);
    }
    return {contract::jsonText(document), cutter.note()};
}

}  // namespace app
