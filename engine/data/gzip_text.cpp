#include "engine/data/gzip_text.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/open_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

namespace engine {
namespace {

struct CloseGzip {
    void operator()(gzFile file) const { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& fault)
{
    throw EngineError(EngineError::Kind::Failure, file.string() + ": " + fault);
}

std::string systemFault(int number)
{
    return "cannot be read (" + std::generic_category().message(number) + ")";
}

GzipFile openGzip(const std::filesystem::path& file)
{
    const int descriptor = contract::openRegularFile(file, O_RDONLY, contract::Links::Follow);
    if (descriptor < 0)
        fail(file, errno == EISDIR || errno == ENXIO ? contract::openError(errno).message() : systemFault(errno));
    GzipFile gzip(gzdopen(descriptor, "rb"));
    if (!gzip) {
        ::close(descriptor);
        fail(file, systemFault(ENOMEM));
    }
    return gzip;
}

void checkEnd(const std::filesystem::path& file, gzFile gzip)
{
    int code = Z_OK;
    const char* message = gzerror(gzip, &code);
    if (code == Z_BUF_ERROR)
        fail(file, "is truncated; download it again");
    if (code == Z_ERRNO)
        fail(file, systemFault(errno));
    if (code != Z_OK && code != Z_STREAM_END)
        fail(file, "is damaged (" + std::string(message) + "); download it again");
}

}  // namespace

std::string readGzipText(const std::filesystem::path& file, std::size_t maxBytes)
{
    const GzipFile gzip = openGzip(file);
    if (gzdirect(gzip.get()))  // zlib would return any other file unchanged
        fail(file, "is not a gzip file");
    std::string text;
    std::array<char, 1 << 16> part {};
    for (;;) {
        const int count = gzread(gzip.get(), part.data(), static_cast<unsigned>(part.size()));
        if (count <= 0)
            break;
        text.append(part.data(), static_cast<std::size_t>(count));
        if (text.size() > maxBytes)
            fail(file, "unpacks to more than " + std::to_string(maxBytes >> 20) + " MiB");
    }
    checkEnd(file, gzip.get());
    return text;
}

}  // namespace engine
