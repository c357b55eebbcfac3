// The icon of a run's state in the tables of the queue.
#pragma once
#include "launcher/state/run_state.h"

#include <QIcon>

namespace ui {

QIcon stateIcon(launcher::RunState state);

}  // namespace ui
