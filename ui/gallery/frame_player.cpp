#include "ui/gallery/frame_player.h"

#include "ui/base/format.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <algorithm>

namespace ui {

using namespace std::chrono_literals;

FramePlayer::FramePlayer(QWidget* parent)
    : QWidget(parent)
    , m_slider(new QSlider(Qt::Horizontal))
    , m_play(new QToolButton)
    , m_text(new QLabel)
{
    m_slider->setRange(0, 0);
    m_slider->setPageStep(1);
    m_slider->setAccessibleName(tr("Frame of the video"));
    m_slider->setToolTip(tr("Chooses a frame; at the left end all are shown"));
    m_play->setText(tr("Play"));
    m_play->setCheckable(true);
    m_play->setAccessibleName(tr("Plays the frames again and again"));
    m_timer.setInterval(200ms);  // frames of a sample lie further apart than those of the video
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 10, 0);
    row->addWidget(m_play);
    row->addWidget(m_slider, 1);
    row->addWidget(m_text);
    connect(m_play, &QToolButton::toggled, this, &FramePlayer::setPlaying);
    connect(m_slider, &QSlider::valueChanged, this, [this] {
        showText();
        Q_EMIT changed();
    });
    connect(m_slider, &QSlider::sliderPressed, this, [this] { setPlaying(false); });
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible())
            setFrame(frame() % m_slider->maximum() + 1);
    });
    hide();
}

LoadedImage FramePlayer::chosen(const LoadedImage& image)
{
    setFrames(image.pixels.size() == image.fullSize ? image.strip.frames : 0);
    if (frame() == 0)
        return image;
    LoadedImage one = image;
    one.pixels = image.pixels.copy(frameRect(image.strip, image.fullSize, frame() - 1));
    one.fullSize = one.pixels.size();
    return one;
}

void FramePlayer::setFrames(int frames)
{
    if (frames != m_slider->maximum()) {
        const QSignalBlocker blocker(m_slider);
        setPlaying(false);
        m_slider->setRange(0, frames);
        m_slider->setValue(0);
        showText();
    }
    setVisible(frames > 0);
}

int FramePlayer::frame() const { return m_slider->value(); }

void FramePlayer::setFrame(int frame) { m_slider->setValue(frame); }

void FramePlayer::step(int by)
{
    setPlaying(false);
    setFrame(frame() + by);
}

void FramePlayer::setPlaying(bool isPlaying)
{
    isPlaying = isPlaying && m_slider->maximum() > 0;
    const QSignalBlocker blocker(m_play);
    m_play->setChecked(isPlaying);
    if (isPlaying == m_timer.isActive())
        return;
    if (isPlaying)
        m_timer.start();
    else
        m_timer.stop();
}

void FramePlayer::showText()
{
    const QString frames = formatCount(m_slider->maximum());
    // As wide as the longest text, so that the slider keeps its length.
    m_text->setMinimumWidth(std::max(m_text->minimumWidth(), m_text->fontMetrics().horizontalAdvance(tr("Frame %1 of %2").arg(frames, frames))));
    m_text->setText(frame() == 0 ? tr("All %1 frames").arg(frames) : tr("Frame %1 of %2").arg(formatCount(frame()), frames));
}

}  // namespace ui
