// The database, brought up to what the run folders say before anything is read from it.
#pragma once
#include "launcher/data_home.h"
#include "storage/store.h"

namespace app {

/// @throws Failure when the data home is missing or the database cannot be used, with what to do.
///         A database that can only be read is opened as it is, with a warning.
storage::Store openCatalogue(const launcher::DataHome& home);

/// The data home that is there. @throws Failure when it is not.
launcher::DataHome existingHome();

}  // namespace app
