#include "ui/gallery/picture_loader.h"

#include "ui/base/format.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QImageReader>

namespace ui {
namespace {

/// Formats that hold pixels only: nothing that can refer to other files or run.
constexpr const char* kFormats[] = {"png", "jpeg", "jpg", "webp", "bmp"};

LoadedPicture failed(const char* sentence, const QString& file, const QString& detail = {})
{
    QString text = QCoreApplication::translate("ui::Gallery", sentence).arg(QFileInfo(file).fileName());
    return {{}, {}, detail.isNull() ? text : text.arg(detail)};
}

}  // namespace

LoadedPicture loadPicture(const QString& file, const QSize& bound, const PictureLimits& limits)
{
    const QFileInfo info(file);
    if (!info.isFile())
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is missing."), file);
    if (info.size() > limits.fileBytes)
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is not shown: it has %2."), file,
            formatBytes(info.size()));
    QImageReader reader(file);
    reader.setAutoTransform(true);
    reader.setDecideFormatFromContent(true);
    const QByteArray format = reader.format();
    if (std::find(std::begin(kFormats), std::end(kFormats), format) == std::end(kFormats))
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is not a picture in a known format."), file);
    const QSize size = reader.size();
    if (!size.isValid() || size.isEmpty())
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is damaged: it does not say how large it is."), file);
    if (size.width() > limits.side || size.height() > limits.side
        || qint64(size.width()) * size.height() > limits.pixels)
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is not shown: it has %2 pixels."), file,
            QStringLiteral("%1 × %2").arg(size.width()).arg(size.height()));
    if (bound.isValid() && (size.width() > bound.width() || size.height() > bound.height()))
        reader.setScaledSize(size.scaled(bound, Qt::KeepAspectRatio).expandedTo({1, 1}));
    QImage image = reader.read();
    if (image.isNull())
        return failed(QT_TRANSLATE_NOOP("ui::Gallery", "%1 is damaged: %2."), file, reader.errorString());
    return {image.convertToFormat(image.hasAlphaChannel() ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32),
        size, {}};
}

}  // namespace ui
