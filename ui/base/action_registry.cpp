#include "ui/base/action_registry.h"

#include "ui/base/icons.h"

#include <algorithm>

namespace ui {

QAction* ActionRegistry::add(const ActionSpec& spec, std::function<void()> run)
{
    Q_ASSERT(!m_actions.contains(spec.id));
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setShortcut(spec.key);
    if (!spec.icon.isEmpty())
        action->setIcon(icon(spec.icon));
    action->setStatusTip(spec.help);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_specs.append(spec);
    m_actions.insert(spec.id, action);
    showToolTip(spec.id);
    return action;
}

QAction* ActionRegistry::action(const QString& id) const
{
    Q_ASSERT(m_actions.contains(id));
    return m_actions.value(id);
}

void ActionRegistry::setEnabled(const QString& id, bool isEnabled, const QString& reason)
{
    action(id)->setEnabled(isEnabled);
    const QString why = isEnabled ? QString() : reason;
    if (m_reasons.value(id) == why)
        return;
    m_reasons.insert(id, why);
    showToolTip(id);
}

void ActionRegistry::setKey(const QString& id, const QKeySequence& key)
{
    action(id)->setShortcut(key);
    showToolTip(id);
}

void ActionRegistry::showToolTip(const QString& id)
{
    const auto found = std::ranges::find(m_specs, id, &ActionSpec::id);
    Q_ASSERT(found != m_specs.end());
    const ActionSpec& spec = *found;
    const QKeySequence key = action(id)->shortcut();
    QString title = spec.text;
    title.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    QString tip = QStringLiteral("<b>%1</b>").arg(title.toHtmlEscaped());
    if (!key.isEmpty())
        tip += QStringLiteral(" &nbsp; %1").arg(key.toString(QKeySequence::NativeText).toHtmlEscaped());
    if (!spec.help.isEmpty())
        tip += QStringLiteral("<br>%1").arg(spec.help.toHtmlEscaped());
    if (const QString reason = m_reasons.value(id); !reason.isEmpty())
        tip += QStringLiteral("<br><i>%1</i>").arg(reason.toHtmlEscaped());
    if (!spec.commandLine.isEmpty())
        tip += QStringLiteral("<br><code>%1</code>").arg(spec.commandLine.toHtmlEscaped());
    action(id)->setToolTip(tip);
}

}  // namespace ui
