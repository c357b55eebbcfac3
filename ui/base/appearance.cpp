#include "ui/base/appearance.h"

#include "ui/base/edged_fusion.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>

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

}  // namespace

QPalette lightPalette()
{
    return paletteOf(kLight);
}

void applyAppearance(Appearance appearance)
{
    const bool isOfDesktop = appearance == Appearance::System && !qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP");
    const bool isEdged = dynamic_cast<EdgedFusion*>(QApplication::style()) != nullptr;
    if (!isEdged && (!isOfDesktop || QApplication::style()->name() == QLatin1String("fusion")))
        QApplication::setStyle(new EdgedFusion);
    if (isOfDesktop) {
        QApplication::setPalette(QPalette());
        return;
    }
    QApplication::setPalette(paletteOf(appearance == Appearance::Dark ? kDark : kLight));
}

}  // namespace ui
