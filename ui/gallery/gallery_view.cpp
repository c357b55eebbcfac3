#include "ui/gallery/gallery_view.h"

#include "ui/base/format.h"
#include "ui/base/state_strip.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {
namespace {

constexpr qint64 kFullSizeBytes = 128LL << 20;

struct Samples {
    QString folder;
    SampleGrid grid;
};

}  // namespace

GalleryView::GalleryView(StoreService& service, Selection& selection, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_query(new PacedQuery(service, this, [this] { return shownRun(); },
          std::vector {storage::Part::Samples}))
    , m_grid(new GalleryGrid)
    , m_image(new ImageView)
    , m_fullSizeImages({}, kFullSizeBytes)
{
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_image, 1);
    column->addWidget(makeCaption());
    auto* splitter = new QSplitter;
    splitter->addWidget(m_grid);
    splitter->addWidget(side);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    m_frame = new ViewFrame(splitter, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);
    setFocusProxy(m_grid);

    m_query->setQuery(
        [](const storage::Store& store, const std::string& id) {
            const auto row = store.run(id);
            return Samples {row ? QString::fromStdString(row->folder) : QString(), SampleGrid(store.samples(id))};
        },
        [this](const QString& run, Samples samples) {
            m_fullSizeImages.recheck();
            m_grid->setGrid(run, samples.folder, std::move(samples.grid));
            showCurrent();
        });
    connect(m_query, &PacedQuery::stateChanged, this, &GalleryView::showState);
    connect(&m_selection, &Selection::inspectedChanged, m_query, &PacedQuery::askSoon);
    connect(&m_selection, &Selection::drawnChanged, m_query, &PacedQuery::askSoon);
    connect(m_grid, &GalleryGrid::currentChanged, this, &GalleryView::showCurrent);
    connect(m_grid, &GalleryGrid::opened, this, [this] { setFullSize(true); });
    connect(&m_fullSizeImages, &ImageCache::loaded, this, &GalleryView::showCurrent);
    m_image->setFocusPolicy(Qt::ClickFocus);
    m_image->setAccessibleName(tr("Sample at full size"));
    m_image->installEventFilter(this);
    showState();
}

GalleryView::~GalleryView() = default;

QWidget* GalleryView::makeCaption()
{
    auto* bar = new QWidget;
    m_caption = new QLabel(bar);
    m_caption->setWordWrap(true);
    m_caption->setTextFormat(Qt::PlainText);
    m_caption->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_realPixels = new QToolButton(bar);
    m_realPixels->setText(tr("100 %"));
    m_realPixels->setCheckable(true);
    m_realPixels->setToolTip(tr("Show each image pixel as one screen pixel (1)"));
    m_realPixels->setAccessibleName(m_realPixels->toolTip());
    connect(m_realPixels, &QToolButton::toggled, this, [this](bool isReal) {
        m_image->setRealPixels(isReal);
        showCurrent();
    });
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(10, 6, 10, 8);
    row->addWidget(m_caption, 1);
    row->addWidget(m_realPixels, 0, Qt::AlignTop);
    return bar;
}

QString GalleryView::shownRun() const
{
    if (!m_selection.inspected().isEmpty() || m_selection.drawn().isEmpty())
        return m_selection.inspected();
    return m_selection.drawn().front().runId;
}

void GalleryView::showCurrent()
{
    const auto* sample = m_grid->currentSample();
    const QString file = m_grid->currentFile();
    m_realPixels->setEnabled(sample != nullptr);
    if (!sample) {
        m_image->setMessage(m_grid->grid().isEmpty() ? QString() : tr("There is no sample for this prompt and step."));
        m_caption->clear();
        return;
    }
    const LoadedImage* image = file.isEmpty() ? nullptr : m_fullSizeImages.find(file);
    if (file.isEmpty())
        m_image->setMessage(tr("This sample is not shown: the journal names a file outside the run folder."));
    else if (image)
        m_image->setImage(*image);
    QString text = tr("%1\nstep %2 · seed %3 · guidance %4")
                       .arg(sample->prompt.empty() ? tr("Without a prompt") : QString::fromStdString(sample->prompt),
                           formatCount(sample->step), QString::number(sample->seed), formatNumber(sample->guidance));
    if (sample->attempt > 1)
        text += tr(" · attempt %1").arg(sample->attempt);
    if (!sample->weights.empty())
        text += sample->weights == "ema" ? tr(" · averaged weights (EMA)")
                                         : tr(" · weights: %1").arg(QString::fromStdString(sample->weights));
    if (image && !image->pixels.isNull())
        text += tr("\n%1 × %2 pixels, shown at %3 %")
                    .arg(image->fullSize.width())
                    .arg(image->fullSize.height())
                    .arg(qRound(m_image->scale() * 100));
    m_caption->setText(text);
}

void GalleryView::setFullSize(bool isFull)
{
    m_isFullSize = isFull;
    m_grid->setVisible(!isFull);
    (isFull ? static_cast<QWidget*>(m_image) : m_grid)->setFocus();
    showCurrent();
}

bool GalleryView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        QMetaObject::invokeMethod(this, &GalleryView::showCurrent, Qt::QueuedConnection);
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Escape:
        setFullSize(key->key() != Qt::Key_Escape && !m_isFullSize);
        return true;
    case Qt::Key_1:
        m_realPixels->toggle();
        return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
        m_grid->setCurrent(m_grid->currentRow(), m_grid->currentColumn() + (key->key() == Qt::Key_Right ? 1 : -1));
        return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
        m_grid->setCurrent(m_grid->currentRow() + (key->key() == Qt::Key_Down ? 1 : -1), m_grid->currentColumn());
        return true;
    default:
        return QWidget::eventFilter(watched, event);
    }
}

void GalleryView::showState()
{
    ViewState state;
    const QString run = shownRun();
    if (run.isEmpty())
        state.emptySentence = tr("No run is selected. Choose one in the list to see its samples.");
    else if (m_query->answeredRun() == run && m_grid->grid().isEmpty() && m_query->error().isEmpty())
        state.emptySentence = tr("No samples yet. They appear here as the run generates them.");
    state.isLoading = m_query->isLoading();
    if (!m_query->error().isEmpty())
        state.error = ViewError {tr("The samples could not be read. %1").arg(m_query->error()), {}, {},
            {{tr("Retry"), [this] { m_query->retry(); }}}};
    m_frame->setState(state);
}

}  // namespace ui
