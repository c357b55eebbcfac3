#include "engine/contract/formats/sentence.h"

#include "engine/contract/formats/open_file.h"

#include <cerrno>

namespace contract {
namespace {

const char* adviceFor(int cause)
{
    switch (cause) {
    case EACCES:
    case EPERM:
        return "; check its owner and permissions";
    case EROFS:
        return "; set ATELIER_HOME to a folder on a writable disk";
    case ENOSPC:
    case EDQUOT:
        return "; free some disk space";
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
    case ELOOP:
    case ENXIO:
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
    return what.string() + " cannot be " + verb + ": " + openError(cause).message() + adviceFor(cause);
}

}  // namespace contract
