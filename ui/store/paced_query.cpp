#include "ui/store/paced_query.h"

#include <QEvent>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 200ms;  ///< the contents of such views change seldom, and their lists may be long

}  // namespace

PacedQuery::PacedQuery(
    StoreService& service, QWidget* view, std::function<QString()> currentRun, std::vector<storage::Part> parts)
    : QObject(view)
    , m_service(service)
    , m_view(view)
    , m_currentRun(std::move(currentRun))
    , m_parts(std::move(parts))
{
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &PacedQuery::ask);
    connect(&m_service, &StoreService::changed, this, &PacedQuery::takeChanges);
    connect(&m_service, &StoreService::opened, this, &PacedQuery::askSoon);
    view->installEventFilter(this);
}

bool PacedQuery::isLoading() const
{
    const QString run = m_currentRun();
    return !run.isEmpty() && m_answeredRun != run && m_error.isEmpty();
}

bool PacedQuery::eventFilter(QObject* watched, QEvent* event)
{
    // isVisible() is still false while the show event is filtered, so ask() has to run later.
    if (watched == m_view && event->type() == QEvent::Show && m_isStale && !m_pace.isActive())
        m_pace.start(0);
    return QObject::eventFilter(watched, event);
}

void PacedQuery::takeChanges(const storage::Changes& changes)
{
    if (changes.concerns(m_currentRun().toStdString(), m_parts))
        askSoon();
}

void PacedQuery::askSoon()
{
    m_isStale = true;
    Q_EMIT stateChanged();
    const bool isAskingThis = m_isAsking && m_askedRun == m_currentRun();
    if (m_view->isVisible() && !isAskingThis && !m_pace.isActive())
        m_pace.start(m_answeredRun == m_currentRun() ? kPause : 0ms);
}

void PacedQuery::retry()
{
    m_error.clear();
    m_isStale = true;
    ask();
}

void PacedQuery::cancel()
{
    m_ticket.cancel();
    m_isAsking = false;
    m_error = tr("Reading was cancelled.");
    m_isCancelled = true;
    Q_EMIT stateChanged();
}

std::optional<ViewError> PacedQuery::viewError(const QString& sentence)
{
    if (m_error.isEmpty())
        return {};
    const auto again = [this] { retry(); };
    return m_isCancelled ? cancelledReading(again) : indexError(m_service.home(), sentence.arg(m_error), again);
}

void PacedQuery::ask()
{
    const QString run = m_currentRun();
    if ((m_isAsking && m_askedRun == run) || !m_view->isVisible() || run.isEmpty())
        return;
    m_ticket.cancel();
    m_isAsking = true;
    m_askedRun = run;
    m_isStale = false;
    m_startQuery(run);
    Q_EMIT stateChanged();
}

void PacedQuery::acceptAnswer(const QString& run)
{
    m_isAsking = false;
    m_error.clear();
    m_answeredRun = run;
    Q_EMIT stateChanged();
    if (m_isStale)
        askSoon();
}

void PacedQuery::acceptFailure(const QString& message)
{
    m_isAsking = false;
    m_isCancelled = false;
    m_error = message;
    Q_EMIT stateChanged();
}

}  // namespace ui
