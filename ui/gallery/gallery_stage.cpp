// What the tab Samples shows beside its grids: the current sample, alone or beside that of another run, and what is said of it.
#include "ui/base/format.h"
#include "ui/gallery/frame_player.h"
#include "ui/gallery/gallery_view.h"
#include "ui/gallery/sample_text.h"
#include "ui/gallery/video_poster.h"

#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>

namespace ui {

void GalleryView::showCurrent()
{
    const GalleryGrid& grid = shownGrid();
    const auto* sample = grid.currentSample();
    m_stage->setCurrentWidget(isPaired() && sample ? static_cast<QWidget*>(m_pair) : m_image);
    m_realPixels->setEnabled(sample != nullptr);
    if (!sample || isPaired())
        m_player->clear();
    if (!sample) {
        m_image->setMessage(grid.grid().isEmpty() ? QString() : tr("There is no sample for this prompt and step."));
        m_caption->clear();
    } else if (isPaired()) {
        showPair(*sample);
    } else {
        showAlone(*sample);
    }
    for (ImageView* view : {m_image, &m_pair->left()})
        view->setAccessibleDescription(captionText());
    refreshActions();
}

void GalleryView::showAlone(const storage::SampleRow& sample)
{
    const QString file = shownGrid().currentFile();
    const LoadedImage* const whole = file.isEmpty() ? nullptr : m_fullSizeImages.find(file);
    const LoadedImage image = whole ? m_player->chosen(*whole) : LoadedImage {};
    if (file.isEmpty())
        m_image->setMessage(tr("This sample is not shown: the journal names a file outside the run folder."));
    else if (whole)
        m_image->setImage(image);
    else
        m_image->setMessage(tr("Loading…"));  // another sample's picture would not fit what is said below
    QString text = promptText(sample) + QLatin1Char('\n') + settingsText(sample);
    if (!image.pixels.isNull())
        text += tr("\n%1 × %2 pixels, shown at %3 %")
                    .arg(image.fullSize.width())
                    .arg(image.fullSize.height())
                    .arg(qRound(m_image->scale() * 100));
    if (image.video)
        text += QLatin1Char('\n') + videoText(*image.video);
    m_caption->setText(text);
}

PairView::Side GalleryView::sideOf(const QString& run, const storage::SampleRow& sample, const QString& file)
{
    PairView::Side side {.title = tr("%1, step %2").arg(m_beside->nameOf(run), formatCount(sample.step)), .image = {}, .message = {}};
    if (file.isEmpty())
        side.message = tr("This sample is not shown: the journal names a file outside the run folder.");
    else if (const LoadedImage* image = m_fullSizeImages.find(file))
        side.image = *image;
    else
        side.message = tr("Loading…");
    return side;
}

void GalleryView::showPair(const storage::SampleRow& sample)
{
    const QString other = m_beside->run();
    PairView::Side right {.title = m_beside->nameOf(other), .image = {}, .message = m_beside->error()};
    const storage::SampleRow* const found
        = m_beside->isLoaded() ? m_beside->grid().counterpart(shownGrid().grid().column(shownGrid().currentColumn()), sample.step) : nullptr;
    if (found)
        right = sideOf(other, *found, sampleFile(m_beside->folder(), *found));
    else if (m_beside->isLoaded())
        right.message = tr("This run has no sample of this prompt.");
    m_pair->setSides(sideOf(shownRun(), sample, shownGrid().currentFile()), right);
    QString text = promptText(sample) + QLatin1Char('\n') + settingsText(sample);
    if (found && settingsText(*found) != settingsText(sample))
        text += tr("\nBeside it: %1").arg(settingsText(*found));
    if (!m_pair->differenceText().isEmpty())
        text += QLatin1Char('\n') + m_pair->differenceText();
    m_caption->setText(text);
}

QString GalleryView::captionText() const { return m_caption->text(); }

}  // namespace ui
