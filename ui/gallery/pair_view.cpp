#include "ui/gallery/pair_view.h"

#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/plain_text.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>

#include <algorithm>

namespace ui {

PairView::PairView(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QBoxLayout(QBoxLayout::TopToBottom, this))
{
    constexpr int kDefaultGain = 4;
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(6);
    const QString names[] = {tr("Sample of the shown run"), tr("Sample of the other run"), tr("Difference")};
    m_gain = new QComboBox;
    for (int i = 0; i < 3; ++i) {
        m_views[i] = new ImageView;
        m_views[i]->setMinimumSize(40, 40);
        m_views[i]->setAccessibleName(names[i]);
        if (i > 0)  // they move together with the first
            m_views[i]->setFocusPolicy(Qt::ClickFocus);
        m_titles[i] = new QLabel(i == 2 ? names[i] : QString());
        m_titles[i]->setTextFormat(Qt::PlainText);
        // A long name does not widen the view, and the images begin at one height.
        m_titles[i]->setMinimumSize(40, m_gain->sizeHint().height());
        auto* row = new QHBoxLayout;
        row->setContentsMargins(6, 2, 6, 0);
        row->addWidget(m_titles[i], 1);
        if (i == 2) {
            for (const int gain : {1, 2, 4, 8, 16})
                m_gain->addItem(tr("× %1").arg(gain), gain);
            m_gain->setCurrentIndex(m_gain->findData(kDefaultGain));
            m_gain->setAccessibleName(tr("Amplification of the difference"));
            m_gain->setToolTip(tr("How much the difference is amplified"));
            row->addWidget(m_gain);
            connect(m_gain, &QComboBox::currentIndexChanged, this, &PairView::compute);
        }
        auto* column = new QVBoxLayout;
        column->setSpacing(2);
        column->addLayout(row);
        column->addWidget(m_views[i], 1);
        m_layout->addLayout(column, 1);
        connect(m_views[i], &ImageView::dragged, this, [this, i] {
            for (ImageView* view : m_views)
                view->setOffset(m_views[i]->offset());
        });
    }
}

void PairView::showSide(int index, const Side& side)
{
    m_titles[index]->setText(side.title);
    m_titles[index]->setToolTip(plainToolTip(side.title));
    m_images[static_cast<std::size_t>(index)] = side.image;
    if (side.message.isEmpty())
        m_views[index]->setImage(side.image);
    else
        m_views[index]->setMessage(side.message);
}

void PairView::setSides(const Side& left, const Side& right)
{
    const auto before = m_images;
    showSide(0, left);
    showSide(1, right);
    const auto isSame = [&](std::size_t i) { return before[i].pixels.cacheKey() == m_images[i].pixels.cacheKey(); };
    if (!isSame(0) || !isSame(1))
        compute();
}

void PairView::compute()
{
    const int generation = ++m_generation;
    m_difference.reset();
    inBackground(
        this, [a = m_images[0].pixels, b = m_images[1].pixels, gain = gain()] { return differenceOf(a, b, gain); },
        [this, generation](std::optional<ImageDifference> difference) {
            if (generation != m_generation)
                return;
            m_difference = std::move(difference);
            if (m_difference)
                differenceView().setImage({m_difference->pixels, m_difference->pixels.size(), {}});
            else
                differenceView().setMessage(differenceText());
            Q_EMIT changed();
        });
}

QString PairView::differenceText() const
{
    if (m_difference && m_difference->largest == 0)
        return tr("The images are identical.");
    if (m_difference)
        return tr("Mean difference %1 of 255, largest %2; %3 of the pixels differ.")
            .arg(formatNumber(m_difference->mean, 3))
            .arg(m_difference->largest)
            .arg(formatPercent(m_difference->changed));
    const QImage &a = m_images[0].pixels, &b = m_images[1].pixels;
    if (a.isNull() || b.isNull() || a.size() == b.size())
        return {};
    return tr("No difference: the images have %1 × %2 and %3 × %4 pixels.").arg(a.width()).arg(a.height()).arg(b.width()).arg(b.height());
}

void PairView::setRealPixels(bool isReal)
{
    for (ImageView* view : m_views)
        view->setRealPixels(isReal);
}

int PairView::gain() const { return m_gain->currentData().toInt(); }

void PairView::setGain(int gain) { m_gain->setCurrentIndex(std::max(0, m_gain->findData(gain))); }

void PairView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_layout->setDirection(width() > height() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

}  // namespace ui
