#include "ui/queue/plan_axis.h"

#include "ui/base/look.h"

#include <QLinearGradient>
#include <QPainter>

#include <algorithm>

namespace ui {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using Kind = launcher::PlanBar::Kind;

constexpr int kMargin = 6;
constexpr int kPastParts = 8;  // this part of the span is shown of what has passed

/// Where its text is: the colours of a selected row and of the others.
QColor lineColourOf(const QStyleOptionViewItem& option)
{
    return option.palette.color(option.state & QStyle::State_Selected ? QPalette::HighlightedText : QPalette::Text);
}

/// Of a round time: "30 min", "1 h 30 min", "3 d".
QString tickText(milliseconds time)
{
    const auto text = [](const QString& whole, std::int64_t count, const QString& rest, std::int64_t left) {
        return left > 0 ? PlanHeader::tr("%1 %2").arg(whole.arg(count), rest.arg(left)) : whole.arg(count);
    };
    const std::int64_t seconds = time / 1s;
    if (seconds < 60)
        return PlanHeader::tr("%1 s").arg(seconds);
    if (seconds < 3600)
        return text(PlanHeader::tr("%1 min"), seconds / 60, PlanHeader::tr("%1 s"), seconds % 60);
    if (seconds < 86400)
        return text(PlanHeader::tr("%1 h"), seconds / 3600, PlanHeader::tr("%1 min"), seconds / 60 % 60);
    return text(PlanHeader::tr("%1 d"), seconds / 86400, PlanHeader::tr("%1 h"), seconds / 3600 % 24);
}

}  // namespace

PlanAxis::PlanAxis(const QRect& column, milliseconds span)
    : m_column(column.adjusted(kMargin, 0, -kMargin, 0))
    , m_begin(-span / kPastParts)
    , m_end(span)
{
}

double PlanAxis::x(milliseconds fromNow) const
{
    const double part = static_cast<double>((fromNow - m_begin).count()) / static_cast<double>((m_end - m_begin).count());
    return m_column.left() + std::clamp(part, 0.0, 1.0) * m_column.width();
}

std::vector<milliseconds> PlanAxis::ticks(double width) const
{
    constexpr milliseconds kSteps[] = {5s, 10s, 30s, 1min, 5min, 10min, 30min, 1h, 3h, 6h, 12h, 24h, 72h, 168h, 720h};
    milliseconds step = kSteps[std::size(kSteps) - 1];
    for (const milliseconds each : kSteps) {
        if (x(each) - x(0ms) >= width) {
            step = each;
            break;
        }
    }
    std::vector<milliseconds> ticks;
    for (milliseconds tick = step; tick < m_end && x(tick) + width / 2 < m_column.right(); tick += step)
        ticks.push_back(tick);
    return ticks;
}

PlanBarDelegate::PlanBarDelegate(const QueuePlanModel& model, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_model(model)
{
}

void PlanBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);  // background and focus
    const launcher::PlanBar& bar = m_model.bar(index.row());
    const PlanAxis axis(option.rect, m_model.span());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (bar.kind != Kind::Held && bar.kind != Kind::NeverFits) {
        const int height = std::max(6, option.rect.height() * 6 / 10);
        const double left = axis.x(bar.start), right = bar.end ? axis.x(*bar.end) : option.rect.right() - kMargin;
        const QRectF box(left, option.rect.center().y() - height / 2.0, std::max(3.0, right - left), height);
        const QColor colour = option.state & QStyle::State_Selected ? lineColourOf(option) : stateColour(m_model.stateOf(index.row()), option.palette);
        QColor soft = colour;
        soft.setAlphaF(bar.kind == Kind::Active ? 0.85f : 0.28f);
        QBrush fill(soft);
        if (!bar.end) {
            QLinearGradient fading(box.topLeft(), box.topRight());
            QColor gone = soft;
            gone.setAlphaF(0);
            fading.setColorAt(0, soft);
            fading.setColorAt(1, gone);
            fill = fading;
        }
        painter->fillRect(box, fill);
        if (bar.kind == Kind::Waiting)
            painter->fillRect(bar.end ? box : box.adjusted(0, 0, -box.width() / 3, 0), QBrush(colour, Qt::BDiagPattern));
        painter->setPen(QPen(colour, 1, bar.isStartKnown ? Qt::SolidLine : Qt::DashLine));
        painter->drawLine(box.topLeft(), box.bottomLeft());
        if (bar.end) {
            painter->setPen(colour);
            painter->drawRect(box);
        } else {
            painter->setPen(lineColourOf(option));
            painter->drawText(QRectF(option.rect).adjusted(0, 0, -kMargin, 0), Qt::AlignRight | Qt::AlignVCenter, tr("?"));
        }
    }
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->setPen(lineColourOf(option));
    const int now = static_cast<int>(axis.x(0ms));
    painter->drawLine(now, option.rect.top(), now, option.rect.bottom());
    painter->restore();
}

PlanHeader::PlanHeader(const QueuePlanModel& model, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
    , m_model(model)
{
}

void PlanHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    painter->save();
    QHeaderView::paintSection(painter, rect, section);
    painter->restore();
    if (section != QueuePlanModel::Bar)
        return;
    const PlanAxis axis(rect, m_model.span());
    painter->save();
    painter->setPen(palette().color(QPalette::ButtonText));
    const int height = fontMetrics().height();
    const auto label = [&](milliseconds time, const QString& text) {
        const int x = static_cast<int>(axis.x(time)), width = fontMetrics().horizontalAdvance(text);
        painter->drawText(QRect(x - width / 2, rect.center().y() - height / 2, width + 2, height), Qt::AlignCenter, text);
        painter->drawLine(x, rect.bottom() - 2, x, rect.bottom());
    };
    const QString now = tr("now");
    label(0ms, now);
    const int wide = fontMetrics().horizontalAdvance(tickText(23h + 59min)) * 3 / 2;
    for (const milliseconds tick : axis.ticks(wide))
        label(tick, tickText(tick));
    painter->restore();
}

}  // namespace ui
