#include "ui/base/state_strip.h"

#include "ui/base/action_registry.h"
#include "ui/base/flow_layout.h"
#include "ui/base/look.h"

#include <QAction>
#include <QDesktopServices>
#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include <chrono>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr QRgb kErrorHue = 0xffd62728;
constexpr QRgb kCutOffHue = 0xff56b4e9;

void clear(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

QPushButton* addButton(QLayout* layout, QWidget* parent, const ViewAction& action)
{
    auto* button = new QPushButton(action.text, parent);
    QObject::connect(button, &QPushButton::clicked, parent, [run = action.run] { run(); });
    layout->addWidget(button);
    return button;
}

void showDetails(QWidget* parent, const ViewError& error)
{
    auto* box = new QMessageBox(QMessageBox::NoIcon, QObject::tr("Details"), error.message, QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->setInformativeText(error.details);
    box->open();
}

/// The palette's base with a little of @p colour, so that text on it keeps its contrast in light and dark palettes.
QColor tint(const QPalette& palette, QRgb colour)
{
    const QColor base = palette.color(QPalette::Base);
    const QColor hue = QColor::fromRgb(colour);
    const auto blend = [](float a, float b) { return 0.82F * a + 0.18F * b; };
    return QColor::fromRgbF(blend(base.redF(), hue.redF()), blend(base.greenF(), hue.greenF()),
        blend(base.blueF(), hue.blueF()));
}

/// Holds the sentence and the buttons of an empty view. They scroll where they have no room; a layout alone would cut them off.
class EmptyArea : public QScrollArea {
public:
    explicit EmptyArea(QWidget* page)
    {
        setFrameShape(QFrame::NoFrame);
        setFocusPolicy(Qt::NoFocus);
        setWidgetResizable(true);
        setWidget(page);
        page->setAutoFillBackground(false);
        viewport()->setAutoFillBackground(false);
    }
    QSize sizeHint() const override { return widget()->sizeHint(); }
    QSize minimumSizeHint() const override { return widget()->minimumSizeHint(); }

protected:
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::LayoutRequest)
            updateGeometry();
        return QScrollArea::event(event);
    }
};

}  // namespace

ViewError cancelledReading(std::function<void()> retry)
{
    return {ViewFrame::tr("Reading was cancelled."), {}, {}, {{ViewFrame::tr("Retry"), std::move(retry)}}};
}

ViewFrame::ViewFrame(QWidget* content, QWidget* parent)
    : QWidget(parent)
    , m_content(content)
    , m_cutOff(makeStrip(QStringLiteral("cutOffBanner")))
    , m_error(makeStrip(QStringLiteral("errorStrip")))
    , m_bar(new QProgressBar(this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_stack(new QStackedWidget(this))
    , m_empty(new QWidget(this))
    , m_stale(new QLabel(this))
    , m_barTimer(new QTimer(this))
    , m_cancelTimer(new QTimer(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_bar->setRange(0, 0);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(3);
    m_bar->setAccessibleName(tr("Loading"));
    m_bar->setObjectName(QStringLiteral("loadingBar"));
    m_stale->setObjectName(QStringLiteral("staleText"));
    m_stale->setContentsMargins(8, 3, 8, 3);
    m_stale->setWordWrap(true);
    m_stale->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a long name does not widen the view
    m_empty->setObjectName(QStringLiteral("emptyPage"));
    m_stack->addWidget(content);
    m_stack->addWidget(new EmptyArea(m_empty));
    m_stack->setMinimumHeight(1);  // in a low view it gives way to the strips, see minimumSizeHint()
    layout->addWidget(m_cutOff);
    layout->addWidget(m_error);
    layout->addWidget(m_bar);
    layout->addWidget(m_cancel, 0, Qt::AlignHCenter);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_stale);
    for (QWidget* widget : std::initializer_list<QWidget*> {m_cutOff, m_error, m_bar, m_cancel, m_stale})
        widget->hide();

    m_barTimer->setSingleShot(true);
    m_barTimer->setInterval(300ms);
    m_cancelTimer->setSingleShot(true);
    m_cancelTimer->setInterval(2s);
    connect(m_barTimer, &QTimer::timeout, m_bar, &QWidget::show);
    connect(m_cancelTimer, &QTimer::timeout, this, [this] { m_cancel->setVisible(bool(m_state.cancel)); });
    connect(static_cast<QPushButton*>(m_cancel), &QPushButton::clicked, this, [this] {
        if (const auto cancel = m_state.cancel)  // a copy: it may set another state
            cancel();
    });
}

QFrame* ViewFrame::makeStrip(const QString& name)
{
    auto* strip = new QFrame(this);
    strip->setObjectName(name);
    strip->setAutoFillBackground(true);
    auto* layout = new QBoxLayout(QBoxLayout::LeftToRight, strip);
    layout->setContentsMargins(10, 6, 10, 6);
    return strip;
}

void ViewFrame::fillStrip(
    QFrame* strip, QRgb hue, const QString& sentence, const QList<ViewAction>& actions)
{
    auto* layout = static_cast<QBoxLayout*>(strip->layout());
    clear(layout);
    strip->setVisible(!sentence.isEmpty());
    if (sentence.isEmpty())
        return;
    QPalette colours = palette();
    colours.setColor(QPalette::Window, tint(palette(), hue));
    strip->setPalette(colours);
    auto* label = new QLabel(sentence, strip);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAccessibleName(sentence);
    layout->addWidget(label, 1);
    auto* buttons = new QWidget(strip);
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    for (const ViewAction& action : actions)
        addButton(row, buttons, action);
    layout->addWidget(buttons, 0, Qt::AlignLeft | Qt::AlignVCenter);
    arrangeStrips();
}

/// Puts the buttons of a strip below its sentence when the view is narrow.
void ViewFrame::arrangeStrips()
{
    const bool isNarrow = width() < fontMetrics().horizontalAdvance(QLatin1Char('x')) * 90;
    for (QFrame* strip : {m_cutOff, m_error})
        static_cast<QBoxLayout*>(strip->layout())
            ->setDirection(isNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

/// With what the content wants; only once there is less room, the content gets less.
QSize ViewFrame::minimumSizeHint() const
{
    return QWidget::minimumSizeHint() + QSize(0, m_stack->minimumSizeHint().height() - m_stack->minimumHeight());
}

void ViewFrame::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrangeStrips();
}

void ViewFrame::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_error) {
        showError();
        showCutOff();
    }
}

void ViewFrame::setState(const ViewState& state)
{
    const QString sentenceBefore = shownEmptySentence();
    const ViewState before = std::exchange(m_state, state);
    if (sentenceBefore != shownEmptySentence() || !std::ranges::equal(before.emptyActions, state.emptyActions, {}, &ViewAction::text, &ViewAction::text))
        showEmpty();
    m_stack->setCurrentIndex(state.emptySentence.isEmpty() ? 0 : 1);
    if (before.isLoading != state.isLoading)
        showLoading();
    if (before.error != state.error)
        showError();
    if (before.cutOff != state.cutOff)
        showCutOff();
    showStale();
}

void ViewFrame::setPulse(const QString& stale, const QString& cutOff)
{
    m_pulse = stale;
    showStale();
    if (std::exchange(m_cutOffPulse, cutOff) != cutOff)
        showCutOff();
}

void ViewFrame::setNextSteps(const QList<QAction*>& actions)
{
    if (actions == m_nextSteps)
        return;
    for (QAction* const action : m_nextSteps)
        disconnect(action, nullptr, this, nullptr);
    m_nextSteps = actions;
    for (QAction* const action : actions)
        connect(action, &QAction::enabledChanged, this, &ViewFrame::showEmpty);
    showEmpty();
}

/// Without a layout of the window anew when nothing has changed: this comes every second.
void ViewFrame::showStale()
{
    const QString& text = m_state.stale.isEmpty() ? m_pulse : m_state.stale;
    if (m_stale->text() != text)
        m_stale->setText(text);
    m_stale->setVisible(!text.isEmpty());
}

void ViewFrame::addBar(QWidget* bar)
{
    auto* const lines = static_cast<QVBoxLayout*>(layout());
    lines->insertWidget(lines->indexOf(m_stack), bar);
}

void ViewFrame::setMissing(const QString& sentence)
{
    const QString before = shownEmptySentence();
    m_missing = sentence;
    if (shownEmptySentence() != before)
        showEmpty();
}

void ViewFrame::setEnded(bool hasEnded)
{
    const QString before = shownEmptySentence();
    m_hasEnded = hasEnded;
    if (shownEmptySentence() != before)
        showEmpty();
}

QString ViewFrame::shownEmptySentence() const
{
    if (m_state.isEmptyOfRecords && !m_state.emptySentence.isEmpty() && !m_missing.isEmpty())
        return m_missing;
    return m_hasEnded && !m_state.endedSentence.isEmpty() ? m_state.endedSentence : m_state.emptySentence;
}

void ViewFrame::showEmpty()
{
    delete m_empty->layout();
    qDeleteAll(m_empty->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    if (m_state.emptySentence.isEmpty())
        return;
    auto* column = new QVBoxLayout(m_empty);
    auto* row = new FlowLayout;
    row->setAlignment(Qt::AlignHCenter);
    row->setSpacing(6);
    auto* sentence = new QLabel(shownEmptySentence(), m_empty);
    sentence->setAlignment(Qt::AlignCenter);
    sentence->setWordWrap(true);
    sentence->setObjectName(QStringLiteral("emptySentence"));
    QFont larger = sentence->font();
    larger.setPointSizeF(larger.pointSizeF() * 1.15);
    sentence->setFont(larger);
    column->addStretch(2);
    column->addWidget(sentence);
    column->addSpacing(12);
    column->addLayout(row);
    column->addStretch(3);
    for (const ViewAction& action : m_state.emptyActions)
        addButton(row, m_empty, action);
    for (QAction* const action : m_nextSteps) {
        if (m_state.emptyActions.isEmpty() && action->isEnabled())
            addButton(row, m_empty, {buttonText(action->text()), [action] { action->trigger(); }})->setToolTip(action->toolTip());
    }
}

void ViewFrame::showLoading()
{
    if (m_state.isLoading) {
        m_barTimer->start();
        m_cancelTimer->start();
        return;
    }
    m_barTimer->stop();
    m_cancelTimer->stop();
    m_bar->hide();
    m_cancel->hide();
}

void ViewFrame::showCutOff()
{
    fillStrip(m_cutOff, kCutOffHue, m_state.cutOff.isEmpty() ? m_cutOffPulse : m_state.cutOff, {});
}

void ViewFrame::showError()
{
    if (!m_state.error) {
        fillStrip(m_error, kErrorHue, {}, {});
        return;
    }
    const ViewError error = *m_state.error;
    QList<ViewAction> actions = error.actions;
    if (!error.details.isEmpty())
        actions.append({tr("Details"), [this, error] { showDetails(this, error); }});
    if (!error.folder.isEmpty())
        actions.append({tr("Open folder"),
            [folder = error.folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); }});
    fillStrip(m_error, kErrorHue, error.message, actions);
}

}  // namespace ui
