// Shows two images and their difference, side by side or one below the other, whichever gives them more room.
#pragma once
#include "ui/gallery/image_difference.h"
#include "ui/gallery/image_view.h"

#include <QWidget>

#include <array>
#include <optional>

class QBoxLayout;
class QComboBox;
class QLabel;

namespace ui {

class PairView : public QWidget {
    Q_OBJECT
public:
    explicit PairView(QWidget* parent = nullptr);

    struct Side {
        QString title;       ///< the run, and the step of the sample
        LoadedImage image;   ///< null pixels: it is not loaded, or cannot be shown
        QString message;     ///< instead of an image, such as "No sample of this prompt."
    };
    /// The difference follows on another thread; see changed().
    void setSides(const Side& left, const Side& right);

    void setRealPixels(bool isReal);

    int gain() const;
    void setGain(int gain);  ///< one of 1, 2, 4, 8, 16

    /// Of the images that are shown; nullopt until it has been computed, and when their sizes differ or one is missing.
    const std::optional<ImageDifference>& difference() const { return m_difference; }
    /// "Mean difference 3.21 of 255, largest 97; 84 % of the pixels differ.", or why there is none; empty until it is known.
    QString differenceText() const;

    QSize minimumSizeHint() const override { return {120, 120}; }  ///< either direction fits into its shorter side

    ImageView& left() { return *m_views[0]; }
    ImageView& right() { return *m_views[1]; }
    ImageView& differenceView() { return *m_views[2]; }

Q_SIGNALS:
    void changed();  ///< the difference is another one

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showSide(int index, const Side& side);
    void compute();

    QBoxLayout* m_layout;
    std::array<QLabel*, 3> m_titles {};
    std::array<ImageView*, 3> m_views {};
    QComboBox* m_gain = nullptr;
    std::array<LoadedImage, 2> m_images;
    std::optional<ImageDifference> m_difference;
    int m_generation = 0;  ///< of the images and the gain; results for an earlier one are dropped
};

}  // namespace ui
