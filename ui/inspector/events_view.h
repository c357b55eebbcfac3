// The table of the inspected run's events: in the events dock and in a tab of the inspector.
#pragma once
#include "ui/inspector/events_model.h"
#include "ui/inspector/run_facts.h"

#include <QWidget>

#include <cstdint>
#include <string>

class QTreeView;

namespace ui {

class ViewFrame;

class EventsView : public QWidget {
    Q_OBJECT
public:
    /// @param facts must outlive this.
    explicit EventsView(FactsLoader& facts, QWidget* parent = nullptr);

    /// Selects the event that was recorded at @p unixMs with this message. No-op when there is no such event.
    void reveal(std::int64_t unixMs, const std::string& message);

private:
    void fill();

    FactsLoader& m_facts;
    EventsModel* m_model;
    QTreeView* m_view;
    ViewFrame* m_frame;
};

}  // namespace ui
