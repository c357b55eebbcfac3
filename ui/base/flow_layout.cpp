#include "ui/base/flow_layout.h"

#include <QWidget>

#include <algorithm>

namespace ui {

FlowLayout::FlowLayout(QWidget* parent)
    : QLayout(parent)
{
}

FlowLayout::~FlowLayout()
{
    for (QLayoutItem* item : m_items)
        delete item;
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    QLayoutItem* const item = itemAt(index);
    if (item)
        m_items.erase(m_items.begin() + index);
    return item;
}

std::vector<QLayoutItem*> FlowLayout::shown() const
{
    std::vector<QLayoutItem*> items;
    std::ranges::copy_if(m_items, std::back_inserter(items), [](const QLayoutItem* item) { return !item->isEmpty(); });
    return items;
}

QSize FlowLayout::sizeHint() const
{
    const QMargins margins = contentsMargins();
    int width = 0;
    int height = 0;
    for (const QLayoutItem* item : shown()) {
        width += item->sizeHint().width() + (width > 0 ? spacing() : 0);
        height = std::max(height, item->sizeHint().height());
    }
    return QSize(width, height).grownBy(margins);
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : shown())
        size = size.expandedTo(item->minimumSize());
    return size.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& area)
{
    QLayout::setGeometry(area);
    arrange(area, true);
}

int FlowLayout::arrange(const QRect& area, bool applies) const
{
    const QRect inside = area.marginsRemoved(contentsMargins());
    const auto sizeOf = [&](const QLayoutItem* item) {
        return QSize(std::min(item->sizeHint().width(), std::max(inside.width(), item->minimumSize().width())),
            item->sizeHint().height());
    };
    const std::vector<QLayoutItem*> items = shown();
    int top = inside.top();
    for (auto first = items.begin(); first != items.end();) {
        int width = 0;
        int height = 0;
        auto last = first;
        for (; last != items.end(); ++last) {
            const QSize size = sizeOf(*last);
            const int before = last == first ? 0 : width + spacing();
            if (last != first && before + size.width() > inside.width())
                break;
            width = before + size.width();
            height = std::max(height, size.height());
        }
        int left = inside.left() + (alignment().testFlag(Qt::AlignHCenter) ? std::max(0, inside.width() - width) / 2 : 0);
        for (; first != last; ++first) {
            const QSize size = sizeOf(*first);
            if (applies)
                (*first)->setGeometry(QRect(QPoint(left, top + (height - size.height()) / 2), size));
            left += size.width() + spacing();
        }
        top += height + (last == items.end() ? 0 : spacing());
    }
    return top - area.top() + contentsMargins().bottom();
}

}  // namespace ui
