// The selected rows of a table as text for the clipboard: tab-separated, with the header.
#pragma once
#include <QString>

#include <cstdint>

class QAbstractItemView;

namespace ui {

/// The role of what is copied of a cell that shows less than is known, such as a rounded number or an age: a number, which is copied with all
/// its digits, or a text. Without it the cell's text is copied.
inline constexpr int kCopyRole = 0x1000;

/// What is copied of a time: UTC, as in 2026-11-21T10:00:00.000Z. Empty for 0.
QString copiedTime(std::int64_t unixMs);

/// Those rows, from top to bottom, of which something is selected, in the columns that are shown. Numbers are written as in files, whatever the
/// language. Empty when nothing is selected or @p view is not a table.
QString copiedRows(const QAbstractItemView& view);

}  // namespace ui
