// One plot with its title, legend and notes; shows its values as a table on demand.
#pragma once
#include "ui/plot/canvas/plot_canvas.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace ui {

class CursorOverlay;
class LegendBar;
class NumbersModel;
class PlotInput;

class PlotPanel : public QWidget {
    Q_OBJECT
public:
    PlotPanel(const PlotGroup& group, PlotViewState& viewState, QWidget* parent = nullptr);

    const PlotGroup& group() const { return m_group; }
    void setLines(const std::vector<DrawnLine>& lines);
    PlotCanvas& canvas() { return *m_canvas; }

    /// Offers to move and to hide this plot, by a menu and by dragging the title, and to choose the lines of runs, by the legend's menu.
    void setArrangeable();

    /// Does what the key of @p command does in this plot.
    void perform(PlotCommand command);

    bool showsTable() const;
    /// What Tab goes through, as it is read: the buttons of the header, then the plot.
    QList<QWidget*> controls() const;
    void setShowsTable(bool shows);
    QString title() const;

    /// Copies the readings at the cursor to the clipboard, as text. No-op when there are none.
    void copyReadings() const;

Q_SIGNALS:
    void saveImageRequested();
    void copyImageRequested();
    void moveRequested(bool isEarlier);
    void hideRequested();
    /// The user wants to choose how the lines of these runs, or groups of runs, are drawn.
    void lineRequested(const QStringList& runIds);
    /// The metrics that the user has put here get their usual plots again.
    void separateRequested();
    /// The user is about to pin the cursor at the lines of these runs, or groups of runs.
    void runsPointedOut(const QStringList& runIds);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeHeader();
    void setupTable();
    void fitColumns();
    void applyTable();
    void showKeys();
    void showNotes();
    void showNote(const QString& note);
    void dragTitle(const QMouseEvent& event);

    PlotGroup m_group;
    PlotCanvas* m_canvas;
    CursorOverlay* m_overlay;
    PlotInput* m_input;
    LegendBar* m_legend;
    QLabel* m_note;
    QLabel* m_title = nullptr;
    QGridLayout* m_header = nullptr;
    QPoint m_pressed;  ///< where the mouse button was pressed on the title
    QStackedWidget* m_stack;
    QToolButton* m_scale = nullptr;
    QToolButton* m_clip = nullptr;
    QToolButton* m_image = nullptr;
    QTableView* m_table = nullptr;
    NumbersModel* m_numbers = nullptr;
};

}  // namespace ui
