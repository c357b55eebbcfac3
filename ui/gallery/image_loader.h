// Reads an image from a file that cannot be trusted: it may be huge, damaged, or not an image.
#pragma once
#include "engine/contract/formats/open_file.h"
#include "ui/gallery/frame_strip.h"

#include <QImage>
#include <QSize>
#include <QString>

#include <optional>
#include <stop_token>

namespace ui {

struct ImageLimits {
    qint64 fileBytes = 64LL << 20;
    int side = 16'384;               ///< pixels
    qint64 pixels = 64LL << 20;
    contract::Links links = contract::Links::Refuse;  ///< files that users keep elsewhere may be links, those of a run's folder may not
    std::stop_token stop = {};       ///< ends the decoding of a video; the result is of no use then
};

/// Tells one content of a file from another that replaces it. The default one is that of a missing file.
struct FileStamp {
    quint64 inode = 0;
    qint64 bytes = -1;
    qint64 changedNs = 0;
    bool operator==(const FileStamp&) const = default;
};

/// Of a video file; 0 is what is not known.
struct VideoFacts {
    double framesPerSecond = 0;
    double seconds = 0;
    qint64 frames = 0;
    bool isCounted = false;  ///< false: frames follows from the other two
    bool operator==(const VideoFacts&) const = default;
};

struct LoadedImage {
    QImage pixels;    ///< null when it could not be read
    QSize fullSize;  ///< size of the image in the file; `pixels` may be a reduced copy
    QString error;   ///< one sentence that names the file; empty when the image was read
    FileStamp stamp = {};  ///< of the file when it was read
    std::optional<VideoFacts> video = {};  ///< the image is the first frame of a video file
    FrameStrip strip = {};                 ///< the image shows frames of a video side by side
};

/// Reads an image, or the first frame of a video, by the file's name. Checks the size of the file and of the image before decoding; links that are
/// refused, pipes and the like count as missing. May be called on any thread; a hostile video takes up to 20 seconds.
/// @param bound an image larger than this is scaled down to fit, and kept for the next time, see thumbnail.h; invalid: images keep their size.
LoadedImage loadImage(const QString& file, const QSize& bound = {}, const ImageLimits& limits = {});

/// The present stamp of @p file. May be called on any thread.
FileStamp stampOf(const QString& file, contract::Links links = contract::Links::Refuse);

}  // namespace ui
