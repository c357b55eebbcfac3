// Qt's style Fusion with edges that can be seen in the dark, rows and columns that stand apart, scroll bars that are painted
// at once, and nothing that moves for those who want that.
//
// [Note: scroll bars and busy machines]
// Qt's raster painter divides a gradient of 96 rows or more among the threads of its pool and waits for them. While ranks keep
// all processors busy, these threads wait for their turn, and the window with them: a turn with a scroll bar took up to 30 ms. So
// scroll bars are painted without gradients.
#pragma once
#include <QProxyStyle>

namespace ui {

/// A dynamic property of a tab bar: true makes its tabs narrower.
inline constexpr char kNarrowTabs[] = "hasNarrowTabs";

class EdgedFusion : public QProxyStyle {
    Q_OBJECT
public:
    EdgedFusion();

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* returned) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const override;

private:
    void drawLabel(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const;
};

}  // namespace ui
