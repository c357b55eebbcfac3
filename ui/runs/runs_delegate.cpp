#include "ui/runs/runs_delegate.h"

#include "ui/base/icons.h"
#include "ui/base/line_look.h"
#include "ui/base/look.h"
#include "ui/runs/runs_model.h"

#include <QApplication>
#include <QEvent>
#include <QMouseEvent>
#include <QPainter>

namespace ui {
namespace {

constexpr int kMargin = 6;

bool isSelected(const QStyleOptionViewItem& option)
{
    return option.state.testFlag(QStyle::State_Selected);
}

QColor textColour(const QStyleOptionViewItem& option)
{
    return option.palette.color(isSelected(option) ? QPalette::HighlightedText : QPalette::Text);
}

QRectF centredSquare(const QRect& rect, double left, double edge)
{
    return {left, rect.center().y() + 0.5 - edge / 2, edge, edge};
}

}  // namespace

void RunsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem base = option;
    const int column = index.column();
    if (column != RunsModel::Drawn && column != RunsModel::State && column != RunsModel::Progress) {
        if (column == RunsModel::Name)
            base.textElideMode = Qt::ElideMiddle;  // the names of a sweep's runs differ at their ends
        QStyledItemDelegate::paint(painter, base, index);
        return;
    }
    initStyleOption(&base, index);
    base.text.clear();
    base.features &= ~QStyleOptionViewItem::HasCheckIndicator;
    const QStyle* const style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &base, painter, option.widget);
    if (column == RunsModel::Drawn)
        paintEye(painter, option, index);
    else if (column == RunsModel::State)
        paintState(painter, option, index);
    else
        paintProgress(painter, option, index);
}

void RunsDelegate::paintEye(
    QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QVariant look = index.data(RunsModel::LookRole);
    const QRectF square = centredSquare(option.rect, option.rect.center().x() - 7.5, 16);
    QColor colour = look.isValid() ? lineColour(look.value<Look>(), option.palette) : fadedText(option.palette);
    if (isSelected(option))
        colour = look.isValid() ? withContrast(colour, option.palette.color(QPalette::Highlight), 3.0)
                                : option.palette.color(QPalette::HighlightedText);
    icon(look.isValid() ? QStringLiteral("eye") : QStringLiteral("eye-closed"), colour)
        .paint(painter, square.toRect());
}

void RunsDelegate::paintState(
    QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QVariant state = index.data(RunsModel::StateRole);
    double left = option.rect.left() + kMargin;
    QColor colour = textColour(option);
    if (state.isValid()) {
        const auto known = static_cast<launcher::RunState>(state.toInt());
        if (!isSelected(option))
            colour = stateColour(known, option.palette);
        drawStateGlyph(*painter, centredSquare(option.rect, left, 11), known, colour);
        left += 17;
    }
    painter->setPen(colour);
    const QRectF rest(QPointF(left, option.rect.top()), option.rect.bottomRight());
    painter->drawText(rest, Qt::AlignVCenter | Qt::AlignLeft,
        option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, int(rest.width())));
}

void RunsDelegate::paintProgress(
    QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const double part = index.data(RunsModel::ProgressRole).toDouble();
    const QVariant state = index.data(RunsModel::StateRole);
    const QRectF text = QRectF(option.rect).adjusted(kMargin, 1, -kMargin, -7);
    QRectF groove(text.left(), option.rect.bottom() - 6, text.width(), 3);
    painter->setPen(textColour(option));
    painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
        option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, int(text.width())));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    QColor faint = textColour(option);
    faint.setAlphaF(0.15F);
    painter->setBrush(faint);
    painter->drawRoundedRect(groove, 1.5, 1.5);
    groove.setWidth(groove.width() * part);
    painter->setBrush(isSelected(option) || !state.isValid()
            ? textColour(option)
            : stateColour(static_cast<launcher::RunState>(state.toInt()), option.palette));
    if (part > 0)
        painter->drawRoundedRect(groove, 1.5, 1.5);
    painter->restore();
}

QSize RunsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(option.fontMetrics.height() + 14);
    if (index.column() == RunsModel::State)
        size.rwidth() += 24;
    return size;
}

// A click anywhere in the eye's cell toggles it, not only one at the position of a check box.
bool RunsDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
    const QStyleOptionViewItem& option, const QModelIndex& index)
{
    if (index.column() != RunsModel::Drawn || event->type() != QEvent::MouseButtonRelease)
        return QStyledItemDelegate::editorEvent(event, model, option, index);
    if (static_cast<QMouseEvent*>(event)->button() != Qt::LeftButton)
        return false;
    const bool isDrawn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, isDrawn ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

}  // namespace ui
