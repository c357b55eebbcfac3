#include "ui/gallery/wrapped_text.h"

#include <QFontMetrics>
#include <QTextLayout>
#include <QTextOption>

namespace ui {

QStringList wrappedLines(const QString& text, const QFont& font, const QSize& room)
{
    const QFontMetrics metrics(font);
    QTextLayout layout(text, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    QStringList lines;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(room.width());
        const bool isLast = (lines.size() + 2) * metrics.lineSpacing() > room.height();
        if (isLast) {
            lines << metrics.elidedText(text.mid(line.textStart()), Qt::ElideRight, room.width());
            break;
        }
        lines << text.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return lines;
}

void drawWrapped(QPainter& painter, const QRect& area, const QString& text)
{
    painter.drawText(area, Qt::AlignCenter, wrappedLines(text, painter.font(), area.size()).join(QLatin1Char('\n')));
}

}  // namespace ui
