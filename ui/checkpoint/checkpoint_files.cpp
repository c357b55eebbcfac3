#include "ui/checkpoint/checkpoint_files.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/open_file.h"
#include "launcher/base/folders.h"
#include "launcher/home/trash.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"

#include <QCoreApplication>
#include <QDateTime>

#include <cerrno>
#include <fcntl.h>
#include <numeric>
#include <stdexcept>
#include <unistd.h>

namespace ui {
namespace {

namespace fs = std::filesystem;

QString sentence(const char* source, const fs::path& checkpoint, const QString& detail = {})
{
    const QString text = QCoreApplication::translate("ui::Checkpoints", source)
                             .arg(QString::fromStdString(checkpoint.filename().string()));
    return detail.isNull() ? text : text.arg(detail);
}

/// trash/checkpoints/RUN/step-N-<milliseconds>. The time makes the name unique, because a step may be trashed, written
/// again and trashed again.
fs::path placeInTrash(const launcher::DataHome& home, const fs::path& checkpoint)
{
    const std::string run = checkpoint.parent_path().parent_path().filename().string();
    return home.trash() / "checkpoints" / run
        / (checkpoint.filename().string() + "-" + std::to_string(QDateTime::currentMSecsSinceEpoch()));
}

QString trashOne(const launcher::DataHome& home, const fs::path& checkpoint, TrashResult& result)
{
    std::error_code error;
    if (!fs::is_directory(checkpoint, error))
        return sentence(QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 no longer exists."), checkpoint);
    if (fs::exists(checkpoint / contract::kPinFile, error))
        return sentence(QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 was not deleted: it is pinned. Unpin it first."),
            checkpoint);
    if (const auto attempt = contract::attemptWaitingFor(contract::RunFolder(checkpoint.parent_path().parent_path()), checkpoint))
        return sentence(QT_TRANSLATE_NOOP("ui::Checkpoints",
                            "%1 was not deleted: attempt %2 waits to resume from it. Take the run out of the queue, or resume it from another checkpoint."),
            checkpoint, QString::number(*attempt));
    const contract::CheckpointLock lock(checkpoint, contract::CheckpointLock::Use::Remove);
    if (!lock.isHeld())
        return sentence(QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 was not deleted: another program is reading it."),
            checkpoint);
    TrashedCheckpoint trashed {checkpoint, placeInTrash(home, checkpoint), static_cast<std::int64_t>(launcher::folderBytes(checkpoint))};
    try {
        launcher::createFolder(trashed.to.parent_path());
    } catch (const std::runtime_error& problem) {
        return translatedSentence(problem.what());
    }
    fs::rename(checkpoint, trashed.to, error);
    if (error)
        return sentence(QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 could not be moved to the trash: %2."), checkpoint,
            QString::fromStdString(error.message()));
    result.done.push_back(std::move(trashed));
    return {};
}

}  // namespace

QString setPinned(const fs::path& checkpoint, bool isPinned)
{
    std::error_code error;
    const fs::path pin = checkpoint / contract::kPinFile;
    if (!isPinned) {
        fs::remove(pin, error);
    } else {
        const int descriptor = contract::openRegularFile(pin, O_WRONLY | O_CREAT, contract::Links::Refuse);
        if (descriptor < 0)
            error = std::error_code(errno, std::generic_category());
        else
            ::close(descriptor);
    }
    if (!error)
        return {};
    return sentence(isPinned ? QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 could not be pinned: %2.")
                             : QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 could not be unpinned: %2."),
        checkpoint, QString::fromStdString(error.message()));
}

std::int64_t TrashResult::bytes() const
{
    return std::accumulate(done.begin(), done.end(), std::int64_t {0},
        [](std::int64_t sum, const TrashedCheckpoint& trashed) { return sum + trashed.bytes; });
}

TrashResult moveToTrash(const launcher::DataHome& home, const std::vector<fs::path>& checkpoints)
{
    TrashResult result;
    for (const fs::path& checkpoint : checkpoints)
        if (const QString refused = trashOne(home, checkpoint, result); !refused.isEmpty())
            result.refused.push_back(refused);
    return result;
}

std::vector<QString> restoreFromTrash(const std::vector<TrashedCheckpoint>& trashed)
{
    std::vector<QString> failed;
    for (const TrashedCheckpoint& checkpoint : trashed) {
        std::error_code error;
        if (fs::exists(checkpoint.from, error)) {
            failed.push_back(sentence(
                QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 was not restored: a newer checkpoint has the same name."),
                checkpoint.from));
            continue;
        }
        fs::rename(checkpoint.to, checkpoint.from, error);
        if (error)
            failed.push_back(sentence(QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 could not be restored: %2."),
                checkpoint.from, QString::fromStdString(error.message())));
    }
    return failed;
}

QString verifyCheckpoint(const fs::path& checkpoint, const std::stop_token& stop)
{
    const contract::CheckpointLock lock(checkpoint, contract::CheckpointLock::Use::Read);
    if (!lock.isHeld())
        return sentence(QT_TRANSLATE_NOOP("ui::Checkpoints", "%1 no longer exists or is being removed."), checkpoint);
    try {
        contract::verifyCheckpoint(checkpoint, [&stop] { return !stop.stop_requested(); });
    } catch (const std::exception& error) {
        return translatedSentence(error.what());
    }
    return {};
}

}  // namespace ui
