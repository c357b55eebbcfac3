// Keeps the draft in the settings at each change, so that the next window has it however this one ends.
#pragma once
#include "ui/base/settings.h"

#include <QObject>

namespace ui {

class Draft;

class DraftKeeper : public QObject {
    Q_OBJECT
public:
    /// @param run the run in the queue that is being edited; empty: the draft is of a new experiment. Draft and settings must outlive this.
    DraftKeeper(Draft& draft, Settings& settings, const QString& run, QObject* parent = nullptr);

    /// Fills the draft with what was kept. @return false when there is nothing, or, of a run in the queue, nothing that was changed
    bool restore();

private:
    void keep();

    Draft& m_draft;
    Settings& m_settings;
    QString m_run;
};

}  // namespace ui
