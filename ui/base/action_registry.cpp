#include "ui/base/action_registry.h"

#include "ui/base/icons.h"

#include <QKeyEvent>

#include <algorithm>

namespace ui {

QString titleText(QString text) { return text.remove(QLatin1Char('&')); }

QString buttonText(QString text) { return titleText(std::move(text)).remove(QStringLiteral("…")); }

ActionRegistry::ActionRegistry(QObject* parent)
    : QObject(parent)
    , m_places {ActionPlace {kWindowPlace, tr("Main window"), {kEverywhere}}, ActionPlace {kEverywhere, tr("Everywhere"), {}}}
{
}

void ActionRegistry::addPlace(ActionPlace place, QWidget* view)
{
    Q_ASSERT(std::ranges::find(m_places, place.id, &ActionPlace::id) == m_places.end());
    if (place.within.isEmpty())
        place.within = {kWindowPlace};
    m_views.insert(place.id, view);
    m_places.append(std::move(place));
}

QWidget* ActionRegistry::viewOf(const QString& id) const { return m_views.value(spec(id).place); }

bool ActionRegistry::contains(const QString& place, const QString& inner) const
{
    if (place == inner)
        return true;
    const auto found = std::ranges::find(m_places, inner, &ActionPlace::id);
    Q_ASSERT(found != m_places.end());
    return std::ranges::any_of(found->within, [&](const QString& outer) { return contains(place, outer); });
}

bool ActionRegistry::areActiveTogether(const QString& place, const QString& other) const
{
    return contains(place, other) || contains(other, place);
}

QAction* ActionRegistry::add(const ActionSpec& spec, std::function<void()> run)
{
    Q_ASSERT(!m_actions.contains(spec.id));
    Q_ASSERT(std::ranges::find(m_places, spec.place, &ActionPlace::id) != m_places.end());
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

QAction* ActionRegistry::addTo(QWidget& widget, const ActionSpec& spec, std::function<void()> run, Qt::ShortcutContext context)
{
    QAction* const action = add(spec, std::move(run));
    action->setShortcutContext(context);
    widget.addAction(action);
    return action;
}

void ActionRegistry::addFixed(const FixedKeys& keys)
{
    Q_ASSERT(std::ranges::find(m_places, keys.place, &ActionPlace::id) != m_places.end());
    m_fixed.append(keys);
}

QAction* ActionRegistry::action(const QString& id) const
{
    Q_ASSERT(m_actions.contains(id));
    return m_actions.value(id);
}

const ActionSpec& ActionRegistry::spec(const QString& id) const
{
    const auto found = std::ranges::find(m_specs, id, &ActionSpec::id);
    Q_ASSERT(found != m_specs.end());
    return *found;
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

bool ActionRegistry::trigger(const QString& place, const QKeyEvent& press) const
{
    const QKeySequence pressed(QKeyCombination(press.modifiers() & ~Qt::KeypadModifier, Qt::Key(press.key())));
    for (const ActionSpec& spec : m_specs) {
        if (spec.place == place && action(spec.id)->isEnabled() && action(spec.id)->shortcut() == pressed) {
            action(spec.id)->trigger();
            return true;
        }
    }
    return false;
}

void ActionRegistry::describe(const QString& id, QWidget& control) const
{
    const QAction* const described = action(id);
    const auto show = [described, &control] { control.setToolTip(described->toolTip()); };
    connect(described, &QAction::changed, &control, show);
    show();
}

void ActionRegistry::setKey(const QString& id, const QKeySequence& key)
{
    action(id)->setShortcut(key);
    showToolTip(id);
}

QStringList ActionRegistry::ownersOf(const QKeySequence& key, const QString& id) const
{
    QStringList owners;
    for (const ActionSpec& other : m_specs) {
        if (!key.isEmpty() && other.id != id && action(other.id)->shortcut() == key && areActiveTogether(other.place, spec(id).place))
            owners << other.id;
    }
    return owners;
}

const FixedKeys* ActionRegistry::fixedOf(const QKeySequence& key, const QString& id) const
{
    const auto found = std::ranges::find_if(
        m_fixed, [&](const FixedKeys& fixed) { return fixed.keys.contains(key) && areActiveTogether(fixed.place, spec(id).place); });
    return found == m_fixed.end() ? nullptr : &*found;
}

void ActionRegistry::showToolTip(const QString& id)
{
    const ActionSpec& shown = spec(id);
    const QKeySequence key = action(id)->shortcut();
    QString tip = QStringLiteral("<b>%1</b>").arg(buttonText(shown.text).toHtmlEscaped());
    if (!key.isEmpty())
        tip += QStringLiteral(" &nbsp; %1").arg(key.toString(QKeySequence::NativeText).toHtmlEscaped());
    if (!shown.help.isEmpty())
        tip += QStringLiteral("<br>%1").arg(shown.help.toHtmlEscaped());
    if (const QString reason = m_reasons.value(id); !reason.isEmpty())
        tip += QStringLiteral("<br><i>%1</i>").arg(reason.toHtmlEscaped());
    if (!shown.commandLine.isEmpty())
        tip += QStringLiteral("<br><code>%1</code>").arg(shown.commandLine.toHtmlEscaped());
    action(id)->setToolTip(tip);
}

}  // namespace ui
