#include "ui/base/edged_fusion.h"

#include "ui/base/motion.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyleOption>
#include <QTableView>
#include <QTreeView>

#include <algorithm>

namespace ui {
namespace {

QColor mixed(const QColor& from, const QColor& to, double part)
{
    const auto channel = [part](int a, int b) { return static_cast<int>(a + (b - a) * part); };
    return {channel(from.red(), to.red()), channel(from.green(), to.green()), channel(from.blue(), to.blue())};
}

/// Round at its ends. Long sides are one rectangle; see [Note: scroll bars and busy machines].
void drawSlider(QPainter& painter, const QRect& slider, const QColor& colour)
{
    const int thickness = std::min(slider.width(), slider.height());
    const QRect end(slider.topLeft(), QSize(thickness, thickness));
    const QRect otherEnd(slider.bottomRight() - QPoint(thickness - 1, thickness - 1), end.size());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(end);
    painter.drawEllipse(otherEnd);
    painter.restore();
    const int half = thickness / 2;
    painter.fillRect(slider.height() > slider.width() ? slider.adjusted(0, half, 0, -half) : slider.adjusted(half, 0, -half, 0), colour);
}

void drawScrollBar(const QStyleOptionSlider& bar, QPainter& painter, const QWidget* widget, const QStyle& style)
{
    constexpr double kResting = 0.52, kHovered = 0.65, kPressed = 0.8;  // the first has a contrast above 3:1
    constexpr int kMargin = 3;
    const auto place = [&](QStyle::SubControl control) { return style.subControlRect(QStyle::CC_ScrollBar, &bar, control, widget); };
    const QColor groove = bar.palette.color(QPalette::Window);
    const QColor text = bar.palette.color(QPalette::WindowText);
    const auto isUnderMouse = [&](QStyle::SubControl control) {
        return bar.state.testFlag(QStyle::State_MouseOver) && bar.activeSubControls.testFlag(control);
    };
    painter.fillRect(bar.rect, groove);
    if (bar.maximum > bar.minimum) {
        const bool isPressed = bar.state.testFlag(QStyle::State_Sunken) && bar.activeSubControls.testFlag(QStyle::SC_ScrollBarSlider);
        const double part = isPressed ? kPressed : isUnderMouse(QStyle::SC_ScrollBarSlider) ? kHovered : kResting;
        const bool isUpright = bar.orientation == Qt::Vertical;
        drawSlider(painter, place(QStyle::SC_ScrollBarSlider).adjusted(isUpright ? kMargin : 0, isUpright ? 0 : kMargin,
            isUpright ? -kMargin : 0, isUpright ? 0 : -kMargin), mixed(groove, text, part));
    }
    const bool isMirrored = bar.direction == Qt::RightToLeft;
    const auto drawArrow = [&](QStyle::SubControl control, QStyle::PrimitiveElement upright, QStyle::PrimitiveElement level) {
        QStyleOption arrow = bar;
        arrow.rect = place(control);
        if (isUnderMouse(control))
            painter.fillRect(arrow.rect, mixed(groove, text, 0.15));
        arrow.rect.adjust(4, 4, -4, -4);
        style.drawPrimitive(bar.orientation == Qt::Vertical ? upright : level, &arrow, &painter, widget);
    };
    drawArrow(QStyle::SC_ScrollBarSubLine, QStyle::PE_IndicatorArrowUp,
        isMirrored ? QStyle::PE_IndicatorArrowRight : QStyle::PE_IndicatorArrowLeft);
    drawArrow(QStyle::SC_ScrollBarAddLine, QStyle::PE_IndicatorArrowDown,
        isMirrored ? QStyle::PE_IndicatorArrowLeft : QStyle::PE_IndicatorArrowRight);
}

constexpr int kArrowRoom = 10;

/// Whether @p option is of a tool button that opens a menu wherever it is pressed, and says so by an arrow.
bool hasArrowBeside(const QStyleOption* option)
{
    const auto* const button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    return button && button->features.testFlag(QStyleOptionToolButton::HasMenu) && !button->features.testFlag(QStyleOptionToolButton::MenuButtonPopup)
        && !button->text.isEmpty();
}

/// @param font that of the painter; the headings of chosen columns are bold
QString elidedHeading(const QStyleOptionHeader& heading, QFont font, const QWidget* widget)
{
    const auto* const header = qobject_cast<const QHeaderView*>(widget);
    const Qt::TextElideMode mode = header && header->textElideMode() == Qt::ElideMiddle ? Qt::ElideMiddle : Qt::ElideRight;
    font.setBold(font.bold() || heading.state.testFlag(QStyle::State_On));
    return QFontMetrics(font).elidedText(heading.text, mode, heading.rect.width());
}

}  // namespace

EdgedFusion::EdgedFusion()
    : QProxyStyle(QStringLiteral("fusion"))
{
}

/// The cells and headers of tables have a wider margin, so that a number on the right does not touch a text on the left of the next column. The tabs
/// of the Inspector, five in a narrow dock, have narrower ones.
int EdgedFusion::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    constexpr int kMore = 4, kNarrowTab = 12;
    if (metric == PM_TabBarTabHSpace && widget && widget->property(kNarrowTabs).toBool())
        return kNarrowTab;
    const bool isOfTable = (metric == PM_FocusFrameHMargin && (qobject_cast<const QTableView*>(widget) || qobject_cast<const QTreeView*>(widget)))
        || (metric == PM_HeaderMargin && qobject_cast<const QHeaderView*>(widget));
    return QProxyStyle::pixelMetric(metric, option, widget) + (isOfTable ? kMore : 0);
}

/// The rows of lists stand apart, too, the text of a button does not touch its edges, and the arrow of one with a menu has a place beside it.
QSize EdgedFusion::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents, const QWidget* widget) const
{
    constexpr int kMore = 4;
    const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    if (type == CT_ItemViewItem && qobject_cast<const QTreeView*>(widget))
        return size.grownBy({0, kMore / 2, 0, kMore / 2});
    if (const auto* button = type == CT_PushButton ? qstyleoption_cast<const QStyleOptionButton*>(option) : nullptr; button && !button->text.isEmpty())
        return size.grownBy({kMore, 0, kMore, 0});
    return type == CT_ToolButton && hasArrowBeside(option) ? size.grownBy({0, 0, kArrowRoom, 0}) : size;
}

/// Dialog buttons have the icons that we give them, not Qt's, which are black in a dark palette too. What moves (docks, buttons that fade) asks
/// here how long, and does not move at all for those who want none.
int EdgedFusion::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* returned) const
{
    const bool isOfMotion = hint == SH_Widget_Animation_Duration || hint == SH_Widget_Animate;
    return hint == SH_DialogButtonBox_ButtonsHaveIcons || (isOfMotion && isMotionReduced()) ? 0 : QProxyStyle::styleHint(hint, option, widget, returned);
}

/// Fusion draws the edges of text fields and check boxes darker than the window, so that they cannot be seen on a dark window.
void EdgedFusion::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    if (element == PE_IndicatorArrowDown && hasArrowBeside(option)) {
        QStyleOption arrow = *option;
        constexpr int kSize = 7;
        arrow.rect = QRect(widget->width() - kArrowRoom - 1, (widget->height() - kSize) / 2, kSize, kSize);
        return QProxyStyle::drawPrimitive(element, &arrow, painter, widget);
    }
    if (element == PE_IndicatorBranch && option->state.testFlag(State_Selected)) {
        QStyleOption branch = *option;  // which is drawn in the colour of buttons, in a selected row too
        branch.palette.setColor(QPalette::ButtonText, option->palette.color(QPalette::HighlightedText));
        branch.palette.setColor(QPalette::WindowText, option->palette.color(QPalette::HighlightedText));
        return QProxyStyle::drawPrimitive(element, &branch, painter, widget);
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const bool hasEdge = element == PE_IndicatorCheckBox || element == PE_FrameLineEdit;
    const bool isDark = option->palette.color(QPalette::Window).lightnessF() < 0.5F;
    if (!hasEdge || !isDark || option->state.testFlag(State_HasFocus))
        return;
    constexpr QRgb kEdge = 0xff6b7482;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QColor::fromRgb(kEdge));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter->restore();
}

/// The text of a button with a menu leaves room for the arrow. A box and a heading show that a part of their text has no room.
void EdgedFusion::drawLabel(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const auto* const button = element == CE_ToolButtonLabel ? qstyleoption_cast<const QStyleOptionToolButton*>(option) : nullptr;
    if (button && hasArrowBeside(option)) {
        QStyleOptionToolButton label = *button;
        label.rect.adjust(0, 0, -kArrowRoom, 0);
        return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    const auto* const box = element == CE_ComboBoxLabel ? qstyleoption_cast<const QStyleOptionComboBox*>(option) : nullptr;
    if (box && !box->editable) {
        QStyleOptionComboBox label = *box;
        const int iconRoom = box->currentIcon.isNull() ? 0 : box->iconSize.width() + 4;
        const int room = proxy()->subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget).width() - iconRoom;
        label.currentText = box->fontMetrics.elidedText(box->currentText, Qt::ElideRight, room);
        return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    const auto* const heading = element == CE_HeaderLabel ? qstyleoption_cast<const QStyleOptionHeader*>(option) : nullptr;
    if (heading && heading->icon.isNull()) {
        QStyleOptionHeader label = *heading;
        label.version = QStyleOptionHeader::Version;  // what later versions add was not copied
        label.text = elidedHeading(*heading, painter->font(), widget);
        return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

/// Fusion's busy bar moves whatever the hints say. Without motion it is hatched over its whole length.
void EdgedFusion::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const auto* const bar = element == CE_ProgressBarContents ? qstyleoption_cast<const QStyleOptionProgressBar*>(option) : nullptr;
    const bool isBusy = bar && bar->minimum == bar->maximum;
    if (!isBusy || proxy()->styleHint(SH_Widget_Animation_Duration, option, widget) > 0)
        return drawLabel(element, option, painter, widget);
    const QColor colour = bar->palette.color(QPalette::Highlight);
    painter->fillRect(bar->rect, mixed(bar->palette.color(QPalette::Base), colour, 0.4));
    painter->fillRect(bar->rect, QBrush(colour, Qt::BDiagPattern));
}

void EdgedFusion::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    const auto* const bar = control == CC_ScrollBar ? qstyleoption_cast<const QStyleOptionSlider*>(option) : nullptr;
    if (bar)
        drawScrollBar(*bar, *painter, widget, *proxy());
    else
        QProxyStyle::drawComplexControl(control, option, painter, widget);
}

}  // namespace ui
