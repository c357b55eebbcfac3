// The table of the inspected run's events: in the events dock and in a tab of the inspector.
#pragma once
#include "ui/inspector/events_model.h"
#include "ui/inspector/run_facts.h"

#include <QWidget>

class QTreeView;

namespace ui {

class ViewFrame;

class EventsView : public QWidget {
    Q_OBJECT
public:
    /// @param facts must outlive this.
    explicit EventsView(FactsLoader& facts, QWidget* parent = nullptr);

private:
    void fill();

    FactsLoader& m_facts;
    EventsModel* m_model;
    QTreeView* m_view;
    ViewFrame* m_frame;
};

}  // namespace ui
