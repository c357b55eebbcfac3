#include "ui/access/elided_tips.h"

#include "ui/base/plain_text.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QStyleOptionFrame>
#include <QStyleOptionHeader>
#include <QStyleOptionViewItem>
#include <QToolTip>

namespace ui {
namespace {

QString textIfWider(const QString& text, const QWidget& widget, int room)
{
    return widget.fontMetrics().horizontalAdvance(text) > room ? text : QString();
}

QString ofBox(const QComboBox& box)
{
    QStyleOptionComboBox option;
    option.initFrom(&box);
    option.editable = box.isEditable();
    const int room = box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box).width();
    return textIfWider(box.currentText(), box, room - (box.itemIcon(box.currentIndex()).isNull() ? 0 : box.iconSize().width() + 4));
}

QString ofField(const QLineEdit& field)
{
    if (!field.text().isEmpty())
        return {};  // the arrow keys scroll to the rest
    QStyleOptionFrame option;
    option.initFrom(&field);
    option.lineWidth = field.style()->pixelMetric(QStyle::PM_DefaultFrameWidth, &option, &field);
    const QMargins margins = field.textMargins();
    constexpr int kInside = 4;  // QLineEdit's own margins, which have no name
    const int icons = static_cast<int>(field.actions().size()) * (field.style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, &field) + kInside);
    const int room = field.style()->subElementRect(QStyle::SE_LineEditContents, &option, &field).width() - margins.left() - margins.right() - kInside;
    return textIfWider(field.placeholderText(), field, room - icons);
}

QString ofLabel(const QLabel& label)
{
    if (label.text().isEmpty() || !label.pixmap().isNull())
        return {};
    const QFontMetrics metrics = label.fontMetrics();
    // A word that is wider than the label is cut off there, even where the others go on in the next line.
    const int flags = label.wordWrap() ? int(Qt::TextWordWrap) : 0;
    const QSize needed
        = label.textFormat() == Qt::RichText ? label.sizeHint() : metrics.boundingRect(label.contentsRect(), flags, label.text()).size();
    return needed.width() > label.contentsRect().width() + 1 || needed.height() > label.contentsRect().height() + 1 ? label.text() : QString();
}

QString ofHeading(const QHeaderView& header, const QPoint& place)
{
    const int section = header.logicalIndexAt(place);
    if (section < 0 || !header.model())
        return {};
    const int margins = 2 * header.style()->pixelMetric(QStyle::PM_HeaderMargin, nullptr, &header);
    const int room = header.orientation() == Qt::Horizontal ? header.sectionSize(section) : header.width();
    return textIfWider(header.model()->headerData(section, header.orientation()).toString(), header, room - margins);
}

QString ofCell(const QAbstractItemView& view, const QPoint& place)
{
    const QModelIndex index = view.indexAt(place);
    if (!index.isValid() || index.data().toString().isEmpty())
        return {};
    QStyleOptionViewItem option;
    option.initFrom(&view);
    option.font = view.font();
    option.widget = &view;
    option.rect = view.visualRect(index);
    const bool isWide = view.itemDelegateForIndex(index)->sizeHint(option, index).width() > option.rect.width();
    return isWide ? index.data().toString() : QString();
}

/// Whether the table has a tool tip of its own there.
bool hasOwnTip(const QAbstractItemView& view, const QPoint& place)
{
    if (const auto* header = qobject_cast<const QHeaderView*>(&view)) {
        const int section = header->logicalIndexAt(place);
        return section >= 0 && header->model() && !header->model()->headerData(section, header->orientation(), Qt::ToolTipRole).toString().isEmpty();
    }
    return !view.indexAt(place).data(Qt::ToolTipRole).toString().isEmpty();
}

const QAbstractItemView* viewOf(const QWidget& viewport)
{
    const auto* view = qobject_cast<const QAbstractItemView*>(viewport.parentWidget());
    return view && view->viewport() == &viewport ? view : nullptr;
}

}  // namespace

QString elidedText(const QWidget& widget, const QPoint& place)
{
    if (const auto* box = qobject_cast<const QComboBox*>(&widget))
        return ofBox(*box);
    if (const auto* field = qobject_cast<const QLineEdit*>(&widget))
        return ofField(*field);
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        return ofLabel(*label);
    const QAbstractItemView* const view = viewOf(widget);
    if (const auto* header = qobject_cast<const QHeaderView*>(view))
        return ofHeading(*header, place);
    return view ? ofCell(*view, place) : QString();
}

bool ElidedTips::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ToolTip || !watched->isWidgetType())
        return false;
    auto* const widget = static_cast<QWidget*>(watched);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const QAbstractItemView* const view = viewOf(*widget);
    if (view ? hasOwnTip(*view, help->pos()) : !widget->toolTip().isEmpty())
        return false;
    const QString text = elidedText(*widget, help->pos());
    if (text.isEmpty())
        return false;
    QToolTip::showText(help->globalPos(), plainToolTip(text), widget);
    return true;
}

}  // namespace ui
