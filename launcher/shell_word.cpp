#include "launcher/base/shell_word.h"

namespace launcher {

std::string shellWord(const std::string& text)
{
    constexpr char kPlain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+:@%,=";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos)
        return text;
    std::string result = "'";
    for (const char each : text)
        result += each == '\'' ? std::string("'\\''") : std::string(1, each);
    return result + "'";
}

}  // namespace launcher
