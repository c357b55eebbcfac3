#include "engine/contract/run/run_line.h"

#include <algorithm>
#include <charconv>

namespace contract {
namespace {

constexpr std::string_view kAutomatic = kLineDashes.front();

template <typename Value, std::size_t Count>
bool setWord(Value& value, const std::array<std::string_view, Count>& words, std::string_view text)
{
    const auto found = std::ranges::find(words, text);
    if (found == words.end())
        return false;
    value = static_cast<Value>(found - words.begin());
    return true;
}

}  // namespace

std::string colourText(const RunLine& line)
{
    if (!line.colour)
        return std::string(kAutomatic);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "#";
    for (int shift = 20; shift >= 0; shift -= 4)
        text += kDigits[(*line.colour >> shift) & 0xf];
    return text;
}

std::string dashText(const RunLine& line) { return std::string(kLineDashes[static_cast<std::size_t>(line.dash)]); }

std::string markerText(const RunLine& line) { return std::string(kLineMarkers[static_cast<std::size_t>(line.marker)]); }

bool setColour(RunLine& line, std::string_view text)
{
    constexpr std::size_t kDigits = 6;
    if (text == kAutomatic) {
        line.colour.reset();
        return true;
    }
    if (text.starts_with('#'))
        text.remove_prefix(1);
    std::uint32_t colour = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), colour, 16);
    if (text.size() != kDigits || error != std::errc() || end != text.data() + text.size())
        return false;
    line.colour = colour;
    return true;
}

bool setDash(RunLine& line, std::string_view text) { return setWord(line.dash, kLineDashes, text); }

bool setMarker(RunLine& line, std::string_view text) { return setWord(line.marker, kLineMarkers, text); }

}  // namespace contract
