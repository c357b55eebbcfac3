#include "ui/inspector/events_view.h"

#include "ui/access/find_bar.h"
#include "ui/base/format.h"
#include "ui/base/state_strip.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

EventsView::EventsView(FactsLoader& facts, QWidget* parent)
    : QWidget(parent)
    , m_facts(facts)
    , m_model(new EventsModel(this))
    , m_view(new QTreeView)
    , m_frame(new ViewFrame(m_view, this))
{
    m_view->setModel(m_model);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAlternatingRowColors(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setAccessibleName(tr("Events"));
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    m_view->header()->resizeSection(EventsModel::Time, 16 * digit);
    m_view->header()->resizeSection(EventsModel::Level, 13 * digit);
    m_view->header()->resizeSection(EventsModel::Step, 9 * digit);
    m_view->header()->resizeSection(EventsModel::Rank, 14 * digit);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);
    new FindBar(*this, *m_frame, *m_view, rowsOf(*m_view));
    connect(&m_facts, &FactsLoader::loaded, this, &EventsView::fill);
    fill();
}

void EventsView::reveal(std::int64_t unixMs, const std::string& message)
{
    const auto& events = m_facts.facts().events;
    const auto isWanted = [&](const storage::EventRow& event) { return event.unixMs == unixMs && event.message == message; };
    const auto found = std::ranges::find_if(events, isWanted);
    if (found == events.end())
        return;
    const QModelIndex row = m_model->index(static_cast<int>(found - events.begin()), EventsModel::Time);
    m_view->setCurrentIndex(row);
    m_view->scrollTo(row, QAbstractItemView::PositionAtCenter);
}

void EventsView::fill()
{
    QScrollBar* const bar = m_view->verticalScrollBar();
    const bool wasAtEnd = bar->value() == bar->maximum();
    const RunFacts& facts = m_facts.facts();
    m_model->setEvents(facts.runId, facts.events);
    ViewState state;
    if (facts.runId.isEmpty())
        state.emptySentence = tr("Choose a run to see its events.");
    else if (facts.events.empty()) {
        state.emptySentence = tr("This run has no events yet.");
        state.endedSentence = tr("This run has no events.");
        state.isEmptyOfRecords = true;
    }
    if (facts.events.size() == RunFacts::kMostEvents)
        state.stale = tr("Only the newest %1 events are shown.").arg(formatCount(RunFacts::kMostEvents));
    m_frame->setState(state);
    if (wasAtEnd)
        m_view->scrollToBottom();
}

}  // namespace ui
