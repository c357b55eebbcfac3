#include "app/mcp/sample_image.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/text.h"

#include <QByteArray>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace app {
namespace {

namespace fs = std::filesystem;

/// By the first bytes; empty for other files.
std::string imageType(std::string_view bytes)
{
    if (bytes.starts_with("\x89PNG\r\n\x1a\n"))
        return "image/png";
    if (bytes.starts_with("\xff\xd8\xff"))
        return "image/jpeg";
    if (bytes.starts_with("RIFF") && bytes.substr(8).starts_with("WEBP"))
        return "image/webp";
    return bytes.starts_with("GIF8") ? "image/gif" : "";
}

/// Whether @p file is below @p folder, once all links are followed.
bool isBelow(const fs::path& folder, const fs::path& file)
{
    std::error_code error;
    const fs::path real = fs::weakly_canonical(file, error), top = fs::weakly_canonical(folder, error);
    const fs::path relative = real.lexically_relative(top);
    return !error && !relative.empty() && *relative.begin() != "..";
}

}  // namespace

EncodedImage readSampleImage(const contract::RunFolder& run, const std::string& file)
{
    constexpr std::uint64_t kMostBytes = 8'000'000;
    const std::string name = contract::inQuotes(contract::shortened(file));
    const fs::path path = run.root() / file;
    if (fs::path(file).is_absolute() || file.find('\0') != std::string::npos || !isBelow(run.samples(), path))
        throw std::runtime_error(name + " is not a sample of run " + run.id() + "; list_samples says which there are");
    const std::string bytes = contract::fileContent(path, kMostBytes, contract::Links::Refuse);
    const std::string type = imageType(bytes);
    if (type.empty())
        throw std::runtime_error(name + " is not a PNG, JPEG, WebP or GIF image; it lies in " + path.string());
    return {type, QByteArray::fromRawData(bytes.data(), static_cast<qsizetype>(bytes.size())).toBase64().toStdString()};
}

}  // namespace app
