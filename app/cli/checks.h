// Checks of options' values whose messages are fit to be read: CLI11's own name the largest double.
#pragma once
#include "app/cli/cli11.h"
#include "engine/contract/formats/text.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace app {

/// Accepts whole numbers from @p least on.
inline CLI::Validator wholeNumberFrom(std::int64_t least)
{
    const auto check = [least](std::string& text) -> std::string {
        std::int64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc() && stop == end && number >= least)
            return {};
        return text + " is not a whole number from " + std::to_string(least) + " on";
    };
    return CLI::Validator(check, "");
}

/// Accepts numbers from @p least to @p most; NaN, which CLI::Range accepts, is none.
inline CLI::Validator numberBetween(double least, double most)
{
    const auto check = [least, most](std::string& text) -> std::string {
        const auto number = contract::parseReal(text);
        if (number && *number >= least && *number <= most)
            return {};
        return text + " is not a number from " + contract::shortestText(least) + " to " + contract::shortestText(most);
    };
    return CLI::Validator(check, "");
}

}  // namespace app
