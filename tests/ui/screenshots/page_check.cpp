#include "tests/ui/screenshots/page_check.h"

#include "ui/access/elided_tips.h"
#include "ui/base/look.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QGroupBox>
#include <QHash>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QStyleOptionFrame>
#include <QStyleOptionViewItem>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <optional>

namespace screenshots {
namespace {

constexpr double kContrastOfText = 4.5;

/// The texts of one page, and what is wrong with them.
class Check {
public:
    Check(const QWidget& page, const QImage& picture)
        : m_page(page)
        , m_picture(picture)
    {
    }

    QStringList run()
    {
        for (const QWidget* widget : m_page.findChildren<QWidget*>()) {
            if (widget->isVisibleTo(&m_page) && widget->window() == m_page.window() && !widget->visibleRegion().isEmpty())
                check(*widget);
        }
        return m_found;
    }

private:
    void check(const QWidget& widget)
    {
        if (const auto* label = qobject_cast<const QLabel*>(&widget))
            checkLabel(*label);
        else if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
            checkButton(*button);
        else if (const auto* box = qobject_cast<const QComboBox*>(&widget))
            checkBox(*box);
        else if (const auto* line = qobject_cast<const QLineEdit*>(&widget))
            checkLine(*line);
        else if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
            checkTabs(*tabs);
        else if (const auto* header = qobject_cast<const QHeaderView*>(&widget))
            checkHeader(*header);
        else if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget))
            checkCells(*view);
        else if (const auto* group = qobject_cast<const QGroupBox*>(&widget))
            checkColour(*group, group->rect(), group->title(), group->palette().color(QPalette::WindowText));
    }

    void checkLabel(const QLabel& label)
    {
        if (label.text().isEmpty() || !label.pixmap().isNull())
            return;
        const bool isTall = label.wordWrap() ? label.heightForWidth(label.width()) > label.height() + 1 : label.sizeHint().height() > label.height() + 1;
        const bool isWide = !label.wordWrap() && label.sizeHint().width() > label.width() + 1;
        if ((isTall || isWide) && label.toolTip().isEmpty() && ui::elidedText(label, {}).isEmpty())
            report(label, label.text(), "is cut off and has no tool tip");
        checkSight(label, label.text());
        if (label.isEnabled())
            checkColour(label, label.rect(), label.text(), label.palette().color(label.foregroundRole()));
    }

    void checkButton(const QAbstractButton& button)
    {
        const auto* tool = qobject_cast<const QToolButton*>(&button);
        if (button.text().isEmpty() || (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull()))
            return;
        if (button.sizeHint().width() > button.width() + 1 || button.sizeHint().height() > button.height() + 4)
            report(button, button.text(), "is cut off");
        checkSight(button, button.text());
        if (button.isEnabled() && !button.isChecked())
            checkColour(button, button.rect(), button.text(), button.palette().color(button.foregroundRole()), surfaceOf(button));
    }

    /// Fusion gives push buttons a gradient between shades of one colour, of which none is in the majority.
    static std::optional<QColor> surfaceOf(const QAbstractButton& button)
    {
        return qobject_cast<const QPushButton*>(&button) ? std::optional(button.palette().color(QPalette::Button)) : std::nullopt;
    }

    void checkBox(const QComboBox& box)
    {
        QStyleOptionComboBox option;
        option.initFrom(&box);
        option.editable = box.isEditable();
        const QRect field = box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box);
        const bool hasIcon = !box.itemIcon(box.currentIndex()).isNull();
        const int room = field.width() - (hasIcon ? box.iconSize().width() + 4 : 0);
        checkRoom(box, box.currentText(), box.fontMetrics(), room, box.toolTip() + ui::elidedText(box, {}));
        checkSight(box, box.currentText());
        if (box.isEnabled() && !box.isEditable())
            checkColour(box, box.rect(), box.currentText(), box.palette().color(QPalette::ButtonText), box.palette().color(QPalette::Button));
    }

    void checkLine(const QLineEdit& line)
    {
        const bool isEmpty = line.text().isEmpty();
        const QString text = isEmpty ? line.placeholderText() : line.text();
        QStyleOptionFrame option;
        option.initFrom(&line);
        option.lineWidth = line.style()->pixelMetric(QStyle::PM_DefaultFrameWidth, &option, &line);
        const int room = line.style()->subElementRect(QStyle::SE_LineEditContents, &option, &line).width() - 4;
        if (isEmpty)
            checkRoom(line, text, line.fontMetrics(), room, line.toolTip() + ui::elidedText(line, {}));
        if (line.isEnabled())
            checkColour(line, line.rect(), text, line.palette().color(isEmpty ? QPalette::PlaceholderText : QPalette::Text));
    }

    void checkTabs(const QTabBar& tabs)
    {
        for (int tab = 0; tab < tabs.count(); ++tab) {
            const QRect room = tabs.tabRect(tab) & tabs.rect();
            if (!tabs.isTabVisible(tab) || room.isEmpty() || room != tabs.tabRect(tab))
                continue;  // reached by the arrows
            checkRoom(tabs, tabs.tabText(tab).remove(QLatin1Char('&')), tabs.fontMetrics(), room.width() - 8, tabs.tabToolTip(tab));
            if (tabs.isTabEnabled(tab))
                checkColour(tabs, room, tabs.tabText(tab), tabs.palette().color(QPalette::WindowText));
        }
    }

    void checkHeader(const QHeaderView& header)
    {
        for (int section = 0; header.model() && section < header.count(); ++section) {
            const QRect room = header.orientation() == Qt::Horizontal
                ? QRect(header.sectionViewportPosition(section), 0, header.sectionSize(section), header.height())
                : QRect(0, header.sectionViewportPosition(section), header.width(), header.sectionSize(section));
            const QString text = header.model()->headerData(section, header.orientation()).toString();
            if (header.isSectionHidden(section) || !header.rect().contains(room) || text.isEmpty())
                continue;
            const int margins = 2 * header.style()->pixelMetric(QStyle::PM_HeaderMargin, nullptr, &header);
            const QString tip = header.model()->headerData(section, header.orientation(), Qt::ToolTipRole).toString();
            checkRoom(header, text, header.fontMetrics(), room.width() - margins, tip + ui::elidedText(*header.viewport(), room.center()));
            checkColour(header, room, text, header.palette().color(QPalette::ButtonText));
        }
    }

    void checkCells(const QAbstractItemView& view)
    {
        const QRect whole = view.viewport()->rect();
        int y = 1;
        while (y < whole.height()) {
            const QModelIndex first = view.indexAt(QPoint(1, y)).isValid() ? view.indexAt(QPoint(1, y)) : view.indexAt(QPoint(whole.width() / 2, y));
            if (!first.isValid())
                break;
            const int height = std::max(view.visualRect(first).height(), 1);
            for (int column = 0; column < view.model()->columnCount(first.parent()); ++column)
                checkCell(view, first.siblingAtColumn(column));
            y = view.visualRect(first).top() + height + 2;
        }
    }

    void checkCell(const QAbstractItemView& view, const QModelIndex& index)
    {
        const QRect room = view.visualRect(index);
        const QString text = index.data().toString();
        if (text.isEmpty() || !view.viewport()->rect().contains(room) || view.indexWidget(index))
            return;
        QStyleOptionViewItem option;
        option.initFrom(&view);
        option.font = view.font();
        option.widget = &view;
        option.rect = room;
        if (view.itemDelegateForIndex(index)->sizeHint(option, index).width() > room.width() + 1 && index.data(Qt::ToolTipRole).toString().isEmpty()
            && ui::elidedText(*view.viewport(), room.center()).isEmpty())
            report(view, text, QStringLiteral("is elided in column “%1” and has no tool tip")
                                   .arg(view.model()->headerData(index.column(), Qt::Horizontal).toString()));
        if (!index.flags().testFlag(Qt::ItemIsEnabled) || !view.isEnabled())
            return;
        const QVariant own = index.data(Qt::ForegroundRole);
        const bool isSelected = view.selectionModel()->isSelected(index);
        const QColor colour = isSelected     ? view.palette().color(QPalette::HighlightedText)
            : own.canConvert<QBrush>()       ? own.value<QBrush>().color()
                                             : view.palette().color(QPalette::Text);
        checkColour(*view.viewport(), room, text, colour);
    }

    /// A text that has @p room pixels.
    void checkRoom(const QWidget& widget, const QString& text, const QFontMetrics& metrics, int room, const QString& tip)
    {
        if (metrics.horizontalAdvance(text) > room + 1 && tip.isEmpty())
            report(widget, text, "is cut off and has no tool tip");
    }

    /// Whether other widgets, or the edge of the window, hide a part; what an area scrolls to is not hidden.
    void checkSight(const QWidget& widget, const QString& text)
    {
        for (const QWidget* parent = &widget; parent && parent != &m_page; parent = parent->parentWidget()) {
            if (qobject_cast<const QAbstractScrollArea*>(parent))
                return;
        }
        if (widget.visibleRegion().boundingRect() != widget.rect())
            report(widget, text, "is partly hidden");
    }

    /// @param surface what the text stands on; by default the colour that most of @p place has in the picture
    void checkColour(const QWidget& widget, const QRect& place, const QString& text, const QColor& colour, const std::optional<QColor>& surface = {})
    {
        const QRect seen = place & widget.visibleRegion().boundingRect();
        if (text.isEmpty() || seen.isEmpty())
            return;
        const QColor behind = surface ? *surface : commonest(QRect(widget.mapTo(&m_page, seen.topLeft()), seen.size()));
        const auto over = [&](float above, float below) { return above * colour.alphaF() + below * (1 - colour.alphaF()); };
        const QColor painted = QColor::fromRgbF(
            over(colour.redF(), behind.redF()), over(colour.greenF(), behind.greenF()), over(colour.blueF(), behind.blueF()));
        if (const double contrast = ui::contrast(painted, behind); contrast < kContrastOfText)
            report(widget, text, QStringLiteral("has a contrast of %1 (%2 on %3)").arg(contrast, 0, 'f', 2).arg(painted.name(), behind.name()));
    }

    QColor commonest(const QRect& place) const
    {
        const double scale = m_picture.devicePixelRatio();
        const QRect pixels = QRectF(place.x() * scale, place.y() * scale, place.width() * scale, place.height() * scale).toRect() & m_picture.rect();
        QHash<QRgb, int> counts;
        for (int y = pixels.top(); y <= pixels.bottom(); y += 2) {
            const auto* line = reinterpret_cast<const QRgb*>(m_picture.constScanLine(y));
            for (int x = pixels.left(); x <= pixels.right(); ++x)
                ++counts[line[x]];
        }
        QRgb found = m_page.palette().color(QPalette::Window).rgb();
        int most = 0;
        for (auto count = counts.cbegin(); count != counts.cend(); ++count) {
            if (count.value() > most) {
                most = count.value();
                found = count.key();
            }
        }
        return QColor::fromRgb(found);
    }

    void report(const QWidget& widget, const QString& text, const QString& what)
    {
        const QString name = widget.objectName().isEmpty() && widget.parentWidget() ? widget.parentWidget()->objectName() : widget.objectName();
        m_found << QStringLiteral("%1 %2: “%3” %4").arg(QLatin1String(widget.metaObject()->className()), name, text.left(80).simplified(), what);
    }
    void report(const QWidget& widget, const QString& text, const char* what) { report(widget, text, QLatin1String(what)); }

    const QWidget& m_page;
    const QImage m_picture;
    QStringList m_found;
};

}  // namespace

QStringList unreadable(const QWidget& page, const QImage& picture)
{
    return Check(page, picture.convertToFormat(QImage::Format_RGB32)).run();
}

}  // namespace screenshots
