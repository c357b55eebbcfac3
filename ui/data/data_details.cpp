#include "ui/data/data_details.h"

#include "ui/base/background.h"
#include "ui/base/flow_layout.h"
#include "ui/gallery/image_view.h"
#include "ui/gallery/video_poster.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace ui {
namespace {

constexpr qint64 kImageBytes = 128LL << 20;

}  // namespace

QImage dimmedOutside(const QImage& image, const QImage& mask)
{
    if (image.isNull() || mask.isNull())
        return {};
    QImage result(image.size(), QImage::Format_RGB32);
    result.fill(Qt::white);  // on which transparent images are trained
    QPainter(&result).drawImage(0, 0, image);
    const QImage weights = mask.convertToFormat(QImage::Format_Grayscale8).scaled(image.size());
    constexpr int kLeast = 64;  // of 255: what is left out stays recognisable
    for (int y = 0; y < result.height(); ++y) {
        auto* pixels = reinterpret_cast<QRgb*>(result.scanLine(y));
        const uchar* weight = weights.constScanLine(y);
        for (int x = 0; x < result.width(); ++x) {
            const int part = kLeast + weight[x] * (255 - kLeast) / 255;
            pixels[x] = qRgb(qRed(pixels[x]) * part / 255, qGreen(pixels[x]) * part / 255, qBlue(pixels[x]) * part / 255);
        }
    }
    return result;
}

QImage alphaMask(const QImage& image)
{
    QImage mask = image.hasAlphaChannel() ? image.convertToFormat(QImage::Format_Alpha8) : QImage();
    return mask.reinterpretAsFormat(QImage::Format_Grayscale8) ? mask : QImage();
}

DataDetails::DataDetails(QWidget* parent)
    : QWidget(parent)
    , m_images({}, kImageBytes, nullptr, {.links = contract::Links::Follow})
    , m_image(new ImageView)
    , m_caption(new QPlainTextEdit)
    , m_facts(new QLabel)
    , m_mask(new QToolButton)
    , m_realPixels(new QToolButton)
    , m_folder(new QToolButton)
{
    m_image->setAccessibleName(tr("Training image"));
    m_caption->setReadOnly(true);
    m_caption->setTabChangesFocus(true);
    m_caption->setFrameShape(QFrame::NoFrame);
    m_caption->setAccessibleName(tr("Caption"));
    m_image->setMinimumSize(60, 60);
    m_caption->setMinimumHeight(fontMetrics().height() + 8);
    m_caption->setMaximumHeight(4 * fontMetrics().height());
    m_facts->setWordWrap(true);
    m_facts->setTextFormat(Qt::PlainText);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* buttons = new FlowLayout;
    buttons->setSpacing(6);
    const auto add = [&](QToolButton* button, const QString& text, const QString& help) {
        button->setText(text);
        button->setAccessibleName(help);
        buttons->addWidget(button);
    };
    add(m_mask, tr("Mask"), tr("Dim what the mask leaves out"));
    add(m_realPixels, tr("100 %"), tr("Show each image pixel as one screen pixel"));
    add(m_folder, tr("Open folder"), tr("Open the folder that the file is in"));
    for (QToolButton* button : {m_mask, m_realPixels})
        button->setCheckable(true);
    m_mask->setChecked(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_image, 1);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(10, 2, 10, 8);
    below->addWidget(m_caption);
    below->addWidget(m_facts);
    below->addLayout(buttons);
    layout->addLayout(below);
    connect(&m_images, &ImageCache::loaded, this, &DataDetails::showImage);
    connect(m_mask, &QToolButton::toggled, this, &DataDetails::showImage);
    connect(m_realPixels, &QToolButton::toggled, m_image, &ImageView::setRealPixels);
    connect(m_folder, &QToolButton::clicked, this, &DataDetails::openFolder);
}

void DataDetails::setEntry(const std::shared_ptr<const DataList>& list, const contract::DataEntry* entry)
{
    if (entry != m_entry)
        m_images.dropWaiting();
    m_list = list;
    m_entry = entry;
    m_images.recheck();
    const QString caption = entry ? QString::fromStdString(entry->caption) : QString();
    m_caption->setPlaceholderText(entry && entry->use != contract::DataEntry::Use::LeftOut ? tr("No caption") : QString());
    if (m_caption->toPlainText() != caption)
        m_caption->setPlainText(caption);
    m_facts->setText(entry ? longFacts(*entry) : QString());
    m_mask->setEnabled(hasMask());
    m_realPixels->setEnabled(entry);
    m_folder->setEnabled(entry);
    showImage();
}

bool DataDetails::hasMask() const { return m_entry && m_entry->hasMask(); }

void DataDetails::showImage()
{
    ++m_generation;
    const QString file = m_entry ? pictureFile(m_list->manifest, *m_entry) : QString();
    if (file.isEmpty()) {
        m_image->setMessage(m_entry && m_entry->isPrecomputed ? tr("This file holds latents, which another program has computed.") : QString());
        return;
    }
    const LoadedImage* const found = m_images.find(file);
    if (!found)
        return;
    LoadedImage image = *found;
    if (image.video)
        m_facts->setText(longFacts(*m_entry) + tr("\nvideo file: %1").arg(videoText(*image.video)));
    if (const QRect part = picturePart(*m_entry); !part.isNull())
        image.pixels = image.pixels.copy(part.intersected(image.pixels.rect()));
    if (!m_mask->isChecked() || !m_entry->hasMask() || image.pixels.isNull())
        return m_image->setImage(image);
    if (m_entry->isAlphaMask)
        return showMasked(image, alphaMask(image.pixels));
    const LoadedImage* const mask = m_images.find(maskFile(m_list->manifest, *m_entry));
    if (mask && !mask->error.isEmpty())
        m_image->setMessage(tr("The mask cannot be shown: %1").arg(mask->error));
    else if (mask)
        showMasked(image, mask->pixels);
}

void DataDetails::showMasked(const LoadedImage& image, const QImage& mask)
{
    inBackground(
        this, [pixels = image.pixels, mask] { return dimmedOutside(pixels, mask); },
        [this, image, generation = m_generation](const QImage& dimmed) {
            if (generation != m_generation)
                return;
            LoadedImage shown = image;
            if (!dimmed.isNull())
                shown.pixels = dimmed;
            m_image->setImage(shown);
        });
}

void DataDetails::setMaskShown(bool isShown) { m_mask->setChecked(isShown); }

bool DataDetails::isMaskShown() const { return m_mask->isChecked(); }

void DataDetails::setRealPixels(bool isReal) { m_realPixels->setChecked(isReal); }

bool DataDetails::isRealPixels() const { return m_realPixels->isChecked(); }

QString DataDetails::caption() const { return m_caption->toPlainText(); }

QString DataDetails::facts() const { return m_facts->text(); }

void DataDetails::openFolder()
{
    if (m_entry)
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(QString::fromStdString(dataPath(m_list->manifest, m_entry->file).string())).path()));
}

}  // namespace ui
