// Applies the light, the dark or the platform's appearance.
#pragma once
#include "ui/base/settings.h"

#include <QPalette>

namespace ui {

/// Sets the application's style and palette. Appearance::System keeps those of the platform, or uses our light
/// palette when no desktop environment is running (XDG_CURRENT_DESKTOP is unset or empty).
void applyAppearance(Appearance appearance);

/// The light palette, also for what is drawn into files.
QPalette lightPalette();

}  // namespace ui
