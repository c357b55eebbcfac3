// The bar below a sample of a video: chooses one frame, or all of them side by side, and plays them.
#pragma once
#include "ui/gallery/image_loader.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QSlider;
class QToolButton;

namespace ui {

/// Visible only while there is something to play.
class FramePlayer : public QWidget {
    Q_OBJECT
public:
    explicit FramePlayer(QWidget* parent = nullptr);

    /// What is to be shown of @p image: the chosen frame of a strip; otherwise all of it. Another number of frames is shown as a whole at first.
    LoadedImage chosen(const LoadedImage& image);
    /// Nothing is shown that could be played.
    void clear() { setFrames(0); }

    int frame() const;  ///< 1 …; 0: all of them
    void setFrame(int frame);
    /// The frame after or before the current one. Playing ends.
    void step(int by);
    QToolButton& playButton() { return *m_play; }
    bool isPlaying() const { return m_timer.isActive(); }
    void setPlaying(bool isPlaying);

Q_SIGNALS:
    void changed();  ///< another frame has been chosen

private:
    void setFrames(int frames);
    void showText();

    QSlider* m_slider;
    QToolButton* m_play;
    QLabel* m_text;
    QTimer m_timer;
};

}  // namespace ui
