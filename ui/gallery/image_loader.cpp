#include "ui/gallery/image_loader.h"

#include "engine/contract/formats/folder_entries.h"
#include "ui/base/format.h"
#include "ui/gallery/thumbnail.h"
#include "ui/gallery/video_poster.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QImageReader>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace ui {
namespace {

/// Formats that contain pixels only, without references to other files and without scripts.
constexpr const char* kFormats[] = {"png", "jpeg", "jpg", "webp", "bmp"};

LoadedImage failed(const char* sentence, const QString& file, const QString& detail = {})
{
    QString text = QCoreApplication::translate("ui::Gallery", sentence).arg(QFileInfo(file).fileName());
    return {{}, {}, detail.isNull() ? text : text.arg(detail)};
}

FileStamp stampFrom(const struct stat& info)
{
    return {info.st_ino, info.st_size, info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec};
}

LoadedImage readImage(QFile& source, const QString& file, const QSize& bound, const ImageLimits& limits)
{
    if (source.size() > limits.fileBytes)
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is not shown: at %2 the file is too large."), file,
            formatBytes(source.size()));
    QImageReader reader(&source);
    reader.setAutoTransform(true);
    reader.setDecideFormatFromContent(true);
    const QByteArray format = reader.format();
    if (std::find(std::begin(kFormats), std::end(kFormats), format) == std::end(kFormats))
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is not an image in a known format."), file);
    const QSize size = reader.size();
    if (!size.isValid() || size.isEmpty())
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is damaged: its header has no valid image size."), file);
    if (size.width() > limits.side || size.height() > limits.side
        || qint64(size.width()) * size.height() > limits.pixels)
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is not shown: at %2 pixels the image is too large."), file,
            QStringLiteral("%1 × %2").arg(size.width()).arg(size.height()));
    if (bound.isValid() && (size.width() > bound.width() || size.height() > bound.height()))
        reader.setScaledSize(size.scaled(bound, Qt::KeepAspectRatio).expandedTo({1, 1}));
    const FrameStrip strip = frameStrip(reader.text(QStringLiteral("frames")), reader.text(QStringLiteral("gap")), size);
    QImage image = reader.read();
    if (image.isNull())
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is damaged: %2."), file, reader.errorString());
    LoadedImage result {image.convertToFormat(image.hasAlphaChannel() ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32), size, {}};
    result.strip = strip;
    return result;
}

}  // namespace

LoadedImage loadImage(const QString& file, const QSize& bound, const ImageLimits& limits)
{
    const int descriptor = contract::openRegularFile(file.toStdString(), O_RDONLY, limits.links);
    struct stat info {};
    if (descriptor < 0 || ::fstat(descriptor, &info) != 0) {
        if (descriptor >= 0)
            ::close(descriptor);
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is missing."), file);
    }
    QFile source;
    source.open(descriptor, QIODevice::ReadOnly, QFile::AutoCloseHandle);
    const FileStamp stamp = stampFrom(info);
    if (bound.isValid()) {
        if (const auto kept = keptThumbnail(file, stamp, bound))
            return *kept;
    }
    LoadedImage image = contract::hasVideoName(file.toStdString()) ? loadPoster(file, bound, limits.stop) : readImage(source, file, bound, limits);
    image.stamp = stamp;
    if (bound.isValid())
        keepThumbnail(file, bound, image);
    return image;
}

FileStamp stampOf(const QString& file, contract::Links links)
{
    struct stat info {};
    const QByteArray name = QFile::encodeName(file);
    const int result = links == contract::Links::Follow ? ::stat(name.constData(), &info) : ::lstat(name.constData(), &info);
    const bool isThere = result == 0 && S_ISREG(info.st_mode);
    return isThere ? stampFrom(info) : FileStamp {};
}

}  // namespace ui
