// The machines that were opened last, in the state folder of this machine's data home.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/remote/remote_host.h"

#include <vector>

namespace ui {

/// Newest first. Lines that name no machine are left out.
std::vector<launcher::RemoteHost> recentHosts(const launcher::DataHome& own);

/// Puts @p host first. Does not throw: that it is not remembered hinders nobody.
void rememberHost(const launcher::DataHome& own, const launcher::RemoteHost& host);

}  // namespace ui
