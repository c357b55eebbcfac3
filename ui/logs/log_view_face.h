// What a screen reader is told of a LogView: a list of the lines in sight, of which the current one has the focus.
#pragma once
#include "ui/logs/log_view.h"

#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>

namespace ui {

/// One line of a log. Its name is the line as it is shown, its description the level, the rank and the date.
class LogLineFace : public QAccessibleInterface {
public:
    LogLineFace(LogView& view, qsizetype row)
        : m_view(&view)
        , m_row(row)
    {
    }

    bool isValid() const override;
    QObject* object() const override { return nullptr; }
    QWindow* window() const override;
    QAccessibleInterface* parent() const override;
    QAccessibleInterface* child(int /*index*/) const override { return nullptr; }
    QAccessibleInterface* childAt(int /*x*/, int /*y*/) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface* /*child*/) const override { return -1; }
    QString text(QAccessible::Text text) const override;
    void setText(QAccessible::Text /*text*/, const QString& /*value*/) override { }
    QRect rect() const override;
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override;

    qsizetype row() const { return m_row; }

private:
    QPointer<LogView> m_view;
    qsizetype m_row;
};

class LogViewFace : public QAccessibleWidget {
public:
    explicit LogViewFace(LogView& view);
    ~LogViewFace() override;

    /// Makes Qt use this class for every LogView. May be called any number of times.
    static void install();

    int childCount() const override;
    QAccessibleInterface* child(int index) const override;
    QAccessibleInterface* childAt(int x, int y) const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* focusChild() const override;

private:
    LogView& view() const { return *static_cast<LogView*>(object()); }
    QAccessibleInterface* lineAt(qsizetype row) const;
    void forgetLines() const;

    mutable QHash<qsizetype, QAccessible::Id> m_lines;  ///< by row; those that somebody has asked for
};

}  // namespace ui
