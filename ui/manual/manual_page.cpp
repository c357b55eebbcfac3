#include "ui/manual/manual_page.h"

#include <QVariant>
#include <QWidget>

namespace ui {
namespace {

constexpr char kProperty[] = "manualPage";

}  // namespace

void setManualPage(QWidget& widget, const QString& page) { widget.setProperty(kProperty, page); }

QString manualPageOf(const QWidget* widget)
{
    for (; widget; widget = widget->parentWidget()) {
        if (const QVariant page = widget->property(kProperty); page.isValid())
            return page.toString();
    }
    return QStringLiteral("index");
}

}  // namespace ui
