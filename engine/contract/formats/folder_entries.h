// Lists folders that others may change or damage meanwhile.
#pragma once
#include <filesystem>
#include <system_error>
#include <vector>

namespace contract {

/// The paths of the entries of @p folder, sorted. Does not throw; when the folder cannot be read to its end, @p error is set and
/// the result has the entries read so far. (A range-for over std::filesystem::directory_iterator throws then, even when the
/// iterator was made with an error code.)
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder, std::error_code& error);

/// The same, without telling a folder that cannot be read from an empty one.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

/// Whether there is something of that name, even a link that leads nowhere. Does not throw.
bool hasEntry(const std::filesystem::path& path);

/// Whether @p path is a folder, or a link to one. Does not throw.
bool isFolder(const std::filesystem::path& path);

/// Whether the file name ends in .png, .jpg, .jpeg or .webp, in upper or lower case.
bool hasImageName(const std::filesystem::path& file);

/// Whether the file name is that of an image of a format that is not read: .avif, .bmp, .gif, .heic, .heif, .jfif, .jxl, .tif or .tiff.
bool hasUnreadImageName(const std::filesystem::path& file);

/// Whether the file name ends in .avi, .gif, .m4v, .mkv, .mov, .mp4, .mpeg, .mpg, .ogv, .ts or .webm, in upper or lower case.
bool hasVideoName(const std::filesystem::path& file);

}  // namespace contract
