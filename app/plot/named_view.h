// The saved view that a command line names.
#pragma once
#include "launcher/base/data_home.h"
#include "ui/views/saved_view.h"

#include <string>

namespace app {

/// @throws Failure when there is none of that name, or it cannot be read
ui::SavedView viewNamed(const launcher::DataHome& home, const std::string& name);

}  // namespace app
