// Where the index of runs is, if that is not the data home.
#pragma once
#include "launcher/base/data_home.h"

#include <QString>

namespace ui {

/// One sentence; empty when the index is in the data home.
QString indexPlace(const launcher::DataHome& home);

}  // namespace ui
