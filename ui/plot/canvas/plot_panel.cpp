#include "ui/plot/canvas/plot_panel.h"

#include "ui/access/elided_label.h"
#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/plot/canvas/cursor_overlay.h"
#include "ui/plot/canvas/legend_bar.h"
#include "ui/plot/canvas/numbers_model.h"
#include "ui/plot/canvas/plot_input.h"
#include "ui/plot/layout/plot_drag.h"

#include <QApplication>
#include <QClipboard>
#include <QDrag>
#include <QGridLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace ui {
namespace {

QToolButton* makeToggle(const QString& text, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void describe(QToolButton& button, const QString& help)
{
    button.setToolTip(help);
    button.setAccessibleName(help);
}

}  // namespace

PlotPanel::PlotPanel(const PlotGroup& group, PlotViewState& viewState, QWidget* parent)
    : QWidget(parent)
    , m_group(group)
    , m_canvas(new PlotCanvas(viewState, group.id, this))
    , m_overlay(new CursorOverlay(*m_canvas))
    , m_input(new PlotInput(*m_canvas, *m_overlay))
    , m_legend(new LegendBar(this))
    , m_note(new QLabel(this))
    , m_stack(new QStackedWidget(this))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    layout->addWidget(makeHeader());
    m_stack->addWidget(m_canvas);
    layout->addWidget(m_stack, 1);
    m_canvas->installEventFilter(this);

    connect(m_input, &PlotInput::pointedAt, m_overlay, &CursorOverlay::setShowsValues);
    connect(m_input, &PlotInput::runsPointedOut, this, &PlotPanel::runsPointedOut);
    connect(m_input, &PlotInput::tableRequested, this, [this] { setShowsTable(!showsTable()); });
    connect(m_input, &PlotInput::copyRequested, this, &PlotPanel::copyReadings);
    connect(m_input, &PlotInput::saveImageRequested, this, &PlotPanel::saveImageRequested);
    connect(m_input, &PlotInput::copyImageRequested, this, &PlotPanel::copyImageRequested);
    connect(m_overlay, &CursorOverlay::readingsChanged, this,
        [this] { m_legend->setReadings(m_overlay->readings()); });
    connect(m_canvas, &PlotCanvas::refreshed, this, &PlotPanel::showNotes);
    connect(&viewState, &PlotViewState::settingsChanged, this, &PlotPanel::applyTable);
    connect(&viewState, &PlotViewState::keysChanged, this, &PlotPanel::showKeys);
    showKeys();
    applyTable();
}

void PlotPanel::perform(PlotCommand command) { m_input->perform(command); }

void PlotPanel::showKeys()
{
    const PlotKeys& keys = m_canvas->viewState().keys();
    describe(*m_scale, keys.withKey(tr("Logarithmic y axis"), PlotCommand::Logarithmic));
    describe(*m_clip, keys.withKey(tr("Fit the y axis to the middle 98 % of the values; arrows mark where a line leaves it"), PlotCommand::Clip));
    describe(*m_image, keys.withKey(tr("Save this plot as PNG, SVG or PDF"), PlotCommand::SaveImage));
}

QWidget* PlotPanel::makeHeader()
{
    auto* header = new QWidget(this);
    m_title = new ElidedLabel(groupTitle(m_group), header);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_note->setForegroundRole(QPalette::Text);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_scale = makeToggle(tr("Log"), header);
    m_clip = makeToggle(tr("No outliers"), header);
    auto* const image = m_image = makeToggle(tr("Image"), header);
    image->setCheckable(false);
    connect(image, &QToolButton::clicked, this, &PlotPanel::saveImageRequested);
    PlotViewState& viewState = m_canvas->viewState();
    connect(m_scale, &QToolButton::clicked, this, [this, &viewState] { viewState.toggleScale(m_group.id); });
    connect(m_clip, &QToolButton::clicked, this, [this, &viewState] { viewState.toggleClip(m_group.id); });

    // The legend has a row of its own, so that names and numbers have room.
    auto* rows = m_header = new QGridLayout(header);
    rows->setContentsMargins(10, 4, 6, 1);
    rows->setHorizontalSpacing(8);
    rows->setVerticalSpacing(0);
    rows->setColumnStretch(0, 1);
    rows->addWidget(m_title, 0, 0);
    rows->addWidget(m_scale, 0, 1);
    rows->addWidget(m_clip, 0, 2);
    rows->addWidget(image, 0, 3);
    auto* second = new QHBoxLayout;
    second->setSpacing(8);
    second->addWidget(m_legend, 1);
    second->addWidget(m_note);
    rows->addLayout(second, 1, 0, 1, 5);
    return header;
}

void PlotPanel::setArrangeable()
{
    auto* button = makeToggle(QStringLiteral("⋮"), this);
    describe(*button, tr("Move or hide this plot; its title can be dragged, too"));
    button->setCheckable(false);
    auto* menu = new QMenu(button);
    connect(menu->addAction(tr("Move &earlier")), &QAction::triggered, this, [this] { Q_EMIT moveRequested(true); });
    connect(menu->addAction(tr("Move &later")), &QAction::triggered, this, [this] { Q_EMIT moveRequested(false); });
    connect(menu->addAction(tr("&Hide")), &QAction::triggered, this, &PlotPanel::hideRequested);
    if (m_group.added > 0)
        connect(menu->addAction(tr("&Take out what was added")), &QAction::triggered, this, &PlotPanel::separateRequested);
    connect(button, &QToolButton::clicked, menu, [button, menu] { menu->popup(button->mapToGlobal(button->rect().bottomLeft())); });
    m_header->addWidget(button, 0, 4);
    m_legend->offerLines();
    connect(m_legend, &LegendBar::lineRequested, this, &PlotPanel::lineRequested);
    m_title->setCursor(Qt::OpenHandCursor);
    m_title->installEventFilter(this);
}

void PlotPanel::dragTitle(const QMouseEvent& event)
{
    if (event.type() == QEvent::MouseButtonPress)
        m_pressed = event.position().toPoint();
    const bool isDrag = event.type() == QEvent::MouseMove && event.buttons() == Qt::LeftButton
        && (event.position().toPoint() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (!isDrag)
        return;
    auto* drag = new QDrag(this);
    drag->setMimeData(dragOfPlot(QString::fromStdString(m_group.id)));
    drag->exec(Qt::MoveAction);
}

QString PlotPanel::title() const
{
    return groupTitle(m_group);
}

void PlotPanel::setLines(const std::vector<DrawnLine>& lines)
{
    m_legend->setLines(lines);
    m_canvas->setLines(lines);
    m_legend->setReadings(m_overlay->readings());
    if (showsTable())
        m_numbers->setLines(lines);
}

void PlotPanel::showNotes()
{
    const PlotCanvas::Drawn& drawn = m_canvas->drawn();
    const QString points = formatCounted(static_cast<std::int64_t>(drawn.points), tr("1 point"), tr("%Ln points", nullptr, pluralCount(drawn.points)));
    QString note = drawn.isExact ? tr("%1, exact").arg(points) : tr("%1, thinned").arg(points);
    const bool isElsewhere = drawn.points == 0 && drawn.notPositive == 0
        && std::ranges::any_of(m_canvas->lines(), [](const DrawnLine& line) { return line.isInLegend() && !line.data->points.steps().empty(); });
    if (isElsewhere)
        note = tr("no points in this range, Fit shows all");
    if (drawn.notPositive > 0)
        note = tr("%1 ≤ 0 not shown · %2").arg(formatCount(static_cast<std::int64_t>(drawn.notPositive)), note);
    const XAxis axis = m_canvas->viewState().xAxis();
    if (const auto without = std::ranges::count_if(m_canvas->lines(), [axis](const DrawnLine& line) { return !line.data->points.has(axis); });
        without > 0) {
        note = tr("%1 · %2").arg(axis == XAxis::Samples
                ? formatCounted(without, tr("1 line without a count of samples not shown"), tr("%Ln lines without a count of samples not shown", nullptr, pluralCount(without)))
                : formatCounted(without, tr("1 line without epochs not shown"), tr("%Ln lines without epochs not shown", nullptr, pluralCount(without))), note);
    }
    // Lines that arrive while the plot is not visible are counted when they are drawn.
    showNote(m_canvas->lines().empty() ? QString() : note);
    QPalette faded = palette();
    faded.setColor(QPalette::Text, fadedText(palette()));
    m_note->setPalette(faded);
    m_scale->setChecked(m_canvas->viewState().scale(m_group.id) == Scale::Logarithmic);
    m_clip->setChecked(m_canvas->viewState().isClipped(m_group.id));
}

/// The note keeps its width while its number counts up: else each redraw would lay the panel out again.
void PlotPanel::showNote(const QString& note)
{
    constexpr int kRoomSteps = 24;
    const int needed = m_note->fontMetrics().horizontalAdvance(note);
    const int room = (needed + kRoomSteps - 1) / kRoomSteps * kRoomSteps;
    m_note->setFixedSize(room, m_note->fontMetrics().height());
    m_note->setText(note);
}

QList<QWidget*> PlotPanel::controls() const
{
    QList<QWidget*> controls;
    for (QToolButton* const button : findChildren<QToolButton*>()) {
        if (button->focusPolicy() & Qt::TabFocus)
            controls << button;
    }
    return controls << m_canvas;
}

bool PlotPanel::showsTable() const
{
    return m_table && m_stack->currentWidget() == m_table;
}

void PlotPanel::setupTable()
{
    m_numbers = new NumbersModel(this);
    m_table = new QTableView(this);
    m_table->setModel(m_numbers);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setAlternatingRowColors(true);
    m_table->setTabKeyNavigation(false);
    m_table->setAccessibleName(tr("Numbers of %1").arg(groupTitle(m_group)));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setTextElideMode(Qt::ElideMiddle);  // the names of runs often differ at their ends
    m_table->horizontalHeader()->setResizeContentsPrecision(50);  // rows that are measured
    connect(m_numbers, &QAbstractItemModel::modelReset, this, &PlotPanel::fitColumns);
    m_table->installEventFilter(this);
    m_stack->addWidget(m_table);
    setTabOrder(m_canvas, m_table);
}

/// Makes each column as wide as its heading and its numbers need, up to a limit.
void PlotPanel::fitColumns()
{
    const int widest = fontMetrics().averageCharWidth() * 32;
    m_table->resizeColumnsToContents();
    for (int column = 0; column < m_numbers->columnCount(); ++column)
        m_table->setColumnWidth(column, std::min(m_table->columnWidth(column), widest));
}

void PlotPanel::setShowsTable(bool shows)
{
    m_canvas->viewState().setShowsTable(m_group.id, shows);
    m_stack->currentWidget()->setFocus();
}

void PlotPanel::applyTable()
{
    const bool shows = m_canvas->viewState().showsTable(m_group.id);
    if (shows == showsTable())
        return;
    if (!m_table)
        setupTable();
    if (shows) {
        m_numbers->setLines(m_canvas->lines());
        m_table->scrollToBottom();
    }
    m_stack->setCurrentWidget(shows ? static_cast<QWidget*>(m_table) : m_canvas);
}

void PlotPanel::copyReadings() const
{
    std::vector<Reading> readings = m_overlay->readings();
    std::ranges::copy(m_overlay->supersededReadings(), std::back_inserter(readings));
    if (!readings.empty())
        QApplication::clipboard()->setText(readingsAsText(m_canvas->lines(), readings));
}

bool PlotPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    if (watched == m_title && (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseMove)) {
        dragTitle(*static_cast<QMouseEvent*>(event));
        return true;
    }
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        const auto* const press = static_cast<QKeyEvent*>(event);
        if (press->key() == Qt::Key_Escape || m_canvas->viewState().keys().command(press->keyCombination()) == PlotCommand::Table) {
            setShowsTable(false);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void PlotPanel::paintEvent(QPaintEvent*)
{
    // A frame, in the highlight colour when the plot or its table has the focus. Filled, because a pen would be half behind the canvas at 200 %.
    QPainter painter(this);
    const bool hasFocus = m_canvas->hasFocus() || (m_table && m_table->hasFocus());
    const QColor colour = palette().color(hasFocus ? QPalette::Highlight : QPalette::Mid);
    for (const QRect& side : QRegion(rect()) - QRegion(rect().adjusted(1, 1, -1, -1)))
        painter.fillRect(side, colour);
}

}  // namespace ui
