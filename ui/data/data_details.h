// Shows one entry of the training data: its image, with what its mask leaves out dimmed, its caption and what is known of it.
#pragma once
#include "ui/data/data_list.h"
#include "ui/gallery/image_cache.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace ui {

class ImageView;

class DataDetails : public QWidget {
    Q_OBJECT
public:
    explicit DataDetails(QWidget* parent = nullptr);

    /// @param entry nullptr: none. Must stay valid until the next call, as must @p list.
    void setEntry(const std::shared_ptr<const DataList>& list, const contract::DataEntry* entry);

    void setMaskShown(bool isShown);
    bool isMaskShown() const;
    void setRealPixels(bool isReal);
    bool isRealPixels() const;

    ImageView& image() { return *m_image; }
    QToolButton& maskButton() { return *m_mask; }
    QToolButton& realPixelsButton() { return *m_realPixels; }
    QToolButton& folderButton() { return *m_folder; }
    bool hasEntry() const { return m_entry != nullptr; }
    bool hasMask() const;
    void openFolder();
    QString caption() const;
    QString facts() const;

private:
    void showImage();
    void showMasked(const LoadedImage& image, const QImage& mask);

    std::shared_ptr<const DataList> m_list;
    const contract::DataEntry* m_entry = nullptr;
    ImageCache m_images;
    ImageView* m_image;
    QPlainTextEdit* m_caption;
    QLabel* m_facts;
    QToolButton* m_mask;
    QToolButton* m_realPixels;
    QToolButton* m_folder;
    int m_generation = 0;  ///< of what is shown; masked images for an earlier one are dropped
};

/// @p image with the pixels dimmed that @p mask leaves out: white ones are kept. The mask is stretched to the image. @return null when
/// either is null. May be called on any thread.
QImage dimmedOutside(const QImage& image, const QImage& mask);

/// The transparency of @p image as a mask, in grey; null when it has none.
QImage alphaMask(const QImage& image);

}  // namespace ui
