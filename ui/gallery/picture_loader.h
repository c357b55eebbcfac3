// Reads a picture from a file that may be anything: huge, damaged, or no picture at all.
#pragma once
#include <QImage>
#include <QSize>
#include <QString>

namespace ui {

struct PictureLimits {
    qint64 fileBytes = 64LL << 20;
    int side = 16'384;               ///< pixels
    qint64 pixels = 64LL << 20;
};

struct LoadedPicture {
    QImage image;    ///< null when it could not be read
    QSize fullSize;  ///< of the file's picture, which image may be a smaller copy of
    QString error;   ///< one sentence naming the file
};

/// Checks the file's and then the picture's size before anything is decoded. For any thread.
/// @param bound a picture larger than this is scaled down to fit; empty: never.
LoadedPicture loadPicture(const QString& file, const QSize& bound = {}, const PictureLimits& limits = {});

}  // namespace ui
