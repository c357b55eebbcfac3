#include "ui/logs/log_view.h"

#include "ui/base/format.h"
#include "ui/base/line_look.h"
#include "ui/base/look.h"
#include "ui/logs/log_view_face.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <limits>

namespace ui {
namespace {

constexpr int kMargin = 6;
constexpr qsizetype kMaxCopiedBytes = 64 << 20;

QString levelWord(LogLevel level)
{
    switch (level) {
    case LogLevel::Error:
        return LogView::tr("Error");
    case LogLevel::Warning:
        return LogView::tr("Warning");
    case LogLevel::Info:
        return LogView::tr("Info");
    case LogLevel::Debug:
        return LogView::tr("Debug");
    case LogLevel::Unknown:
        break;
    }
    return {};
}

}  // namespace

LogView::LogView(LogModel& model, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_model(model)
{
    LogViewFace::install();
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Log lines"));
    viewport()->setBackgroundRole(QPalette::Base);
    viewport()->setCursor(Qt::IBeamCursor);
    connect(&m_model, &LogModel::reset, this, &LogView::resetView);
    connect(&m_model, &LogModel::appended, this, &LogView::updateBars);
    connect(&m_model, &LogModel::linesArrived, viewport(), qOverload<>(&QWidget::update));
    connect(&m_model, &LogModel::linesArrived, this, [this] {
        if (m_isUnannounced)
            announce();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        if (!m_isUpdatingBars)
            setFollowing(value == verticalScrollBar()->maximum());
    });
}

void LogView::setFollowing(bool isFollowing)
{
    if (m_isFollowing == isFollowing)
        return;
    m_isFollowing = isFollowing;
    updateBars();
    Q_EMIT followingChanged(isFollowing);
}

void LogView::setFileNames(const QStringList& names)
{
    m_names = names;
    m_nameWidth = 0;
    for (const QString& name : names.size() > 1 ? names : QStringList())
        m_nameWidth = std::max(m_nameWidth, fontMetrics().horizontalAdvance(name) + 12);
    viewport()->update();
}

void LogView::resetView()
{
    m_current = m_anchor = -1;
    m_widest = 0;
    updateBars();
}

int LogView::lineHeight() const
{
    return fontMetrics().height() + 2;
}

int LogView::visibleLines() const
{
    return std::max(1, viewport()->height() / lineHeight());
}

void LogView::updateBars()
{
    m_isUpdatingBars = true;
    const qsizetype hidden = std::max<qsizetype>(0, m_model.count() - visibleLines());
    verticalScrollBar()->setRange(0, int(std::min<qsizetype>(hidden, std::numeric_limits<int>::max())));
    verticalScrollBar()->setPageStep(visibleLines());
    horizontalScrollBar()->setRange(0, std::max(0, m_widest + m_nameWidth + 2 * kMargin - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    if (m_isFollowing)
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    m_isUpdatingBars = false;
    viewport()->update();
}

void LogView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateBars();
}

void LogView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange)
        viewport()->update();
}

QColor LogView::levelColour(LogLevel level) const
{
    switch (level) {
    case LogLevel::Error:
        return stateColour(launcher::RunState::Failed, palette());
    case LogLevel::Warning:
        return stateColour(launcher::RunState::Stalled, palette());
    case LogLevel::Debug:
        return fadedText(palette());
    default:
        return palette().color(QPalette::Text);
    }
}

/// A line colour, adjusted to the contrast that text needs.
QColor LogView::nameColour(int file) const
{
    constexpr double kTextContrast = 4.5;
    return withContrast(lineColour(file, palette()), palette().color(QPalette::Base), kTextContrast);
}

void LogView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.setFont(font());
    const qsizetype first = verticalScrollBar()->value();
    const qsizetype last = std::min(first + visibleLines() + 1, m_model.count());
    const int widestBefore = m_widest;
    for (qsizetype row = first; row < last; ++row) {
        const QRect rect(0, int(row - first) * lineHeight(), viewport()->width(), lineHeight());
        paintRow(painter, row, rect);
    }
    if (m_widest != widestBefore)
        QMetaObject::invokeMethod(this, &LogView::updateBars, Qt::QueuedConnection);
}

void LogView::paintRow(QPainter& painter, qsizetype row, const QRect& rect)
{
    if (isSelected(row))
        painter.fillRect(rect, palette().color(QPalette::Highlight));
    const LogText* const line = m_model.line(row);
    if (!line)
        return;
    const QColor plain = palette().color(isSelected(row) ? QPalette::HighlightedText : QPalette::Text);
    int left = kMargin - horizontalScrollBar()->value();
    const int file = m_model.fileOf(row);
    if (m_nameWidth > 0 && file < m_names.size()) {
        painter.setPen(isSelected(row) ? plain : nameColour(file));
        painter.drawText(QRect(left, rect.top(), m_nameWidth, rect.height()), Qt::AlignVCenter, m_names[file]);
        left += m_nameWidth;
    }
    painter.setPen(isSelected(row) ? plain : levelColour(line->level));
    const int width = fontMetrics().horizontalAdvance(line->text);
    painter.drawText(QRect(left, rect.top(), width + 4, rect.height()), Qt::AlignVCenter, line->text);
    m_widest = std::max(m_widest, width);
    if (row == m_current && hasFocus()) {
        painter.setPen(QPen(plain, 1, Qt::DotLine));
        painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
    if (m_model.filter().text.isEmpty())
        return;
    // Matches are underlined, which is visible in every palette.
    auto matches = m_model.filter().expression().globalMatch(line->text);
    painter.setPen(QPen(plain, 2));
    while (matches.hasNext()) {
        const auto match = matches.next();
        const int from = fontMetrics().horizontalAdvance(line->text.left(match.capturedStart()));
        const int length = fontMetrics().horizontalAdvance(match.captured());
        painter.drawLine(left + from, rect.bottom(), left + from + length, rect.bottom());
    }
}

qsizetype LogView::rowAt(const QPoint& position) const
{
    const qsizetype row = verticalScrollBar()->value() + position.y() / lineHeight();
    return std::clamp<qsizetype>(row, 0, m_model.count() - 1);
}

bool LogView::isSelected(qsizetype row) const
{
    return m_current >= 0 && row >= std::min(m_anchor, m_current) && row <= std::max(m_anchor, m_current);
}

void LogView::moveTo(qsizetype row, bool isExtending)
{
    if (m_model.count() == 0)
        return;
    m_current = std::clamp<qsizetype>(row, 0, m_model.count() - 1);
    if (!isExtending || m_anchor < 0)
        m_anchor = m_current;
    QScrollBar* const bar = verticalScrollBar();
    if (m_current < bar->value())
        bar->setValue(int(m_current));
    else if (m_current >= bar->value() + visibleLines())
        bar->setValue(int(m_current) - visibleLines() + 1);
    viewport()->update();
    announce();
}

void LogView::step(int direction)
{
    if (m_model.count() == 0)
        return;
    const qsizetype from = m_current < 0 && direction < 0 ? 0 : m_current;
    moveTo((from + direction + m_model.count()) % m_model.count(), false);
}

/// Tells a screen reader which line is current.
void LogView::announce()
{
    m_isUnannounced = QAccessible::isActive() && m_current >= 0 && m_current < m_model.count() && !m_model.line(m_current);
    if (m_isUnannounced || !QAccessible::isActive() || m_current < 0 || !hasFocus())
        return;
    QAccessibleEvent event(this, QAccessible::Focus);
    event.setChild(int(m_current - linesInSight().first));
    QAccessible::updateAccessibility(&event);
}

LogView::Rows LogView::linesInSight() const
{
    const qsizetype first = verticalScrollBar()->value();
    return {first, std::max(first, std::min(first + visibleLines(), m_model.count()))};
}

QRect LogView::lineRect(qsizetype row) const
{
    return {0, int(row - verticalScrollBar()->value()) * lineHeight(), viewport()->width(), lineHeight()};
}

QString LogView::lineText(qsizetype row) const
{
    const LogText* const line = m_model.line(row);
    if (!line)
        return {};
    const int file = m_model.fileOf(row);
    return m_nameWidth > 0 && file < m_names.size() ? tr("%1: %2", "the name of a log, and one of its lines").arg(m_names[file], line->text) : line->text;
}

QString LogView::lineDescription(qsizetype row) const
{
    const LogText* const line = m_model.line(row);
    if (!line)
        return {};
    const int file = m_model.fileOf(row);
    QStringList parts = {levelWord(line->level), file < m_names.size() ? m_names[file] : QString(),
        line->unixMs > 0 ? formatMoment(line->unixMs) : QString()};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(", "));
}

/// With the focus there is always a current line, which the keys move: the last one in sight while following, else the first.
void LogView::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    const Rows seen = linesInSight();
    if (m_current < 0 && seen.size() > 0 && event->reason() != Qt::MouseFocusReason)
        moveTo(m_isFollowing ? seen.last - 1 : seen.first, false);
    else
        announce();
    viewport()->update();
}

void LogView::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void LogView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_model.count() > 0)
        moveTo(rowAt(event->pos()), event->modifiers().testFlag(Qt::ShiftModifier));
}

void LogView::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons().testFlag(Qt::LeftButton) && m_model.count() > 0)
        moveTo(rowAt(event->pos()), true);
}

void LogView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_model.count() > 0)
        Q_EMIT rowChosen(rowAt(event->pos()));
}

void LogView::showRow(qsizetype row)
{
    setFollowing(false);
    moveTo(row, false);
    verticalScrollBar()->setValue(int(m_current) - visibleLines() / 2);
}

void LogView::keyPressEvent(QKeyEvent* event)
{
    const bool isExtending = event->modifiers().testFlag(Qt::ShiftModifier);
    const qsizetype from = m_current < 0 ? verticalScrollBar()->value() : m_current;
    if (event->matches(QKeySequence::SelectAll)) {
        moveTo(0, false);
        moveTo(m_model.count() - 1, true);
    } else if (event->key() == Qt::Key_Enter) {
        if (m_current >= 0)
            Q_EMIT rowChosen(m_current);
    } else if (event->key() == Qt::Key_Up) {
        moveTo(from - 1, isExtending);
    } else if (event->key() == Qt::Key_Down) {
        moveTo(from + 1, isExtending);
    } else if (event->key() == Qt::Key_PageUp) {
        moveTo(from - visibleLines(), isExtending);
    } else if (event->key() == Qt::Key_PageDown) {
        moveTo(from + visibleLines(), isExtending);
    } else if (event->key() == Qt::Key_Home) {
        moveTo(0, isExtending);
    } else if (event->key() == Qt::Key_End) {
        moveTo(m_model.count() - 1, isExtending);
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void LogView::copySelection()
{
    if (m_current < 0)
        return;
    const qsizetype first = std::min(m_anchor, m_current);
    const qsizetype count = std::max(m_anchor, m_current) - first + 1;
    m_model.fetchText(first, count, kMaxCopiedBytes, [](const QString& text) { QApplication::clipboard()->setText(text); });
}

}  // namespace ui
