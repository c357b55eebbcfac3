#include "ui/gpus/gpu_watch.h"

#include "launcher/machine/gpu_usage.h"
#include "launcher/remote/plan_answer.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"

#include <QDateTime>
#include <QEvent>
#include <QWidget>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kGpuInterval = 2s, kGpuIntervalThere = 10s;

}  // namespace

/// While a meter exists the driver stays open, which makes each question cheap. Opening it may take seconds.
struct GpuWatch::Driver {
    std::optional<launcher::GpuMeter> meter;
};

GpuWatch::GpuWatch(launcher::Mirror* mirror, QObject* parent)
    : QObject(parent)
    , m_mirror(mirror)
{
    m_timer.setInterval(m_mirror ? kGpuIntervalThere : kGpuInterval);
    connect(&m_timer, &QTimer::timeout, this, &GpuWatch::ask);
    if (m_mirror) {
        connect(m_mirror, &launcher::Mirror::linkChanged, this, [this](const launcher::RemoteLink& link) {
            if (std::exchange(m_phase, link.phase) == link.phase || !m_timer.isActive())
                return;
            m_askedUnixMs = 0;  // a question that was on its way may be lost
            ask();
        });
    }
}

GpuWatch::~GpuWatch() { setActive(false); }

void GpuWatch::setActive(bool isActive)
{
    if (isActive == m_timer.isActive())
        return;
    if (isActive) {
        m_timer.start();
        if (!m_mirror)
            m_driver = std::make_shared<Driver>();
        return ask();
    }
    m_timer.stop();
    // Closing the driver may take long, too. A question that is on its way has it as well.
    if (m_driver) {
        backgroundPool().start([driver = std::move(m_driver)]() mutable { driver.reset(); });
        m_driver.reset();
    }
}

void GpuWatch::follow(QWidget& window)
{
    window.installEventFilter(this);
    setActive(window.isVisible() && !window.isMinimized());
}

bool GpuWatch::eventFilter(QObject* watched, QEvent* event)
{
    const QEvent::Type type = event->type();
    if (type == QEvent::Show || type == QEvent::Hide || type == QEvent::WindowStateChange) {
        const auto& window = static_cast<const QWidget&>(*watched);
        setActive(type != QEvent::Hide && (type == QEvent::Show || window.isVisible()) && !window.isMinimized());
    }
    return QObject::eventFilter(watched, event);
}

void GpuWatch::ask()
{
    if (m_askedUnixMs > 0) {
        if (!silence().isEmpty())
            Q_EMIT late();
        return;
    }
    if (m_mirror)
        return askThere();
    m_askedUnixMs = QDateTime::currentMSecsSinceEpoch();
    const auto work = [driver = m_driver] {
        if (!driver->meter)
            driver->meter.emplace();
        return launcher::readGpus();
    };
    inBackground(this, work, [this](launcher::GpuList list) { take(std::move(list)); });
}

void GpuWatch::askThere()
{
    using Phase = launcher::RemoteLink::Phase;
    if (m_mirror->link().phase == Phase::Lost)
        return fail(tr("there is no connection"));
    if (m_mirror->link().phase != Phase::Connected)
        return;
    m_askedUnixMs = QDateTime::currentMSecsSinceEpoch();
    m_mirror->execute({"gpus", "--json"}, this, [this](const launcher::CommandReply& reply) {
        try {
            if (reply.isAccepted)
                return take(launcher::planAnswer(reply.output).gpus);
            fail(translatedSentence(reply.error));
        } catch (const std::exception& error) {
            fail(translatedSentence(error.what()));
        }
    });
}

/// A driver that has stopped to work says nothing of the GPUs that it had.
void GpuWatch::take(launcher::GpuList list)
{
    if (list.isDriverBroken && list.gpus.empty() && !m_list.gpus.empty())
        return fail(translatedSentence(list.problem));
    m_askedUnixMs = 0;
    m_problem.clear();
    m_list = std::move(list);
    m_answeredUnixMs = QDateTime::currentMSecsSinceEpoch();
    Q_EMIT answered();
}

void GpuWatch::fail(const QString& problem)
{
    m_askedUnixMs = 0;
    m_problem = problem;
    while (m_problem.endsWith(QLatin1Char('.')))
        m_problem.chop(1);
    Q_EMIT late();
}

QString GpuWatch::silence() const
{
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    const qint64 patience = 2 * m_timer.intervalAsDuration().count();
    const bool isLate = m_askedUnixMs > 0 && now - m_askedUnixMs > patience;
    if (m_problem.isEmpty() && !isLate)
        return {};
    const QString why = m_problem.isEmpty() ? tr("the driver does not answer") : m_problem;
    return m_answeredUnixMs > 0 ? tr("Last record %1: %2").arg(formatAge(m_answeredUnixMs, now), why) : tr("No record: %1").arg(why);
}

}  // namespace ui
