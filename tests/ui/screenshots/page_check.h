// Whether everything on a page can be read: no text is cut off, an elided one says all of itself in a tool tip, and every text stands out
// from what is painted behind it.
#pragma once
#include <QImage>
#include <QStringList>
#include <QWidget>

namespace screenshots {

/// One sentence about each text of @p page that cannot be read.
/// @param picture the page as it was painted, of any scale
QStringList unreadable(const QWidget& page, const QImage& picture);

}  // namespace screenshots
