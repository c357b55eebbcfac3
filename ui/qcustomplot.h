// The only way to QCustomPlot's header: it needs Qt's keywords, which the rest of the tree does without.
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
