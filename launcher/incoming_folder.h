// A folder for a run that is being brought into the data home, which is moved from there when it is complete.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/base/owned_folder.h"

namespace launcher {

/// data/incoming/XXXXXX.
class IncomingFolder : public OwnedFolder {
public:
    explicit IncomingFolder(const DataHome& home)
        : OwnedFolder(home.data / "incoming")
    {
    }
};

}  // namespace launcher
