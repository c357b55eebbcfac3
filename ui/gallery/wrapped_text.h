// A sentence in a small area, such as why a picture cannot be shown, which begins with the name of a file.
#pragma once
#include <QFont>
#include <QPainter>
#include <QStringList>

namespace ui {

/// The lines of @p text in @p room: broken between words or, where a word is wider than the room, within it. What has no room is elided.
QStringList wrappedLines(const QString& text, const QFont& font, const QSize& room);

/// Paints them in the middle of @p area.
void drawWrapped(QPainter& painter, const QRect& area, const QString& text);

}  // namespace ui
