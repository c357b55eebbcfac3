// Paints the visible lines of a log, however many there are.
#pragma once
#include "ui/logs/log_model.h"

#include <QAbstractScrollArea>

namespace ui {

class LogView : public QAbstractScrollArea {
    Q_OBJECT
public:
    /// @param model must outlive this.
    explicit LogView(LogModel& model, QWidget* parent = nullptr);

    /// Stays at the end as lines are added, until the user scrolls away.
    void setFollowing(bool isFollowing);
    bool isFollowing() const { return m_isFollowing; }
    /// A name before each line, by file; empty: none.
    void setFileNames(const QStringList& names);
    void copySelection();

Q_SIGNALS:
    void followingChanged(bool isFollowing);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    int lineHeight() const;
    int visibleLines() const;
    void updateBars();
    void atReset();
    void moveTo(qsizetype row, bool isExtending);
    qsizetype rowAt(const QPoint& position) const;
    bool isSelected(qsizetype row) const;
    void paintRow(QPainter& painter, qsizetype row, const QRect& rect);
    QColor levelColour(LogLevel level) const;
    QColor nameColour(int file) const;

    LogModel& m_model;
    QStringList m_names;
    int m_nameWidth = 0;
    int m_widest = 0;        ///< of the lines painted so far
    qsizetype m_current = -1;
    qsizetype m_anchor = -1;
    bool m_isFollowing = true;
    bool m_isScrollingItself = false;
};

}  // namespace ui
