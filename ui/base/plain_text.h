// Shows text from outside (names of runs and metrics, causes, paths) as it is. Qt's labels and tooltips take text that
// looks like HTML for HTML, and would load the images that it names.
#pragma once
#include <QObject>
#include <QString>

namespace ui {

/// @p text for a tooltip, escaped if Qt would take it for rich text.
QString plainToolTip(const QString& text);

/// @p text for a window's title, in which Qt takes "[*]" for the mark of unsaved changes.
QString plainTitle(QString text);

/// An event filter for the application: every label that has not chosen a text format shows plain text. Labels and
/// message boxes with markup of our own call setTextFormat(Qt::RichText).
class PlainLabels : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace ui
