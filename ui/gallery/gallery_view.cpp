#include "ui/gallery/gallery_view.h"

#include "ui/access/find_bar.h"
#include "ui/base/flow_layout.h"
#include "ui/base/kept_controls.h"
#include "ui/base/state_strip.h"
#include "ui/gallery/frame_player.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <cstdlib>
#include <utility>

namespace ui {
namespace {

constexpr qint64 kFullSizeBytes = 128LL << 20;

struct Samples {
    QString folder;
    SampleGrid grid, rounds;
};

}  // namespace

GalleryView::GalleryView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_actions(actions)
    , m_query(new PacedQuery(service, this, [this] { return shownRun(); },
          std::vector {storage::Part::Samples, storage::Part::Checkpoints}))  // the latter change when an attempt begins, which supersedes samples
    , m_grid(new GalleryGrid)
    , m_rounds(new GalleryGrid)
    , m_grids(new QStackedWidget)
    , m_left(new QWidget)
    , m_beside(new BesideRun(service, selection, this, [this] { return shownRun(); }))
    , m_stage(new QStackedWidget)
    , m_image(new ImageView)
    , m_pair(new PairView)
    , m_player(new FramePlayer)
    , m_fullSizeImages({}, kFullSizeBytes)
{
    m_rounds->setAccessibleName(tr("Best and worst samples of rounds"));
    m_grids->addWidget(m_grid);
    m_grids->addWidget(m_rounds);
    auto* left = new QVBoxLayout(m_left);
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(0);
    left->addWidget(makeBar());
    left->addWidget(m_grids, 1);

    auto* splitter = new QSplitter;
    splitter->addWidget(m_left);
    splitter->addWidget(makeStage());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({600, 400});
    keep(*splitter, "splitter");
    keep(*m_beside, "beside");
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
            if (const auto step = std::exchange(m_step, {}))
                goToStep(*step);
            showKind();
        });
    connect(m_query, &PacedQuery::stateChanged, this, &GalleryView::showState);
    connect(&m_selection, &Selection::inspectedChanged, this, [this] { m_step.reset(); });
    const auto followSelection = [this] {
        m_beside->offerRuns();
        m_query->askSoon();
    };
    connect(&m_selection, &Selection::inspectedChanged, this, followSelection);
    connect(&m_selection, &Selection::drawnChanged, this, followSelection);
    connect(m_beside, &BesideRun::changed, this, &GalleryView::showKind);
    connectGrid(*m_grid);
    connectGrid(*m_rounds);
    connect(&m_fullSizeImages, &ImageCache::loaded, this, &GalleryView::showCurrent);
    connect(m_pair, &PairView::changed, this, &GalleryView::showCurrent);
    registerActions();
    setupFind();
    connect(m_player, &FramePlayer::changed, this, &GalleryView::showCurrent);
    showKind();
    showState();
}

/// Prompts are found: of the model's samples each has a column, of rounds each sample has its own.
void GalleryView::setupFind()
{
    const auto isOfRounds = [this] { return shownKind() == SampleKind::OfRound; };
    const auto columns = [this] { return shownGrid().grid().columns(); };
    const auto matches = [=, this](int place, const QString& text) {
        const SampleGrid& grid = shownGrid().grid();
        const auto* const sample = isOfRounds() ? grid.sample(place / columns(), place % columns()) : nullptr;
        const std::string& prompt = isOfRounds() ? (sample ? sample->prompt : std::string()) : grid.column(place).prompt;
        return QString::fromStdString(prompt).contains(text, Qt::CaseInsensitive);
    };
    new FindBar(*this, *m_frame, *m_grids,
        {.count = [=, this] { return isOfRounds() ? shownGrid().grid().rows() * columns() : columns(); },
            .current = [=, this] { return shownGrid().currentColumn() + (isOfRounds() ? shownGrid().currentRow() * columns() : 0); },
            .matches = matches,
            .go = [=, this](int place) {
                shownGrid().setCurrent(isOfRounds() ? place / columns() : shownGrid().currentRow(), place % columns());
            }});
}

void GalleryView::connectGrid(GalleryGrid& grid)
{
    connect(&grid, &GalleryGrid::currentChanged, this, &GalleryView::showCurrent);
    connect(&grid, &GalleryGrid::opened, this, [this] { setFullSize(true); });
    grid.installEventFilter(this);
}

GalleryView::~GalleryView() = default;

void GalleryView::readAgain() { m_query->askSoon(); }

void GalleryView::registerActions()
{
    const QString place = QStringLiteral("samples");
    m_actions.addPlace({place, tr("Samples"), {}}, this);
    // Space and the digit act on the grids and the pictures only, see eventFilter(): on a button they would be missing.
    m_actions.add({"samples.alone", tr("Picture alone"), {}, QKeySequence(Qt::Key_Space), tr("Show the sample in the whole view, and the grid again"), {}, place},
        [this] { setFullSize(!m_isFullSize); });
    m_actions.add({"samples.realPixels", tr("100 %"), {}, QKeySequence(Qt::Key_1), tr("Show each image pixel as one screen pixel"), {}, place},
        [this] { m_realPixels->toggle(); });
    m_actions.addTo(*this,
        {"samples.rounds", tr("Steps or rounds"), {}, QKeySequence(Qt::Key_R), tr("Show the best and worst samples of rounds, or what the model draws"), {}, place},
        [this] { (shownKind() == SampleKind::OfModel ? m_ofRounds : m_ofModel)->click(); });
    m_actions.addTo(*this,
        {"samples.beside", tr("Two runs"), {}, QKeySequence(Qt::Key_B), tr("Show another run's sample of the same prompt beside this one, at the nearest step"), {}, place},
        [this] { m_beside->setOn(!m_beside->isOn()); });
    registerFrames();
    m_actions.addFixed({place, tr("Another picture"),
        {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Home, Qt::Key_End},
        tr("A picture that is larger than the view is moved in it; with Ctrl the arrows go to another one all the same")});
    m_actions.addFixed({place, tr("Picture alone"), {Qt::Key_Return, Qt::Key_Enter}, {}});
    m_actions.addFixed({place, tr("Back to the grid"), {Qt::Key_Escape}, {}});
    m_actions.describe(QStringLiteral("samples.realPixels"), *m_realPixels);
    m_actions.describe(QStringLiteral("samples.rounds"), *m_ofRounds);
    m_actions.describe(QStringLiteral("samples.rounds"), *m_ofModel);
    m_actions.describe(QStringLiteral("samples.beside"), *m_beside);
    m_actions.describe(QStringLiteral("samples.play"), m_player->playButton());
}

void GalleryView::registerFrames()
{
    const QString place = QStringLiteral("samples");
    m_actions.addTo(*this, {"samples.previousFrame", tr("Previous frame"), {}, QKeySequence(Qt::Key_Comma), tr("Show the frame before of a video"), {}, place},
        [this] { m_player->step(-1); });
    m_actions.addTo(*this, {"samples.nextFrame", tr("Next frame"), {}, QKeySequence(Qt::Key_Period), tr("Show the next frame of a video"), {}, place},
        [this] { m_player->step(1); });
    m_actions.addTo(*this, {"samples.play", tr("Play or stop"), {}, QKeySequence(Qt::Key_P), tr("Play the frames of a video again and again"), {}, place},
        [this] { m_player->setPlaying(!m_player->isPlaying()); });
}

void GalleryView::refreshActions()
{
    const bool isAnything = shownGrid().currentSample() != nullptr;
    for (const char* id : {"samples.alone", "samples.realPixels"})
        m_actions.setEnabled(QLatin1String(id), isAnything || m_isFullSize, tr("There is no sample to show."));
    m_actions.setEnabled(QStringLiteral("samples.rounds"), !m_rounds->grid().isEmpty() && !m_grid->grid().isEmpty(),
        tr("Only a run that is trained by a reward has samples of rounds."));
    m_actions.setEnabled(QStringLiteral("samples.beside"), m_beside->count() > 1 && m_beside->isEnabled(),
        m_beside->isEnabled() ? tr("Draw another run first.") : tr("Samples of rounds are those of one run."));
    for (const char* id : {"samples.previousFrame", "samples.nextFrame", "samples.play"})
        m_actions.setEnabled(QLatin1String(id), !m_player->isHidden(), tr("The sample is not a video."));
}

QToolButton* GalleryView::addKind(const QString& text, SampleKind kind)
{
    auto* button = new QToolButton(m_bar);
    button->setText(text);
    button->setCheckable(true);
    button->setAutoExclusive(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    m_bar->layout()->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, kind] { setKind(kind); });
    return button;
}

QWidget* GalleryView::makeBar()
{
    m_bar = new QWidget;
    auto* row = new FlowLayout(m_bar);
    row->setContentsMargins(10, 6, 10, 4);
    row->setSpacing(4);
    m_ofModel = addKind(tr("Samples by step"), SampleKind::OfModel);
    m_ofRounds = addKind(tr("Best and worst of rounds"), SampleKind::OfRound);
    keep(*m_ofModel, "ofModel");
    keep(*m_ofRounds, "ofRounds");
    row->addWidget(m_beside);
    return m_bar;
}

QWidget* GalleryView::makeStage()
{
    m_image->setAccessibleName(tr("Sample at full size"));
    m_image->setMinimumWidth(160);
    for (ImageView* view : {m_image, &m_pair->left(), &m_pair->right(), &m_pair->differenceView()})
        view->installEventFilter(this);
    m_stage->addWidget(m_image);
    m_stage->addWidget(m_pair);
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_stage, 1);
    column->addWidget(m_player);
    column->addWidget(makeCaption());
    return side;
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
    m_ofModel->setVisible(!m_rounds->grid().isEmpty());
    m_ofRounds->setVisible(!m_rounds->grid().isEmpty());
    m_ofModel->setEnabled(!m_grid->grid().isEmpty());
    (isOfRounds ? m_ofRounds : m_ofModel)->setChecked(true);
    m_beside->setEnabled(!isOfRounds);
    m_bar->setVisible(!m_rounds->grid().isEmpty() || m_beside->count() > 1);
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
    keep(*m_realPixels, "realPixels");
    m_realPixels->setAccessibleName(tr("Show each image pixel as one screen pixel"));
    connect(m_realPixels, &QToolButton::toggled, this, [this](bool isReal) {
        m_image->setRealPixels(isReal);
        m_pair->setRealPixels(isReal);
        showCurrent();
    });
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(10, 6, 10, 8);
    row->addWidget(m_caption, 1);
    row->addWidget(m_realPixels, 0, Qt::AlignTop);
    return bar;
}

void GalleryView::showStep(std::int64_t step)
{
    // What is hidden may be another run's samples by now, or not all of this run's.
    if (m_query->answeredRun() != shownRun() || !isVisible())
        m_step = step;
    if (m_query->answeredRun() == shownRun())
        goToStep(step);
}

void GalleryView::goToStep(std::int64_t step)
{
    const SampleGrid& grid = m_grid->grid();
    auto row = grid.rowOf(step);
    if (!row)
        return;
    if (*row + 1 < grid.rows() && grid.step(*row + 1) - step < std::abs(step - grid.step(*row)))
        ++*row;
    m_grid->setCurrent(*row, m_grid->currentColumn());
}

QString GalleryView::shownRun() const
{
    if (!m_selection.inspected().isEmpty() || m_selection.drawn().isEmpty())
        return m_selection.inspected();
    return m_selection.drawn().front().runId;
}

void GalleryView::setFullSize(bool isFull)
{
    m_isFullSize = isFull;
    m_left->setVisible(!isFull);
    (!isFull ? static_cast<QWidget*>(&shownGrid()) : isPaired() ? &m_pair->left() : m_image)->setFocus();
    showCurrent();
}

bool GalleryView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && qobject_cast<ImageView*>(watched))
        QMetaObject::invokeMethod(this, &GalleryView::showCurrent, Qt::QueuedConnection);
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* const press = static_cast<QKeyEvent*>(event);
    const int key = press->key();
    // A picture that is larger than its view is moved in it; with Ctrl the arrows go to other samples all the same.
    auto* const picture = qobject_cast<ImageView*>(watched);
    if (picture && !press->modifiers().testFlag(Qt::ControlModifier) && picture->panBy(key))
        return true;
    if (m_actions.trigger(QStringLiteral("samples"), *press))
        return true;
    if (!picture)
        return QWidget::eventFilter(watched, event);
    switch (key) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Escape:
        setFullSize(key != Qt::Key_Escape && !m_isFullSize);
        return true;
    default:
        return shownGrid().moveBy(key) || QWidget::eventFilter(watched, event);
    }
}

void GalleryView::showState()
{
    ViewState state;
    const QString run = shownRun();
    if (run.isEmpty())
        state.emptySentence = tr("No run is selected. Choose one in the list to see its samples.");
    else if (m_query->answeredRun() == run && shownGrid().grid().isEmpty() && m_query->error().isEmpty()) {
        state.emptySentence = tr("No samples. They appear here when the run draws them.");
        state.endedSentence = tr("This run has no samples.");
        state.isEmptyOfRecords = true;
    }
    state.isLoading = m_query->isLoading();
    state.cancel = [this] { m_query->cancel(); };
    state.error = m_query->viewError(tr("The samples could not be read. %1"));
    m_frame->setState(state);
}

}  // namespace ui
