#include "ui/launch/several_button.h"

#include "ui/base/check_menu.h"
#include "ui/base/icons.h"

namespace ui {

SeveralButton::SeveralButton(QWidget* parent)
    : QToolButton(parent)
    , m_menu(new CheckMenu(this))
{
    setIcon(ui::icon(QStringLiteral("several")));
    setAutoRaise(true);
    setToolTip(tr("Several values: a run for each is queued"));
    connect(this, &QToolButton::clicked, m_menu, [this] { m_menu->popup(mapToGlobal(QPoint(0, height()))); });
}

void SeveralButton::addValue(const QString& value, const QString& label)
{
    QAction* const action = m_menu->addAction(label);
    action->setCheckable(true);
    action->setData(value);
    connect(action, &QAction::triggered, this, [this, value](bool isTicked) { toggle(value, isTicked); });
}

void SeveralButton::setTicked(const QStringList& values)
{
    m_ticked.clear();
    for (const QString& value : values) {
        for (QAction* const action : m_menu->actions()) {
            if (action->data() == value)
                m_ticked << value;
        }
    }
    for (QAction* const action : m_menu->actions())
        action->setChecked(m_ticked.contains(action->data().toString()));
}

QStringList SeveralButton::labelsOf(const QStringList& values) const
{
    QStringList labels;
    for (const QString& value : values) {
        for (const QAction* const action : m_menu->actions()) {
            if (action->data() == value)
                labels << action->text();
        }
    }
    return labels;
}

void SeveralButton::toggle(const QString& value, bool isTicked)
{
    QStringList values = m_ticked;
    values.removeAll(value);
    if (isTicked)
        values << value;
    if (values.isEmpty())
        return setTicked(m_ticked);  // an option has a value
    setTicked(values);
    Q_EMIT ticked(values);
}

}  // namespace ui
