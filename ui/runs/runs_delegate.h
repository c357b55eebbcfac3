// Paints the cells of the runs table that are not plain text: eye icon, state, progress bar.
#pragma once
#include <QStyledItemDelegate>

namespace ui {

class RunsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
        const QModelIndex& index) override;

private:
    void paintEye(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintState(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintProgress(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
};

}  // namespace ui
