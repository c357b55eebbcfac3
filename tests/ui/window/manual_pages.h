// Reads the pages of the manual, and says what the window has of what they name.
#pragma once
#include <QDir>
#include <QString>
#include <QStringList>

class QMainWindow;

namespace ui {
class ManualWindow;
}

namespace ui_test {

/// The folder of the pages in @p language, one of ui::languages().
QDir manualFolder(const QString& language);
QString pageText(const QDir& folder, const QString& page);

struct NamedEntries {
    int found = 0;        ///< how often pages name an entry of a menu, as *Run* › *Export metrics…*, that is there
    QStringList missing;  ///< "PAGE: NAME" for each that is not
};
/// What the pages of @p folder say of the menus of @p window. Menus of other windows do not count.
NamedEntries entriesNamed(const QDir& folder, const QMainWindow& window);

/// The manual's window that is shown; nullptr if none is.
ui::ManualWindow* openedManual();

}  // namespace ui_test
