#include "launcher/base/path_hash.h"

#include <QByteArray>
#include <QCryptographicHash>

#include <system_error>

namespace launcher {

std::string pathHash(const std::filesystem::path& path)
{
    std::error_code error;
    std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
    if (error)
        whole = std::filesystem::absolute(path, error).lexically_normal();
    if (!whole.has_filename())
        whole = whole.parent_path();
    const QByteArray digest = QCryptographicHash::hash(
        QByteArray::fromStdString(whole.string()), QCryptographicHash::Sha256);
    return digest.toHex().first(16).toStdString();
}

}  // namespace launcher
