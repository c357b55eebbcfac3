// Shows the lines of a log. Paints visible lines only, so that logs of any length can be shown.
#pragma once
#include "ui/logs/log_model.h"

#include <QAbstractScrollArea>

namespace ui {

class LogView : public QAbstractScrollArea {
    Q_OBJECT
public:
    /// @param model must outlive this.
    explicit LogView(LogModel& model, QWidget* parent = nullptr);

    /// While following, the view stays at the last line as lines are added. Scrolling away ends it.
    void setFollowing(bool isFollowing);
    bool isFollowing() const { return m_isFollowing; }
    /// The name of each file, which stands before its lines where there are several.
    void setFileNames(const QStringList& names);
    /// Makes a line current and puts it in the middle. Ends following.
    void showRow(qsizetype row);
    qsizetype currentRow() const { return m_current; }  ///< -1: none
    /// Makes the next line current (1) or the one before (-1); behind the last one comes the first.
    void step(int direction);
    /// Copies the selected lines to the clipboard, at most 64 MiB and 500,000 of them.
    void copySelection();

    // What a screen reader is told of the lines; see log_view_face.h.
    struct Rows {
        qsizetype first = 0, last = 0;  ///< the latter is behind the last one
        qsizetype size() const { return last - first; }
    };
    Rows linesInSight() const;
    qsizetype lineCount() const { return m_model.count(); }
    bool isSelected(qsizetype row) const;
    QRect lineRect(qsizetype row) const;  ///< in the viewport
    /// The line as it is shown, with the name of its file; empty while it is being loaded.
    QString lineText(qsizetype row) const;
    /// Its level, the name of its file, and when it was written: "Warning, rank 1, 21 November 2026 10:15:02".
    QString lineDescription(qsizetype row) const;

Q_SIGNALS:
    void followingChanged(bool isFollowing);
    /// The user double-clicked a line, or pressed Return.
    void rowChosen(qsizetype row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    int lineHeight() const;
    int visibleLines() const;
    void updateBars();
    void resetView();
    void moveTo(qsizetype row, bool isExtending);
    qsizetype rowAt(const QPoint& position) const;
    void announce();
    void paintRow(QPainter& painter, qsizetype row, const QRect& rect);
    QColor levelColour(LogLevel level) const;
    QColor nameColour(int file) const;

    LogModel& m_model;
    QStringList m_names;
    int m_nameWidth = 0;
    int m_widest = 0;        ///< pixel width of the widest line painted so far
    qsizetype m_current = -1;
    qsizetype m_anchor = -1;
    bool m_isFollowing = true;
    bool m_isUpdatingBars = false;
    bool m_isUnannounced = false;  ///< the current line is announced when its text has been loaded
};

}  // namespace ui
