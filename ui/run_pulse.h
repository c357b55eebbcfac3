// Tells the views about the inspected run what each of them would have to find out by itself: how old its last record is, whether more comes,
// whether it can be controlled from here, and what to do next where there is nothing to see (M14).
#pragma once
#include "ui/workbench.h"

#include <QObject>
#include <QWidget>

namespace ui {

class ViewFrame;

class RunPulse : public QObject {
    Q_OBJECT
public:
    /// @p bench must outlive this.
    RunPulse(Workbench& bench, QObject* parent);

    /// @param nextStep the action that makes a run that is active fill the view; empty: there is none
    void add(const QWidget& view, const char* nextStep = "") { add(view, nextStep, false); }
    /// A view with commands: it says, too, when the run is on another machine.
    void addControlled(const QWidget& view, const char* nextStep = "") { add(view, nextStep, true); }

private:
    struct View {
        ViewFrame* frame = nullptr;
        QString nextStep;
        bool isControlled = false;
    };
    void add(const QWidget& view, const char* nextStep, bool isControlled);
    void show();

    Workbench& m_bench;
    QList<View> m_views;
};

}  // namespace ui
