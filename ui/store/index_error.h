// What a view says when the index of runs could not answer it.
#pragma once
#include "launcher/base/data_home.h"
#include "ui/base/state_strip.h"

#include <QString>

#include <functional>

namespace ui {

/// @param sentence what could not be read, and why. The strip also names the index and opens its folder.
ViewError indexError(const launcher::DataHome& home, const QString& sentence, std::function<void()> retry);

}  // namespace ui
