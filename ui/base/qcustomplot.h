// Includes QCustomPlot's header, which needs Qt's keywords (signals, slots, emit, foreach); the rest of the tree
// is built without them. Include QCustomPlot only through this file.
#pragma once

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#include <qcustomplot.h>
#pragma GCC diagnostic pop
#undef signals
#undef slots
#undef emit
#undef foreach
