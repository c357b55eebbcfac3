#include "ui/inspector/state_badge.h"

#include "ui/base/look.h"

#include <QPainter>

namespace ui {

StateBadge::StateBadge(QWidget* parent)
    : QWidget(parent)
{
    QFont bold = font();
    bold.setBold(true);
    setFont(bold);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StateBadge::setState(std::optional<launcher::RunState> state)
{
    if (state == m_state)
        return;
    m_state = state;
    setAccessibleName(tr("State: %1").arg(word()));
    updateGeometry();
    update();
}

QString StateBadge::word() const
{
    return m_state ? stateWord(*m_state) : QString();
}

QSize StateBadge::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(word()) + 38, fontMetrics().height() + 10};
}

void StateBadge::paintEvent(QPaintEvent*)
{
    if (!m_state)
        return;
    const QColor colour = stateColour(*m_state, palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor background = colour;
    background.setAlphaF(0.12F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(background);
    painter.drawRoundedRect(rect(), height() / 2.0, height() / 2.0);
    drawStateGlyph(painter, QRectF(11, (height() - 11) / 2.0, 11, 11), *m_state, colour);
    // The colour's contrast is meant for the base colour; the tinted background needs a slightly higher one.
    painter.setPen(withContrast(colour, palette().color(QPalette::Window), 5.0));
    painter.drawText(rect().adjusted(28, 0, -6, 0), Qt::AlignVCenter, word());
}

}  // namespace ui
