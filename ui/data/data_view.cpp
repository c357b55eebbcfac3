#include "ui/data/data_view.h"

#include "ui/base/background.h"
#include "ui/access/find_here.h"
#include "ui/base/flow_layout.h"
#include "ui/base/format.h"
#include "ui/base/kept_controls.h"
#include "ui/base/state_strip.h"
#include "ui/data/data_details.h"
#include "ui/gallery/image_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

QString kindText(DataKind kind)
{
    switch (kind) {
    case DataKind::All: return DataView::tr("Everything");
    case DataKind::Training: return DataView::tr("Trained on");
    case DataKind::Validation: return DataView::tr("Held out");
    case DataKind::Prior: return DataView::tr("Regularisation");
    case DataKind::LeftOut: return DataView::tr("Left out");
    case DataKind::WithoutCaption: return DataView::tr("Without a caption");
    case DataKind::Masked: return DataView::tr("With a mask");
    case DataKind::Enlarged: return DataView::tr("Smaller than trained at");
    }
    return {};
}

}  // namespace

DataView::DataView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_actions(actions)
    , m_query(new PacedQuery(service, this, [this] { return m_selection.inspected(); },
          std::vector {storage::Part::Run, storage::Part::Events}))
    , m_left(new QWidget)
    , m_grid(new DataGrid)
    , m_details(new DataDetails)
{
    auto* left = new QVBoxLayout(m_left);
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(0);
    left->addWidget(makeBar());
    left->addWidget(m_grid, 1);
    auto* splitter = new QSplitter;
    splitter->addWidget(m_left);
    splitter->addWidget(m_details);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({600, 400});
    keep(*splitter, "splitter");
    m_frame = new ViewFrame(splitter, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame);
    setFocusProxy(m_grid);

    m_query->setQuery(
        [](const storage::Store& store, const std::string& id) {
            const auto row = store.run(id);
            return row ? QString::fromStdString(row->folder) : QString();
        },
        [this](const QString& run, const QString& folder) { read(run, folder); });
    connect(m_query, &PacedQuery::stateChanged, this, &DataView::showState);
    connect(&m_selection, &Selection::inspectedChanged, m_query, &PacedQuery::askSoon);
    registerActions();
    connect(m_grid, &CellGrid::currentChanged, this, &DataView::showEntry);
    connect(m_grid, &CellGrid::opened, this, [this] { setFullSize(true); });
    m_typing.setSingleShot(true);
    m_typing.setInterval(150ms);
    connect(&m_typing, &QTimer::timeout, this, &DataView::applyFilter);
    m_grid->installEventFilter(this);
    m_details->image().installEventFilter(this);
    const auto focusField = [this] {
        setFullSize(false);
        m_text->setFocus(Qt::ShortcutFocusReason);
        m_text->selectAll();
    };
    setFindHere(*this, {focusField, [this, focusField](int direction) {
                            m_text->text().isEmpty() ? focusField() : m_grid->setCurrentPlace(m_grid->currentPlace() + direction);
                        }});
    showState();
}

DataView::~DataView() = default;

void DataView::registerActions()
{
    const QString place = QStringLiteral("data");
    m_actions.addPlace({place, tr("Data"), {}}, this);
    // Their keys act on the grid and the picture only, see eventFilter(): in the field and on buttons they would be missing.
    m_actions.add({"data.alone", tr("Picture alone"), {}, QKeySequence(Qt::Key_Space), tr("Show the image in the whole view, and the grid again"), {}, place},
        [this] { setFullSize(!m_isFullSize); });
    m_actions.add({"data.realPixels", tr("100 %"), {}, QKeySequence(Qt::Key_1), tr("Show each image pixel as one screen pixel"), {}, place},
        [this] { m_details->setRealPixels(!m_details->isRealPixels()); });
    m_actions.add({"data.mask", tr("Mask"), {}, QKeySequence(Qt::Key_M), tr("Dim what the mask leaves out"), {}, place},
        [this] { m_details->setMaskShown(!m_details->isMaskShown()); });
    m_actions.addTo(*this, {"data.open", tr("Open folder"), "folder", {}, tr("Open the folder that the file is in"), {}, place}, [this] { m_details->openFolder(); });
    m_actions.addFixed({place, tr("Another picture"),
        {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Home, Qt::Key_End},
        tr("A picture that is larger than the view is moved in it; with Ctrl the arrows go to another one all the same")});
    m_actions.addFixed({place, tr("Picture alone"), {Qt::Key_Return, Qt::Key_Enter}, {}});
    m_actions.addFixed({place, tr("Back to the grid"), {Qt::Key_Escape}, {}});
    m_actions.describe(QStringLiteral("data.mask"), m_details->maskButton());
    m_actions.describe(QStringLiteral("data.realPixels"), m_details->realPixelsButton());
    m_actions.describe(QStringLiteral("data.open"), m_details->folderButton());
    showEntry();
}

void DataView::showEntry()
{
    m_details->setEntry(m_grid->list(), m_grid->currentEntry());
    for (const char* id : {"data.alone", "data.realPixels", "data.open"})
        m_actions.setEnabled(QLatin1String(id), m_details->hasEntry() || m_isFullSize, tr("No image is listed."));
    m_actions.setEnabled(QStringLiteral("data.mask"), m_details->hasMask(), tr("This image has no mask."));
}

QWidget* DataView::makeBar()
{
    auto* bar = new QWidget;
    m_kind = new QComboBox(bar);
    m_kind->setAccessibleName(tr("Which entries are shown"));
    m_bucket = new QComboBox(bar);
    m_bucket->setAccessibleName(tr("Bucket"));
    m_bucket->setToolTip(tr("Images are trained on at the size of the bucket whose shape is the nearest to theirs"));
    for (QComboBox* box : {m_kind, m_bucket}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        connect(box, &QComboBox::currentIndexChanged, this, &DataView::applyFilter);
    }
    m_text = new QLineEdit(bar);
    m_text->setPlaceholderText(tr("Search captions and names"));
    m_text->setAccessibleName(m_text->placeholderText());
    m_text->setClearButtonEnabled(true);
    m_text->setMinimumWidth(fontMetrics().horizontalAdvance(m_text->placeholderText()) + 4 * fontMetrics().averageCharWidth());
    connect(m_text, &QLineEdit::textChanged, &m_typing, qOverload<>(&QTimer::start));
    keep(*m_kind, "kind");
    keep(*m_bucket, "bucket");
    keep(*m_text, "text");
    m_summary = new QLabel(bar);
    auto* row = new FlowLayout(bar);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(10);
    for (QWidget* widget : std::initializer_list<QWidget*> {m_kind, m_bucket, m_text, m_summary})
        row->addWidget(widget);
    return bar;
}

void DataView::read(const QString& runId, const QString& folder)
{
    m_isCancelled = false;
    m_folder = folder;
    const FileStamp known = m_listedRun == runId ? m_list->stamp : FileStamp {};
    const bool isKnown = m_listedRun == runId;
    m_reading.start(
        this,
        [folder, known, isKnown](const std::stop_token&) { return isKnown && dataStamp(folder) == known ? std::shared_ptr<const DataList>() : loadDataList(folder); },
        [this, runId](const std::shared_ptr<const DataList>& list) {
            if (list)
                takeList(runId, list);
        });
}

void DataView::cancel()
{
    if (m_query->isLoading())
        return m_query->cancel();
    m_reading.cancel();
    m_isCancelled = true;
    showState();
}

void DataView::takeList(const QString& runId, std::shared_ptr<const DataList> list)
{
    m_listedRun = runId;
    m_list = std::move(list);
    offerFilters();
    applyFilter();
}

void DataView::offerFilters()
{
    const DataFilter before = filter();
    const QSignalBlocker kinds(m_kind), buckets(m_bucket);
    m_kind->clear();
    for (int kind = 0; kind < kDataKinds; ++kind) {
        const int count = m_list->count(DataKind(kind));
        if (kind == 0 || count > 0)
            m_kind->addItem(tr("%1 (%2)").arg(kindText(DataKind(kind)), formatCount(count)), kind);
    }
    m_bucket->clear();
    m_bucket->addItem(tr("All buckets"), QSize());
    for (const DataList::Bucket& bucket : m_list->buckets)
        m_bucket->addItem(tr("%1 × %2 (%3)").arg(bucket.size.width()).arg(bucket.size.height()).arg(formatCount(bucket.entries)), bucket.size);
    m_bucket->setVisible(m_list->buckets.size() > 1);
    m_kind->setCurrentIndex(std::max(0, m_kind->findData(int(before.kind))));
    m_bucket->setCurrentIndex(std::max(0, m_bucket->findData(before.bucket)));
}

DataFilter DataView::filter() const
{
    return {DataKind(m_kind->currentData().toInt()), m_bucket->currentData().toSize(), m_text->text()};
}

void DataView::setFilter(const DataFilter& filter)
{
    m_kind->setCurrentIndex(std::max(0, m_kind->findData(int(filter.kind))));
    m_bucket->setCurrentIndex(std::max(0, m_bucket->findData(filter.bucket)));
    m_text->setText(filter.text);
    applyFilter();
}

void DataView::applyFilter()
{
    m_typing.stop();
    if (!m_list)
        return;
    const int filtering = ++m_filtering;
    inBackground(
        this, [list = m_list, filter = filter()] { return filtered(*list, filter); },
        [this, filtering, list = m_list](std::vector<int> entries) {
            if (filtering != m_filtering)
                return;
            m_grid->setEntries(list, std::move(entries));
            showState();
        });
}

QString DataView::summary() const { return m_summary->text(); }

void DataView::setFullSize(bool isFull)
{
    m_isFullSize = isFull;
    m_left->setVisible(!isFull);
    (isFull ? static_cast<QWidget*>(&m_details->image()) : m_grid)->setFocus();
}

bool DataView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* const press = static_cast<QKeyEvent*>(event);
    const int key = press->key();
    if (watched != m_grid && !press->modifiers().testFlag(Qt::ControlModifier) && m_details->image().panBy(key))
        return true;
    if (m_actions.trigger(QStringLiteral("data"), *press))
        return true;
    if (watched == m_grid)
        return QWidget::eventFilter(watched, event);
    switch (key) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Escape:
        setFullSize(key != Qt::Key_Escape && !m_isFullSize);
        return true;
    default:
        return m_grid->moveBy(key) || QWidget::eventFilter(watched, event);
    }
}

void DataView::showState()
{
    ViewState state;
    const QString run = m_selection.inspected();
    const bool isThisRun = m_list && m_listedRun == run;
    const int count = isThisRun ? m_list->count(DataKind::All) : 0;
    if (run.isEmpty())
        state.emptySentence = tr("No run is selected. Choose one in the list to see what it is trained on.");
    else if (isThisRun && m_list->error.isEmpty() && m_list->stamp == FileStamp {}) {
        state.emptySentence = tr("This run has not listed any images. A run does when it has prepared its data.");
        state.endedSentence = tr("This run has listed no images: it ended before its data was prepared, or trains on none.");
        state.isEmptyOfRecords = true;
    } else if (isThisRun && m_list->error.isEmpty() && count == 0)
        state.emptySentence = tr("This run has no training images: it learns from its own samples.");
    else if (isThisRun && m_list->error.isEmpty() && m_grid->shownCount() == 0 && filter() != DataFilter {}) {
        state.emptySentence = tr("0 of %1 entries match.").arg(formatCount(count));
        state.emptyActions = {{tr("Clear filter"), [this] { setFilter({}); }}};
    }
    state.isLoading = m_query->isLoading() || (!run.isEmpty() && !isThisRun && m_query->error().isEmpty() && !m_isCancelled);
    state.cancel = [this] { cancel(); };
    if (!m_query->error().isEmpty())
        state.error = m_query->viewError(tr("The run could not be read. %1"));
    else if (isThisRun && !m_list->error.isEmpty())
        state.error = ViewError {tr("The list of the training data could not be read. %1").arg(m_list->error), {}, m_folder,
            {{tr("Retry"), [this] { read(m_listedRun, m_folder); }}}};
    else if (m_isCancelled && !isThisRun)
        state.error = cancelledReading([this, run] { read(run, m_folder); });
    if (isThisRun && m_list->manifest.missing > 0)
        state.stale = tr("%1 lines of the list are damaged or missing.").arg(formatCount(m_list->manifest.missing));
    m_summary->setText(count == 0 || m_grid->shownCount() == count
            ? QString()
            : tr("%1 of %2 shown").arg(formatCount(m_grid->shownCount()), formatCount(count)));
    m_frame->setState(state);
}

}  // namespace ui
