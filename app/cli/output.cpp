#include "app/cli/output.h"

#include "app/cli/failure.h"
#include "app/cli/format.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace app {

Json jsonNumber(double value)
{
    return std::isfinite(value) ? Json(value) : Json(contract::shortestText(value));
}

void printText(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw Failure("standard output cannot be written: " + std::string(std::strerror(errno)));
}

void printJson(const Json& document)
{
    printText(contract::jsonText(document, 2) + "\n");
}

void printWarning(std::string_view sentence)
{
    std::fprintf(stderr, "warning: %s\n", printable(contract::shortened(sentence, 4000)).c_str());
}

void printError(std::string_view sentence)
{
    std::fprintf(stderr, "error: %s\n", printable(contract::shortened(sentence, 4000)).c_str());
}

}  // namespace app
