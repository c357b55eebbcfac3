#include "ui/gpus/gpu_bar.h"

#include "ui/base/format.h"
#include "ui/base/line_look.h"
#include "ui/base/look.h"
#include "ui/base/plain_text.h"
#include "ui/language/outside_text.h"

#include <QEvent>
#include <QPainter>
#include <QStringList>

#include <algorithm>

namespace ui {
namespace {

double fractionOf(std::int64_t part, std::int64_t whole) { return whole > 0 ? std::clamp(double(part) / double(whole), 0.0, 1.0) : 0; }

}  // namespace

GpuBar::GpuBar(QWidget* parent)
    : QAbstractButton(parent)
{
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
}

void GpuBar::setGpu(const launcher::Gpu& gpu, const GpuShares& shares)
{
    m_gpu = gpu;
    m_shares = shares;
    m_silence.clear();
    showTexts();
}

void GpuBar::setSilence(const QString& sentence)
{
    m_silence = sentence;
    showTexts();
}

void GpuBar::showTexts()
{
    const QString name = tr("GPU %1: %2").arg(m_gpu.index).arg(QString::fromStdString(m_gpu.name));
    QStringList lines;
    if (isSilent()) {
        lines << m_silence + QLatin1Char('.');
    } else {
        lines << tr("Memory: %1 of %2 used, %3 by runs of this window, %4 by others and the driver")
                     .arg(formatBytes(qint64(m_gpu.usedBytes()), 0), formatBytes(m_shares.total, 0), formatBytes(m_shares.ours, 1), formatBytes(m_shares.others, 1));
        const launcher::GpuLoad& now = m_gpu.now;
        if (now.load)
            lines << tr("Load: %1 %").arg(qRound(*now.load * 100));
        if (now.celsius)
            lines << tr("Temperature: %1 °C").arg(qRound(*now.celsius));
        if (now.isThrottled.value_or(false))
            lines << tr("Slowed down by heat or by a lack of power");
        for (const launcher::GpuProcess& process : m_gpu.processes)
            lines << translatedSentence(process.words());
        if (m_gpu.processes.empty())
            lines << tr("Nobody computes on it.");
    }
    setAccessibleName(name);
    setAccessibleDescription(lines.join(QStringLiteral(". ")));
    setToolTip(plainToolTip(name + QLatin1Char('\n') + lines.join(QLatin1Char('\n'))));
    update();
}

QSize GpuBar::sizeHint() const
{
    const int height = fontMetrics().height();
    return {height * 5 / 2, height + 4};
}

bool GpuBar::event(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::EnabledChange)
        update();
    return QAbstractButton::event(event);
}

/// Ours is filled, the others' hatched: the two differ without colour, too.
void GpuBar::paintFill(QPainter& painter, const QRectF& memory, const QRectF& load) const
{
    const double ours = memory.width() * fractionOf(m_shares.ours, m_shares.total);
    const double others = memory.width() * fractionOf(m_shares.others, m_shares.total);
    painter.fillRect(QRectF(memory.left(), memory.top(), ours, memory.height()), lineColour(0, palette()));
    const QRectF rest(memory.left() + ours, memory.top(), std::min(others, memory.width() - ours), memory.height());
    QColor wash = fadedText(palette());
    wash.setAlphaF(0.35F);
    painter.fillRect(rest, wash);
    painter.fillRect(rest, QBrush(fadedText(palette()), Qt::BDiagPattern));
    const bool isSlow = m_gpu.now.isThrottled.value_or(false);
    const QColor colour = isSlow ? stateColour(launcher::RunState::Failed, palette()) : palette().color(QPalette::ButtonText);
    painter.fillRect(QRectF(load.left(), load.top(), load.width() * std::clamp(m_gpu.now.load.value_or(0), 0.0, 1.0), load.height()), colour);
    if (!isSlow)
        return;
    // A mark of its own, for those who cannot tell the colours apart.
    painter.setFont(font());
    painter.setPen(colour);
    painter.drawText(memory.adjusted(0, -2, -2, 2), Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("!"));
}

void GpuBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRectF all = QRectF(rect()).adjusted(1.5, 2.5, -1.5, -2.5);
    const double loadHeight = std::max(3.0, all.height() / 4);
    const QRectF load(all.left(), all.bottom() - loadHeight, all.width(), loadHeight);
    const QRectF memory(all.left(), all.top(), all.width(), all.height() - loadHeight - 1);
    painter.fillRect(all, palette().color(QPalette::Base));
    if (isSilent()) {
        painter.setPen(QPen(fadedText(palette()), 1, Qt::DashLine));
        painter.drawRect(all);
        painter.setPen(palette().color(QPalette::ButtonText));
        painter.drawText(all, Qt::AlignCenter, QStringLiteral("?"));
    } else {
        paintFill(painter, memory, load);
        painter.setPen(fadedText(palette()));
        painter.drawRect(all);
    }
    if (hasFocus() || underMouse()) {
        painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::ButtonText), hasFocus() ? 2 : 1));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

}  // namespace ui
