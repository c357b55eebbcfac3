#include "ui/base/paced_query.h"

#include <QEvent>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 200ms;  ///< what such views show changes seldom, its list may be long

}  // namespace

PacedQuery::PacedQuery(StoreService& service, QWidget* view, std::function<QString()> subject)
    : QObject(view)
    , m_service(service)
    , m_view(view)
    , m_subject(std::move(subject))
{
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &PacedQuery::ask);
    connect(&m_service, &StoreService::changed, this, &PacedQuery::askSoon);
    connect(&m_service, &StoreService::opened, this, &PacedQuery::askSoon);
    view->installEventFilter(this);
}

bool PacedQuery::isLoading() const
{
    const QString run = m_subject();
    return !run.isEmpty() && m_answered != run && m_error.isEmpty();
}

bool PacedQuery::eventFilter(QObject* watched, QEvent* event)
{
    // The view becomes visible only after this.
    if (watched == m_view && event->type() == QEvent::Show && m_isStale && !m_pace.isActive())
        m_pace.start(0);
    return QObject::eventFilter(watched, event);
}

void PacedQuery::askSoon()
{
    m_isStale = true;
    Q_EMIT stateChanged();
    if (m_view->isVisible() && !m_isAsking && !m_pace.isActive())
        m_pace.start(m_answered == m_subject() ? kPause : 0ms);
}

void PacedQuery::retry()
{
    m_error.clear();
    m_isStale = true;
    ask();
}

void PacedQuery::ask()
{
    const QString run = m_subject();
    if (m_isAsking || !m_view->isVisible() || run.isEmpty())
        return;
    m_isAsking = true;
    m_isStale = false;
    m_post(run);
    Q_EMIT stateChanged();
}

void PacedQuery::take(const QString& run)
{
    m_isAsking = false;
    m_error.clear();
    m_answered = run;
    Q_EMIT stateChanged();
    if (m_isStale)
        askSoon();
}

void PacedQuery::fail(const QString& message)
{
    m_isAsking = false;
    m_error = message;
    Q_EMIT stateChanged();
}

}  // namespace ui
