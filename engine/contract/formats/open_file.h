// Opens files that others may have put in place: experiments, models, the files of a run's folder.
#pragma once
#include <filesystem>
#include <system_error>

namespace contract {

/// Whether the last part of a path may be a symbolic link. A model's files often are links, as in the Hugging Face cache.
/// Atelier never makes a link in a run's folder; one in place of a file there would lead readers and writers to any file outside it.
/// The folders above the file may be links even where this is refused: people move a run, or its checkpoints, to another disk and
/// leave a link. Such a link leads only to files of the names that Atelier gives, to which the checks below apply.
enum class Links { Follow, Refuse };

/// Opens @p file with the flags of open(2), to which O_CLOEXEC is added. Opens nothing but regular files, and never blocks. A file
/// that is created is readable and writable by its owner only (mode 0600).
/// @return a descriptor that the caller closes, or -1 with errno set: EISDIR for a folder, ENXIO for a pipe, socket or device,
///         ELOOP for a link that is refused or leads back to itself
int openRegularFile(const std::filesystem::path& file, int flags, Links links);

/// The errno that openRegularFile() set, with a message to follow the file's name: "is not a regular file but a folder",
/// "No such file or directory". Compares equal to the std::errc of that number.
std::error_code openError(int cause);

}  // namespace contract
