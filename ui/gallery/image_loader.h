// Reads an image from a file that cannot be trusted: it may be huge, damaged, or not an image.
#pragma once
#include "engine/contract/formats/open_file.h"

#include <QImage>
#include <QSize>
#include <QString>

namespace ui {

struct ImageLimits {
    qint64 fileBytes = 64LL << 20;
    int side = 16'384;               ///< pixels
    qint64 pixels = 64LL << 20;
    contract::Links links = contract::Links::Refuse;  ///< files that users keep elsewhere may be links, those of a run's folder may not
};

/// Tells one content of a file from another that replaces it. The default one is that of a missing file.
struct FileStamp {
    quint64 inode = 0;
    qint64 bytes = -1;
    qint64 changedNs = 0;
    bool operator==(const FileStamp&) const = default;
};

struct LoadedImage {
    QImage pixels;    ///< null when it could not be read
    QSize fullSize;  ///< size of the image in the file; `pixels` may be a reduced copy
    QString error;   ///< one sentence that names the file; empty when the image was read
    FileStamp stamp = {};  ///< of the file when it was read
};

/// Reads an image. Checks the size of the file and of the image before decoding; links that are refused, pipes and the like count as missing.
/// May be called on any thread.
/// @param bound an image larger than this is scaled down to fit; invalid: images keep their size.
LoadedImage loadImage(const QString& file, const QSize& bound = {}, const ImageLimits& limits = {});

/// The present stamp of @p file. May be called on any thread.
FileStamp stampOf(const QString& file, contract::Links links = contract::Links::Refuse);

}  // namespace ui
