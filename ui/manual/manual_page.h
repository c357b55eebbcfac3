// Which page of the manual is about a widget.
#pragma once
#include <QString>

class QWidget;

namespace ui {

/// Says that resources/manual/@p page.md is about @p widget and all that it contains.
void setManualPage(QWidget& widget, const QString& page);

/// The page about @p widget: its own or that of the nearest widget that contains it; "index" when there is none.
QString manualPageOf(const QWidget* widget);

}  // namespace ui
