#include "ui/base/plain_text.h"

#include <QEvent>
#include <QLabel>
#include <QTextDocument>

namespace ui {

QString plainToolTip(const QString& text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

QString plainTitle(QString text)
{
    return text.replace(QLatin1String("[*]"), QLatin1String("[*][*]"));
}

// A label is polished before it is first shown, whoever created it (QMessageBox, QInputDialog …).
bool PlainLabels::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Polish) {
        auto* const label = qobject_cast<QLabel*>(watched);
        // A tooltip is a label too. Those of actions and options have markup of our own; others use plainToolTip().
        if (label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
            label->setTextFormat(Qt::PlainText);
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ui
