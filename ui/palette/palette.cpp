#include "ui/palette/palette.h"

#include "ui/base/format.h"
#include "ui/base/icons.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

constexpr int kMargin = 8;

/// A row has two lines: the title with the kind and the key, and the detail.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {200, 2 * option.fontMetrics.lineSpacing() + kMargin};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        const auto group = index.flags().testFlag(Qt::ItemIsEnabled) ? QPalette::Active : QPalette::Disabled;
        const QColor text = option.palette.color(group, isSelected ? QPalette::HighlightedText : QPalette::Text);
        QColor faint = text;
        faint.setAlphaF(0.75F);
        painter->save();
        painter->fillRect(option.rect, isSelected ? option.palette.highlight() : option.palette.base());
        const int line = option.fontMetrics.lineSpacing();
        const QRect inner = option.rect.adjusted(kMargin, kMargin / 2, -kMargin, -kMargin / 2);
        const QRect picture(inner.left(), inner.top(), line, line);
        if (const auto icon = index.data(Qt::DecorationRole).value<QIcon>(); !icon.isNull())
            icon.paint(painter, picture, Qt::AlignCenter, group != QPalette::Active ? QIcon::Disabled : isSelected ? QIcon::Selected : QIcon::Normal);
        const QRect first(picture.right() + kMargin, inner.top(), inner.right() - picture.right() - kMargin, line);
        QString right = index.data(PaletteModel::KindRole).toString();
        if (const QString hint = index.data(PaletteModel::HintRole).toString(); !hint.isEmpty())
            right = hint + QStringLiteral("   ") + right;
        painter->setPen(faint);
        painter->drawText(first, Qt::AlignRight | Qt::AlignVCenter, right);
        painter->setPen(text);
        const int room = first.width() - option.fontMetrics.horizontalAdvance(right) - kMargin;
        painter->drawText(first, Qt::AlignLeft | Qt::AlignVCenter, option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, room));
        painter->setPen(faint);
        painter->drawText(first.translated(0, line), Qt::AlignLeft | Qt::AlignVCenter,
            option.fontMetrics.elidedText(index.data(PaletteModel::DetailRole).toString(), Qt::ElideRight, first.width()));
        painter->restore();
    }
};

}  // namespace

Palette::Palette(QWidget* parent)
    : QDialog(parent)
    , m_model(new PaletteModel(this))
    , m_field(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("palette"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Palette"));
    m_field->setPlaceholderText(tr("Find an action, run, metric or option"));
    m_field->setAccessibleName(tr("Find an action, run, metric or option"));
    m_field->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_field->setClearButtonEnabled(true);
    m_field->installEventFilter(this);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new EntryDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setAccessibleName(tr("What matches"));
    m_note->setEnabled(false);
    m_note->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_field);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_note);
    connect(m_field, &QLineEdit::textChanged, this, &Palette::narrow);
    connect(m_list, &QListView::clicked, this, &Palette::choose);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(90 * digit, 30 * fontMetrics().height());
    if (parent) {
        const QRect window = parent->window()->geometry();
        setMaximumSize(window.size());
        move(window.center().x() - width() / 2, window.top() + std::max(0, window.height() / 10));
    }
}

void Palette::offer(std::vector<PaletteEntry> entries)
{
    m_model->setEntries(std::move(entries));
    narrow();
}

void Palette::narrow()
{
    m_model->setQuery(m_field->text());
    selectRow(0);
    const auto hidden = static_cast<std::int64_t>(m_model->matches()) - m_model->rowCount();
    m_note->setText(m_model->rowCount() == 0 ? tr("Nothing matches.")
            : hidden > 0 && !m_field->text().trimmed().isEmpty() ? tr("%1 more match.").arg(formatCount(hidden))
                                                                 : tr("> finds only actions, @ runs, # metrics, : options."));
}

void Palette::selectRow(int row)
{
    const QModelIndex index = m_model->index(row);
    m_list->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
    m_list->scrollTo(index);
}

bool Palette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_field || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const int row = m_list->currentIndex().row();
    const int last = m_model->rowCount() - 1;
    constexpr int kPage = 8;
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
        selectRow(row <= 0 ? last : row - 1);
        return true;
    case Qt::Key_Down:
        selectRow(row >= last ? 0 : row + 1);
        return true;
    case Qt::Key_PageUp:
        selectRow(std::max(0, row - kPage));
        return true;
    case Qt::Key_PageDown:
        selectRow(std::min(last, row + kPage));
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(m_list->currentIndex());
        return true;
    default:
        return QDialog::eventFilter(watched, event);
    }
}

void Palette::choose(const QModelIndex& index)
{
    if (!index.isValid() || !m_model->entry(index.row()).isEnabled)
        return;
    const PaletteEntry entry = m_model->entry(index.row());
    accept();
    Q_EMIT chosen(entry);
}

}  // namespace ui
