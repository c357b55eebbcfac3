// One cursor for the whole window: the moment that is pinned in the plots is shown by the system view, the steps, the logs, the
// samples and the checkpoints of the inspected run; a moment pinned in the system view, a step or a line of the log leads back to the plots. The steps
// have the plots' x axis.
#pragma once
#include "ui/base/selection.h"

#include <QObject>

namespace ui {

class CheckpointsView;
class GalleryView;
class LogsDock;
class PlotsView;
class StepsView;
class SystemView;

class OneCursor : public QObject {
    Q_OBJECT
public:
    struct Views {
        PlotsView& plots;
        SystemView& system;
        StepsView& steps;
        LogsDock& logs;
        GalleryView& gallery;
        CheckpointsView& checkpoints;
    };
    /// All must outlive this.
    OneCursor(const Views& views, Selection& selection, QObject* parent = nullptr);

private:
    void followPlots();
    void markStep();
    void followSystem();
    void showInPlots(double wallSeconds);

    Views m_views;
    Selection& m_selection;
    bool m_isFollowing = false;  ///< one view is being brought to the moment of another
};

}  // namespace ui
