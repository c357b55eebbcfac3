#include "app/cli/qt_arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace app {
namespace {

constexpr std::array<std::string_view, 12> kWithValue = {"display", "geometry", "platform", "platformpluginpath", "platformtheme",
    "plugin", "qwindowgeometry", "qwindowicon", "qwindowtitle", "session", "style", "stylesheet"};
constexpr std::array<std::string_view, 2> kFlags = {"reverse", "widgetcount"};

}  // namespace

SplitArguments splitArguments(int argc, char** argv)
{
    SplitArguments split;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const std::size_t dashes = argument.starts_with("--") ? 2 : argument.starts_with("-") ? 1 : argument.size();
        const std::size_t equals = argument.find('=');
        const std::string_view name = argument.substr(dashes, equals == std::string_view::npos ? equals : equals - dashes);
        const bool isFlag = std::ranges::find(kFlags, name) != kFlags.end() && equals == std::string_view::npos;
        const bool takesValue = std::ranges::find(kWithValue, name) != kWithValue.end();
        if (!isFlag && !takesValue) {
            split.own.emplace_back(argument);
            continue;
        }
        split.qt.push_back("-" + std::string(name));
        if (takesValue && equals != std::string_view::npos)
            split.qt.emplace_back(argument.substr(equals + 1));
        else if (takesValue && i + 1 < argc)
            split.qt.emplace_back(argv[++i]);
    }
    return split;
}

}  // namespace app
