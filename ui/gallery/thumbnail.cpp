#include "ui/gallery/thumbnail.h"

#include "ui/base/thumbnail_store.h"

#include <QBuffer>
#include <QCryptographicHash>
#include <QDataStream>
#include <QFileInfo>
#include <QImageReader>

#include <memory>
#include <mutex>
#include <string>

namespace ui {
namespace {

constexpr quint32 kThumbnailVersion = 1;  // of the content below; part of the key

std::mutex chosenMutex;
std::shared_ptr<ThumbnailStore> chosenStore;

std::shared_ptr<ThumbnailStore> thumbnailStore()
{
    const std::lock_guard lock(chosenMutex);
    return chosenStore;
}

std::string thumbnailKey(const QString& file, const FileStamp& stamp, const QSize& bound)
{
    QByteArray what;
    QDataStream stream(&what, QIODevice::WriteOnly);
    stream << kThumbnailVersion << QFileInfo(file).absoluteFilePath() << stamp.inode << stamp.bytes << stamp.changedNs << bound;
    return QCryptographicHash::hash(what, QCryptographicHash::Sha256).toHex().left(32).toStdString();
}

/// Decodes what may have been written by anybody.
QImage thumbnailPixels(QByteArray bytes, const QSize& bound)
{
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::ReadOnly);
    QImageReader reader(&buffer);
    reader.setDecideFormatFromContent(true);
    const QByteArray format = reader.format();
    if (format != "png" && format != "jpeg")
        return {};
    const QSize size = reader.size();
    if (size.isEmpty() || size.width() > bound.width() || size.height() > bound.height())
        return {};
    const QImage image = reader.read();
    return image.convertToFormat(image.hasAlphaChannel() ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32);
}

}  // namespace

void keepThumbnailsIn(const std::filesystem::path& folder)
{
    const std::lock_guard lock(chosenMutex);
    chosenStore = folder.empty() ? nullptr : std::make_shared<ThumbnailStore>(folder);
}

std::optional<LoadedImage> keptThumbnail(const QString& file, const FileStamp& stamp, const QSize& bound)
{
    const auto store = thumbnailStore();
    const auto content = store ? store->find(thumbnailKey(file, stamp, bound)) : std::nullopt;
    if (!content)
        return {};
    LoadedImage image;
    VideoFacts video;
    bool isVideo = false;
    QByteArray bytes;
    QDataStream stream(*content);
    stream >> image.fullSize >> isVideo >> video.framesPerSecond >> video.seconds >> video.frames >> video.isCounted >> bytes;
    if (stream.status() != QDataStream::Ok || image.fullSize.isEmpty())
        return {};
    image.pixels = thumbnailPixels(std::move(bytes), bound);
    if (image.pixels.isNull())
        return {};
    if (isVideo)
        image.video = video;
    image.stamp = stamp;
    return image;
}

void keepThumbnail(const QString& file, const QSize& bound, const LoadedImage& image)
{
    constexpr int kQuality = 92;
    const auto store = thumbnailStore();
    if (!store || image.pixels.isNull() || (!image.video && image.pixels.size() == image.fullSize))
        return;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const bool isWritten = image.pixels.hasAlphaChannel() ? image.pixels.save(&buffer, "PNG") : image.pixels.save(&buffer, "JPEG", kQuality);
    if (!isWritten)
        return;
    const VideoFacts video = image.video.value_or(VideoFacts {});
    QByteArray content;
    QDataStream stream(&content, QIODevice::WriteOnly);
    stream << image.fullSize << image.video.has_value() << video.framesPerSecond << video.seconds << video.frames << video.isCounted << bytes;
    store->keep(thumbnailKey(file, image.stamp, bound), content);
}

}  // namespace ui
