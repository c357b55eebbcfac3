#include "ui/gallery/gallery_view.h"

#include "ui/base/format.h"
#include "ui/base/state_strip.h"

#include <QAction>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {
namespace {

constexpr qint64 kFullSizeBytes = 128LL << 20;

struct Samples {
    QString folder;
    SampleGrid grid, rounds;
};

}  // namespace

GalleryView::GalleryView(StoreService& service, Selection& selection, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_query(new PacedQuery(service, this, [this] { return shownRun(); },
          std::vector {storage::Part::Samples}))
    , m_grid(new GalleryGrid)
    , m_rounds(new GalleryGrid)
    , m_grids(new QStackedWidget)
    , m_left(new QWidget)
    , m_image(new ImageView)
    , m_fullSizeImages({}, kFullSizeBytes)
{
    m_rounds->setAccessibleName(tr("Best and worst samples of rounds"));
    m_grids->addWidget(m_grid);
    m_grids->addWidget(m_rounds);
    auto* left = new QVBoxLayout(m_left);
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(0);
    left->addWidget(makeKindBar());
    left->addWidget(m_grids, 1);

    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_image, 1);
    column->addWidget(makeCaption());
    auto* splitter = new QSplitter;
    splitter->addWidget(m_left);
    splitter->addWidget(side);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({600, 400});
    m_frame = new ViewFrame(splitter, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);

    m_query->setQuery(
        [](const storage::Store& store, const std::string& id) {
            const auto row = store.run(id);
            const auto samples = store.samples(id);
            return Samples {row ? QString::fromStdString(row->folder) : QString(), SampleGrid(samples),
                SampleGrid(samples, SampleKind::OfRound)};
        },
        [this](const QString& run, Samples samples) {
            m_fullSizeImages.recheck();
            m_grid->setGrid(run, samples.folder, std::move(samples.grid));
            m_rounds->setGrid(run, samples.folder, std::move(samples.rounds));
            showKind();
        });
    connect(m_query, &PacedQuery::stateChanged, this, &GalleryView::showState);
    connect(&m_selection, &Selection::inspectedChanged, m_query, &PacedQuery::askSoon);
    connect(&m_selection, &Selection::drawnChanged, m_query, &PacedQuery::askSoon);
    connectGrid(*m_grid);
    connectGrid(*m_rounds);
    connect(&m_fullSizeImages, &ImageCache::loaded, this, &GalleryView::showCurrent);
    m_image->setFocusPolicy(Qt::ClickFocus);
    m_image->setAccessibleName(tr("Sample at full size"));
    m_image->installEventFilter(this);
    showKind();
    showState();
}

void GalleryView::connectGrid(GalleryGrid& grid)
{
    connect(&grid, &GalleryGrid::currentChanged, this, &GalleryView::showCurrent);
    connect(&grid, &GalleryGrid::opened, this, [this] { setFullSize(true); });
}

GalleryView::~GalleryView() = default;

QWidget* GalleryView::makeKindBar()
{
    m_kindBar = new QWidget;
    auto* row = new QHBoxLayout(m_kindBar);
    row->setContentsMargins(10, 6, 10, 4);
    row->setSpacing(4);
    auto* group = new QButtonGroup(m_kindBar);
    const auto add = [&](const QString& text, const QString& help, SampleKind kind) {
        auto* button = new QToolButton(m_kindBar);
        button->setText(text);
        button->setToolTip(help);
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        row->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, kind] { setKind(kind); });
        return button;
    };
    m_ofModel = add(tr("Samples by step"), tr("What the model draws (R)"), SampleKind::OfModel);
    m_ofRounds = add(tr("Best and worst of rounds"),
        tr("Of each round, the best and the worst sample of the prompts that fared best and worst (R)"), SampleKind::OfRound);
    row->addStretch();
    auto* other = new QAction(this);
    other->setShortcut(Qt::Key_R);
    other->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(other, &QAction::triggered, this,
        [this] { setKind(shownKind() == SampleKind::OfModel ? SampleKind::OfRound : SampleKind::OfModel); });
    addAction(other);
    return m_kindBar;
}

SampleKind GalleryView::shownKind() const
{
    if (m_rounds->grid().isEmpty())
        return SampleKind::OfModel;
    return m_grid->grid().isEmpty() ? SampleKind::OfRound : m_kind;
}

void GalleryView::setKind(SampleKind kind)
{
    m_kind = kind;
    showKind();
}

void GalleryView::showKind()
{
    const bool isOfRounds = shownKind() == SampleKind::OfRound, hadFocus = m_grids->currentWidget()->hasFocus();
    m_kindBar->setVisible(!m_rounds->grid().isEmpty());
    m_ofModel->setEnabled(!m_grid->grid().isEmpty());
    (isOfRounds ? m_ofRounds : m_ofModel)->setChecked(true);
    m_grids->setCurrentWidget(&shownGrid());
    setFocusProxy(&shownGrid());
    if (hadFocus)
        shownGrid().setFocus();
    showCurrent();
}

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
    const GalleryGrid& grid = shownGrid();
    const auto* sample = grid.currentSample();
    const QString file = grid.currentFile();
    m_realPixels->setEnabled(sample != nullptr);
    if (!sample) {
        m_image->setMessage(grid.grid().isEmpty() ? QString() : tr("There is no sample for this prompt and step."));
        m_caption->clear();
        return;
    }
    const LoadedImage* image = file.isEmpty() ? nullptr : m_fullSizeImages.find(file);
    if (file.isEmpty())
        m_image->setMessage(tr("This sample is not shown: the journal names a file outside the run folder."));
    else if (image)
        m_image->setImage(*image);
    QString text = sample->standing
        ? tr("%1\nround %2, after step %3\n%4\nseed %5 · guidance %6")
              .arg(sample->prompt.empty() ? tr("Without a prompt") : QString::fromStdString(sample->prompt),
                  formatCount(sample->standing->round), formatCount(sample->step), rewardText(*sample->standing),
                  QString::number(sample->seed), formatNumber(sample->guidance))
        : tr("%1\nstep %2 · seed %3 · guidance %4")
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
    m_left->setVisible(!isFull);
    (isFull ? static_cast<QWidget*>(m_image) : &shownGrid())->setFocus();
    showCurrent();
}

bool GalleryView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        QMetaObject::invokeMethod(this, &GalleryView::showCurrent, Qt::QueuedConnection);
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    GalleryGrid& grid = shownGrid();
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
        grid.setCurrent(grid.currentRow(), grid.currentColumn() + (key->key() == Qt::Key_Right ? 1 : -1));
        return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
        grid.setCurrent(grid.currentRow() + (key->key() == Qt::Key_Down ? 1 : -1), grid.currentColumn());
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
    else if (m_query->answeredRun() == run && shownGrid().grid().isEmpty() && m_query->error().isEmpty())
        state.emptySentence = tr("No samples yet. They appear here as the run generates them.");
    state.isLoading = m_query->isLoading();
    if (!m_query->error().isEmpty())
        state.error = ViewError {tr("The samples could not be read. %1").arg(m_query->error()), {}, {},
            {{tr("Retry"), [this] { m_query->retry(); }}}};
    m_frame->setState(state);
}

}  // namespace ui
