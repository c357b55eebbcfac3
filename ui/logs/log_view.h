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
    /// Shows a name before each line: the element of @p names for its file. Empty: no names.
    void setFileNames(const QStringList& names);
    /// Makes a line current and puts it in the middle. Ends following.
    void showRow(qsizetype row);
    qsizetype currentRow() const { return m_current; }  ///< -1: none
    /// Copies the selected lines to the clipboard, at most 64 MiB and 500,000 of them.
    void copySelection();

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

private:
    int lineHeight() const;
    int visibleLines() const;
    void updateBars();
    void resetView();
    void moveTo(qsizetype row, bool isExtending);
    qsizetype rowAt(const QPoint& position) const;
    bool isSelected(qsizetype row) const;
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
};

}  // namespace ui
