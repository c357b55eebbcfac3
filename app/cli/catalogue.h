// Opens the database for commands that read it, after bringing it up to date with the run folders.
#pragma once
#include "launcher/base/data_home.h"
#include "storage/store.h"

namespace app {

/// Opens the database of @p home, up to date. A database that cannot be written is opened as it is, with a warning.
/// @throws Failure with what to do when the database cannot be used.
storage::Store openCatalogue(const launcher::DataHome& home);

/// Returns the data home. @throws Failure when its folder does not exist.
launcher::DataHome existingHome();

}  // namespace app
