// A line above a view's content in which a text is typed that is then found in its rows, one after another.
#pragma once
#include <QTimer>
#include <QWidget>

#include <functional>

class QAbstractItemView;
class QLabel;
class QLineEdit;

namespace ui {

class ViewFrame;

/// The places that a FindBar looks through.
struct FindPlaces {
    std::function<int()> count;
    std::function<int()> current;  ///< -1: none
    std::function<bool(int place, const QString& text)> matches;  ///< whether the place has @p text, in any case of its letters
    std::function<void(int place)> go;  ///< makes it current
};

/// The rows of @p view, which match by any column that is shown.
FindPlaces rowsOf(QAbstractItemView& view);

class FindBar : public QWidget {
    Q_OBJECT
public:
    /// Stays hidden until Find is wanted while @p view, or something in it, has the focus.
    /// @param frame shows the bar above its content. @param content gets the focus when the bar is closed.
    FindBar(QWidget& view, ViewFrame& frame, QWidget& content, FindPlaces places);

    void open();
    /// Goes to the next place that matches (1), or the one before (-1); behind the last one comes the first. Opens the bar while no text is typed.
    void step(int direction);
    /// What stands beside the text: "Not found."; empty: nothing.
    QString note() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void close();
    void look(int from, int direction);
    void lookOn();

    QWidget& m_content;
    FindPlaces m_places;
    QLineEdit* m_text;
    QLabel* m_note;
    QTimer m_turn;  ///< looks on in the next turn of the event loop, so that none takes long
    int m_next = 0, m_direction = 1;
    int m_left = 0;  ///< places that have not been looked at
};

}  // namespace ui
