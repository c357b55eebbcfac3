#include "ui/notify/alerts_button.h"

#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/notify/alerts_model.h"

#include <QAction>

namespace ui {

AlertsButton::AlertsButton(const AlertsModel& model, QAction& open, QWidget* parent)
    : QToolButton(parent)
    , m_model(model)
    , m_open(open)
{
    setObjectName(QStringLiteral("alertsButton"));
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    connect(this, &QToolButton::clicked, &m_open, &QAction::trigger);
    connect(&m_open, &QAction::changed, this, &AlertsButton::showCount);
    connect(&m_model, &AlertsModel::changed, this, &AlertsButton::showCount);
    showCount();
}

void AlertsButton::showCount()
{
    const int unread = m_model.unread();
    setIcon(ui::icon(unread > 0 ? QStringLiteral("bell-new") : QStringLiteral("bell")));
    setText(unread > 0 ? formatCount(unread) : QString());
    setToolButtonStyle(unread > 0 ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    setToolTip(m_open.toolTip());
    setStatusTip(m_open.statusTip());
    setAccessibleName(unread == 0 ? tr("Alerts, none unread") : formatCounted(unread, tr("Alerts, 1 unread"), tr("Alerts, %Ln unread", nullptr, pluralCount(unread))));
}

}  // namespace ui
