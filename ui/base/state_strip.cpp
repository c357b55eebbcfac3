#include "ui/base/state_strip.h"

#include "ui/base/look.h"

#include <QDesktopServices>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include <chrono>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

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

QPushButton* addButton(QHBoxLayout* layout, QWidget* parent, const ViewAction& action)
{
    auto* button = new QPushButton(action.text, parent);
    QObject::connect(button, &QPushButton::clicked, parent, [run = action.run] { run(); });
    layout->addWidget(button);
    return button;
}

QLabel* addSentence(QHBoxLayout* layout, QWidget* parent, const QString& text)
{
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAccessibleName(text);
    layout->addWidget(label, 1);
    return label;
}

void showDetails(QWidget* parent, const ViewError& error)
{
    auto* box = new QMessageBox(QMessageBox::NoIcon, QObject::tr("Details"), error.message, QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->setInformativeText(error.details);
    box->open();
}

/// A tint of the palette's base, so that the text on it keeps its contrast in light and dark.
QColor tint(const QPalette& palette, QRgb colour)
{
    const QColor base = palette.color(QPalette::Base);
    const QColor hue = QColor::fromRgb(colour);
    const auto blend = [](float a, float b) { return 0.82F * a + 0.18F * b; };
    return QColor::fromRgbF(blend(base.redF(), hue.redF()), blend(base.greenF(), hue.greenF()),
        blend(base.blueF(), hue.blueF()));
}

}  // namespace

ViewFrame::ViewFrame(QWidget* content, QWidget* parent)
    : QWidget(parent)
    , m_content(content)
    , m_layout(new QVBoxLayout(this))
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
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_bar->setRange(0, 0);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(3);
    m_bar->setAccessibleName(tr("Loading"));
    m_bar->setObjectName(QStringLiteral("loadingBar"));
    m_stale->setObjectName(QStringLiteral("staleText"));
    m_stale->setContentsMargins(8, 3, 8, 3);
    m_empty->setObjectName(QStringLiteral("emptyPage"));
    m_stack->addWidget(content);
    m_stack->addWidget(m_empty);
    m_layout->addWidget(m_cutOff);
    m_layout->addWidget(m_error);
    m_layout->addWidget(m_bar);
    m_layout->addWidget(m_cancel, 0, Qt::AlignHCenter);
    m_layout->addWidget(m_stack, 1);
    m_layout->addWidget(m_stale);
    for (QWidget* widget : std::initializer_list<QWidget*> {m_cutOff, m_error, m_bar, m_cancel, m_stale})
        widget->hide();

    m_barTimer->setSingleShot(true);
    m_barTimer->setInterval(300ms);
    m_cancelTimer->setSingleShot(true);
    m_cancelTimer->setInterval(2s);
    connect(m_barTimer, &QTimer::timeout, m_bar, &QWidget::show);
    connect(m_cancelTimer, &QTimer::timeout, this, [this] { m_cancel->setVisible(bool(m_state.cancel)); });
    connect(static_cast<QPushButton*>(m_cancel), &QPushButton::clicked, this, [this] {
        if (m_state.cancel)
            m_state.cancel();
    });
}

QFrame* ViewFrame::makeStrip(const QString& name)
{
    auto* strip = new QFrame(this);
    strip->setObjectName(name);
    strip->setAutoFillBackground(true);
    auto* layout = new QHBoxLayout(strip);
    layout->setContentsMargins(10, 6, 10, 6);
    return strip;
}

void ViewFrame::setState(const ViewState& state)
{
    const ViewState before = std::exchange(m_state, state);
    if (before.emptySentence != state.emptySentence
        || before.emptyActions.size() != state.emptyActions.size())
        showEmpty();
    m_stack->setCurrentIndex(state.emptySentence.isEmpty() ? 0 : 1);
    if (before.isLoading != state.isLoading)
        showLoading();
    if (before.error != state.error)
        showError();
    if (before.cutOff != state.cutOff) {
        auto* layout = static_cast<QHBoxLayout*>(m_cutOff->layout());
        clear(layout);
        addSentence(layout, m_cutOff, state.cutOff);
        QPalette colours = palette();
        colours.setColor(QPalette::Window, tint(palette(), 0xff56b4e9));
        m_cutOff->setPalette(colours);
    }
    m_cutOff->setVisible(!state.cutOff.isEmpty());
    m_stale->setText(state.stale);
    m_stale->setVisible(!state.stale.isEmpty());
}

void ViewFrame::showEmpty()
{
    delete m_empty->layout();
    qDeleteAll(m_empty->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    if (m_state.emptySentence.isEmpty())
        return;
    auto* column = new QVBoxLayout(m_empty);
    auto* row = new QHBoxLayout;
    auto* sentence = new QLabel(m_state.emptySentence, m_empty);
    sentence->setAlignment(Qt::AlignCenter);
    sentence->setWordWrap(true);
    sentence->setObjectName(QStringLiteral("emptySentence"));
    column->addStretch(2);
    column->addWidget(sentence);
    column->addSpacing(12);
    column->addLayout(row);
    column->addStretch(3);
    row->addStretch();
    for (const ViewAction& action : m_state.emptyActions)
        addButton(row, m_empty, action);
    row->addStretch();
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

void ViewFrame::showError()
{
    auto* layout = static_cast<QHBoxLayout*>(m_error->layout());
    clear(layout);
    m_error->setVisible(m_state.error.has_value());
    if (!m_state.error)
        return;
    const ViewError error = *m_state.error;
    QPalette colours = palette();
    colours.setColor(QPalette::Window, tint(palette(), 0xffd62728));
    m_error->setPalette(colours);
    addSentence(layout, m_error, error.message);
    for (const ViewAction& action : error.actions)
        addButton(layout, m_error, action);
    if (!error.details.isEmpty())
        addButton(layout, m_error, {tr("Details"), [this, error] { showDetails(this, error); }});
    if (!error.folder.isEmpty())
        addButton(layout, m_error, {tr("Open folder"), [folder = error.folder] {
                      QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
                  }});
}

}  // namespace ui
