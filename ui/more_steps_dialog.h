// How many more steps finished runs shall make.
#pragma once
#include "ui/runs/run_entry.h"

#include <QInputDialog>

#include <vector>

namespace ui {

/// Deletes itself when it is closed. intValueSelected() says how many more each run is to make.
class MoreStepsDialog : public QInputDialog {
    Q_OBJECT
public:
    /// @param finished at least one.
    MoreStepsDialog(const std::vector<RunEntry>& finished, QWidget* parent);
};

}  // namespace ui
