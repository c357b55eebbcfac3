// The first frame of a video file, decoded by a program of its own: see [Note: posters] in engine/video/poster_program.cpp.
#pragma once
#include "ui/gallery/image_loader.h"

namespace ui {

/// Takes up to 20 seconds for a file that is made to; never call it on the GUI thread. Link and file were checked by the caller.
/// @param bound as for loadImage() @param stop ends it early @return without a stamp
LoadedImage loadPoster(const QString& file, const QSize& bound, const std::stop_token& stop);

/// "2 s · 24 frames per second · 48 frames"; what is not known is left out.
QString videoText(const VideoFacts& video);

}  // namespace ui
