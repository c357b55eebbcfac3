#include "launcher/sentence.h"

#include <cerrno>
#include <system_error>

namespace launcher {
namespace {

const char* adviceFor(int cause)
{
    switch (cause) {
    case EACCES:
    case EPERM:
        return "; check who owns it and its rights";
    case EROFS:
        return "; choose a data home on a disk that can be written (ATELIER_HOME)";
    case ENOSPC:
    case EDQUOT:
        return "; free some space on that disk";
    case ENOTDIR:
    case EEXIST:
        return "; move what is in its way";
    case EMFILE:
    case ENFILE:
        return "; raise the limit of open files (ulimit -n)";
    default:
        return "";
    }
}

}  // namespace

std::string cannotBe(const std::string& verb, const std::filesystem::path& what, int cause)
{
    return what.string() + " cannot be " + verb + ": " + std::generic_category().message(cause)
        + adviceFor(cause);
}

}  // namespace launcher
