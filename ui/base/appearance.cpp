#include "ui/base/appearance.h"

#include <QApplication>
#include <QPainter>
#include <QPalette>
#include <QProxyStyle>
#include <QStyleOption>

namespace ui {
namespace {

struct Shades {
    QRgb window, base, alternate, button, text, mid, border, highlight, highlightedText, link, disabled;
};

constexpr Shades kLight = {0xfff3f4f6, 0xffffffff, 0xfff8f9fb, 0xfffbfbfc, 0xff1d2430, 0xffc5cad3,
    0xffd5d9e0, 0xff1f6fb2, 0xffffffff, 0xff0b63a5, 0xff8b93a1};
constexpr Shades kDark = {0xff22262d, 0xff191c21, 0xff1e2228, 0xff2c313a, 0xffe4e8ee, 0xff454c58,
    0xff3a404a, 0xff2a6fab, 0xffffffff, 0xff6db3ec, 0xff7b8492};

QPalette paletteOf(const Shades& shades)
{
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, QRgb colour) {
        palette.setColor(role, QColor::fromRgb(colour));
    };
    set(QPalette::Window, shades.window);
    set(QPalette::Base, shades.base);
    set(QPalette::AlternateBase, shades.alternate);
    set(QPalette::Button, shades.button);
    set(QPalette::ToolTipBase, shades.button);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
        set(role, shades.text);
    set(QPalette::BrightText, shades.highlightedText);
    set(QPalette::Mid, shades.mid);
    set(QPalette::Midlight, shades.border);
    set(QPalette::Highlight, shades.highlight);
    set(QPalette::HighlightedText, shades.highlightedText);
    set(QPalette::Link, shades.link);
    set(QPalette::LinkVisited, shades.link);
    palette.setColor(QPalette::Light, QColor::fromRgb(shades.button).lighter(108));
    palette.setColor(QPalette::Dark, QColor::fromRgb(shades.mid).darker(125));
    palette.setColor(QPalette::Shadow, QColor::fromRgb(shades.mid).darker(180));
    QColor faded = QColor::fromRgb(shades.text);
    faded.setAlphaF(0.66F);
    palette.setColor(QPalette::PlaceholderText, faded);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, QColor::fromRgb(shades.disabled));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor::fromRgb(shades.mid));
    return palette;
}

/// Fusion with visible edges in dark palettes: it draws the edges of text fields and check boxes darker than
/// the window, so that they cannot be seen on a dark window.
class EdgedFusion : public QProxyStyle {
public:
    EdgedFusion()
        : QProxyStyle(QStringLiteral("fusion"))
    {
    }

    /// Dialog buttons have the icons that we give them, not Qt's, which are black in a dark palette too.
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* returned) const override
    {
        return hint == SH_DialogButtonBox_ButtonsHaveIcons ? 0 : QProxyStyle::styleHint(hint, option, widget, returned);
    }

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
        const QWidget* widget) const override
    {
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
};

}  // namespace

QPalette lightPalette()
{
    return paletteOf(kLight);
}

void applyAppearance(Appearance appearance)
{
    const bool hasDesktop = !qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP");
    if (appearance == Appearance::System && hasDesktop) {
        QApplication::setPalette(QPalette());
        return;
    }
    if (!dynamic_cast<EdgedFusion*>(QApplication::style()))
        QApplication::setStyle(new EdgedFusion);
    QApplication::setPalette(paletteOf(appearance == Appearance::Dark ? kDark : kLight));
}

}  // namespace ui
