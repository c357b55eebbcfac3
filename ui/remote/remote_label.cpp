#include "ui/remote/remote_label.h"

#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/base/plain_text.h"

#include <QDateTime>

#include <chrono>

namespace ui {

using launcher::RemoteLink;
using namespace std::chrono_literals;

RemoteLabel::RemoteLabel(const launcher::Mirror& mirror, QWidget* parent)
    : QLabel(parent)
    , m_mirror(mirror)
{
    setObjectName(QStringLiteral("remoteLabel"));
    setTextFormat(Qt::PlainText);
    connect(&m_mirror, &launcher::Mirror::linkChanged, this, &RemoteLabel::showLink);
    connect(&m_timer, &QTimer::timeout, this, &RemoteLabel::showLink);
    m_timer.start(1s);
    showLink();
}

void RemoteLabel::showLink()
{
    const RemoteLink& link = m_mirror.link();
    const QString host = QString::fromStdString(m_mirror.host().text());
    switch (link.phase) {
    case RemoteLink::Phase::Connecting:
        setText(tr("Connecting to %1…").arg(host));
        break;
    case RemoteLink::Phase::Connected:
        setText(link.isListed ? tr("Connected to %1").arg(host) : tr("Reading the runs of %1…").arg(host));
        break;
    case RemoteLink::Phase::Lost:
        setText(link.heardUnixMs == 0 ? tr("No connection to %1").arg(host)
                                      : tr("No connection to %1, heard %2").arg(host, formatAge(link.heardUnixMs, QDateTime::currentMSecsSinceEpoch())));
        break;
    }
    setToolTip(plainToolTip(link.problem));
    QPalette colours;
    if (link.phase == RemoteLink::Phase::Lost)
        colours.setColor(QPalette::WindowText, withContrast(stateColour(launcher::RunState::Failed, colours), colours.color(QPalette::Window), 4.5));
    setPalette(colours);
}

}  // namespace ui
