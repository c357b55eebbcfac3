#include "engine/contract/run/notice.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/open_file.h"
#include "engine/contract/run/supervisor_lock.h"
#include "engine/contract/run/user_folders.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <exception>

namespace contract {
namespace {

constexpr std::uint64_t kLongestAddress = 4096;

/// One sentence: "digits has failed at step 41: Rank 1 was killed (signal 9)".
std::string sentenceOf(const Notice& notice)
{
    const std::string cause = notice.cause.empty() ? "" : ": " + notice.cause;
    if (notice.state == "not started")
        return notice.name + " could not be started" + cause;
    if (notice.state == "queue held")
        return "The queue is held after " + notice.name + cause;
    const std::string verb = notice.state == "stalled" ? " hangs" : notice.state == "interrupted" ? " was interrupted"
        : notice.state == "rule"                                                                  ? ": a rule has fired"
                                                                                                  : " has " + notice.state;
    return notice.name + verb + " at step " + std::to_string(notice.step) + cause;
}

std::filesystem::path untoldFile(const RunFolder& folder, int attempt) { return folder.attempt(attempt) / "untold"; }

}  // namespace

std::string noticeText(const Notice& notice)
{
    const std::string host = hostName();
    const std::string text = sentenceOf(notice) + " (" + host + ")";
    const nlohmann::json document = {{"text", text}, {"content", text}, {"run", notice.run}, {"name", notice.name}, {"state", notice.state},
        {"cause", notice.cause}, {"step", notice.step}, {"host", host}};
    return jsonText(document);
}

std::filesystem::path webAddressFile(const std::filesystem::path& config) { return config / "webhook"; }

std::string webAddress(const std::filesystem::path& config)
{
    try {
        const std::string content = fileContent(webAddressFile(config), kLongestAddress);
        const std::string address = content.substr(0, content.find('\n'));
        return address.starts_with("https://") || address.starts_with("http://") ? address : std::string();
    } catch (const std::exception&) {
        return {};
    }
}

std::string webAddressFor(const RunFolder& folder)
{
    const std::string ofTheHome = webAddress(folder.root().parent_path().parent_path() / "config");
    return ofTheHome.empty() ? webAddress(configFolder()) : ofTheHome;
}

void markUnreported(const RunFolder& folder, int attempt)
{
    const int descriptor = openRegularFile(untoldFile(folder, attempt), O_WRONLY | O_CREAT, Links::Refuse);
    if (descriptor >= 0)
        ::close(descriptor);
}

bool takeUnreported(const RunFolder& folder, int attempt) { return ::unlink(untoldFile(folder, attempt).c_str()) == 0; }

}  // namespace contract
