// Light, dark, or as the platform says.
#pragma once
#include "ui/base/settings.h"

namespace ui {

/// Sets the application's style and palette. System keeps the platform's; where there is no desktop
/// environment that would give one, our light palette.
void applyAppearance(Appearance appearance);

}  // namespace ui
