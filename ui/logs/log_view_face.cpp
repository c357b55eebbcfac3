#include "ui/logs/log_view_face.h"

#include <algorithm>
#include <utility>

namespace ui {
namespace {

constexpr qsizetype kMostLines = 1000;  ///< with an interface at a time

QAccessibleInterface* faceOf(const QString& /*className*/, QObject* object)
{
    auto* const view = qobject_cast<LogView*>(object);
    return view ? new LogViewFace(*view) : nullptr;
}

}  // namespace

bool LogLineFace::isValid() const { return m_view && m_row < m_view->lineCount(); }

QWindow* LogLineFace::window() const { return m_view ? m_view->window()->windowHandle() : nullptr; }

QAccessibleInterface* LogLineFace::parent() const { return QAccessible::queryAccessibleInterface(m_view); }

QString LogLineFace::text(QAccessible::Text text) const
{
    if (!isValid())
        return {};
    return text == QAccessible::Name ? m_view->lineText(m_row) : text == QAccessible::Description ? m_view->lineDescription(m_row) : QString();
}

QRect LogLineFace::rect() const
{
    if (!isValid())
        return {};
    const QRect line = m_view->lineRect(m_row);
    return {m_view->viewport()->mapToGlobal(line.topLeft()), line.size()};
}

QAccessible::State LogLineFace::state() const
{
    QAccessible::State state;
    if (!isValid()) {
        state.invalid = true;
        return state;
    }
    state.focusable = state.selectable = state.readOnly = true;
    state.focused = m_row == m_view->currentRow() && m_view->hasFocus();
    state.selected = m_view->isSelected(m_row);
    state.offscreen = !m_view->viewport()->rect().intersects(m_view->lineRect(m_row));
    return state;
}

LogViewFace::LogViewFace(LogView& view)
    : QAccessibleWidget(&view, QAccessible::List)
{
}

LogViewFace::~LogViewFace() { forgetLines(); }

void LogViewFace::install()
{
    [[maybe_unused]] static const bool isInstalled = [] {
        QAccessible::installFactory(faceOf);
        return true;
    }();
}

int LogViewFace::childCount() const { return int(view().linesInSight().size()); }

QAccessibleInterface* LogViewFace::child(int index) const
{
    return index < 0 || index >= childCount() ? nullptr : lineAt(view().linesInSight().first + index);
}

QAccessibleInterface* LogViewFace::childAt(int x, int y) const
{
    const QPoint position = view().viewport()->mapFromGlobal(QPoint(x, y));
    const bool isOnLine = view().viewport()->rect().contains(position);
    return isOnLine ? child(position.y() / std::max(1, view().lineRect(0).height())) : nullptr;
}

int LogViewFace::indexOfChild(const QAccessibleInterface* child) const
{
    const auto* const line = dynamic_cast<const LogLineFace*>(child);
    const LogView::Rows seen = view().linesInSight();
    return line && line->row() >= seen.first && line->row() < seen.last ? int(line->row() - seen.first) : -1;
}

QAccessibleInterface* LogViewFace::focusChild() const
{
    return view().currentRow() < 0 || !view().hasFocus() ? nullptr : lineAt(view().currentRow());
}

QAccessibleInterface* LogViewFace::lineAt(qsizetype row) const
{
    if (const auto known = m_lines.constFind(row); known != m_lines.cend())
        return QAccessible::accessibleInterface(*known);
    if (m_lines.size() >= kMostLines)
        forgetLines();
    auto* const line = new LogLineFace(view(), row);
    m_lines.insert(row, QAccessible::registerAccessibleInterface(line));
    return line;
}

void LogViewFace::forgetLines() const
{
    for (const QAccessible::Id id : std::as_const(m_lines))
        QAccessible::deleteAccessibleInterface(id);
    m_lines.clear();
}

}  // namespace ui
