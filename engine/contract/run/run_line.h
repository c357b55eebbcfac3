// How a run's lines are drawn in plots, as far as the user has chosen it.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contract {

// Automatic: the window chooses, so that runs differ.
enum class LineDash { Automatic, Solid, Dash, Dot, DashDot };
enum class LineMarker { Automatic, None, Circle, Square, Triangle, Diamond };

struct RunLine {
    std::optional<std::uint32_t> colour = {};  ///< 0xRRGGBB; nullopt: automatic
    LineDash dash = LineDash::Automatic;
    LineMarker marker = LineMarker::Automatic;
    bool operator==(const RunLine&) const = default;
};

// The words in files and on the command line, in the order of the enumerations.
inline constexpr std::array<std::string_view, 5> kLineDashes {"automatic", "solid", "dash", "dot", "dash-dot"};
inline constexpr std::array<std::string_view, 6> kLineMarkers {"automatic", "none", "circle", "square", "triangle", "diamond"};

std::string colourText(const RunLine& line);  ///< "#0072b2", or "automatic"
std::string dashText(const RunLine& line);
std::string markerText(const RunLine& line);

// Each reads one of these texts. Returns false, and leaves @p line as it is, when the text has no such meaning.
bool setColour(RunLine& line, std::string_view text);  ///< the # may be missing: shells take it for the start of a comment
bool setDash(RunLine& line, std::string_view text);
bool setMarker(RunLine& line, std::string_view text);

}  // namespace contract
