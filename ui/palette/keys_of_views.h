// The keys that act in the view that has the focus, and that the list of keys shows beside those of the actions.
#pragma once
#include "ui/palette/keys_dialog.h"

namespace ui {

QList<FixedKey> keysOfViews();

}  // namespace ui
