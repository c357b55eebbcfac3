#include "tests/fuzz/verdict.h"

#include "engine/contract/formats/text.h"

#include <algorithm>
#include <array>

namespace fuzz {

void checkMessage(std::string_view message)
{
    using namespace std::string_view_literals;
    constexpr std::size_t kMostBytes = 4000;  // a path and two quoted names, each of 200 bytes and escaped
    constexpr std::array kForeign = {"json.exception"sv, "filesystem error"sv, "basic_string"sv, "std::"sv, "vector::"sv, "bad_alloc"sv, "stoi"sv,
        "regex_error"sv, "terminate called"sv, "Unexpected character in"sv};
    const auto fail = [&](const std::string& what) {
        std::string quoted;
        contract::appendJsonString(quoted, message.substr(0, 3000));
        throw Finding("a message " + what + ": " + quoted);
    };
    if (message.empty())
        fail("is empty");
    if (message.size() > kMostBytes)
        fail("has " + std::to_string(message.size()) + " bytes");
    if (!contract::isUtf8(message))
        fail("is not UTF-8");
    if (std::ranges::any_of(message, [](char character) { return static_cast<unsigned char>(character) < 0x20 || character == 0x7f; }))
        fail("has control characters");
    for (const std::string_view word : kForeign) {
        if (message.find(word) != std::string_view::npos)
            fail("has the words of a library");
    }
}

}  // namespace fuzz
