// Keeps reduced images between sessions: see [Note: the thumbnail cache] in ui/base/thumbnail_store.h.
#pragma once
#include "ui/gallery/image_loader.h"

#include <filesystem>
#include <optional>

namespace ui {

/// Where this process keeps thumbnails from now on; empty: nowhere, as before the first call.
void keepThumbnailsIn(const std::filesystem::path& folder);

/// The thumbnail of @p file as it was with @p stamp, within @p bound; nullopt: none is kept. May be called on any thread.
std::optional<LoadedImage> keptThumbnail(const QString& file, const FileStamp& stamp, const QSize& bound);

/// Keeps @p image, unless it took no time to make: an image that was not reduced. May be called on any thread.
void keepThumbnail(const QString& file, const QSize& bound, const LoadedImage& image);

}  // namespace ui
