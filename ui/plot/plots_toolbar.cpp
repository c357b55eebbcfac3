#include "ui/plot/plots_toolbar.h"

#include "ui/plot/plot_groups.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace ui {

PlotsToolbar::PlotsToolbar(PlotLink& link, QWidget* parent)
    : QWidget(parent)
    , m_link(link)
    , m_xAxis(makeXAxis())
    , m_kind(new QComboBox(this))
    , m_width(new QComboBox(this))
    , m_back(makeButton(tr("◀"), tr("Back (Alt+Left)")))
    , m_forward(makeButton(tr("▶"), tr("Forward (Alt+Right)")))
    , m_fit(makeButton(tr("Fit"), tr("Show everything (F)")))
    , m_follow(makeButton(tr("Follow"), tr("Keep the newest step in view (E)")))
    , m_superseded(makeButton(tr("Superseded"), tr("Show points that a later attempt overtook (H)")))
    , m_metrics(makeButton(tr("Metrics"), tr("Choose which metrics have a plot")))
    , m_menu(new QMenu(this))
{
    setupSmoothing();
    setupButtons();
    m_groups = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_groups->setContentsMargins(8, 4, 8, 4);
    m_groups->setSpacing(6);
    m_groups->addWidget(makeGroup({m_back, m_forward, m_fit, m_follow, m_superseded}), 0, Qt::AlignLeft);
    m_groups->addStretch();
    m_groups->addWidget(makeGroup({new QLabel(tr("x"), this), m_xAxis, new QLabel(tr("Smoothing"), this), m_kind,
                            m_width, m_metrics}),
        0, Qt::AlignLeft);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&m_link, &PlotLink::placeChanged, this, &PlotsToolbar::follow);
    connect(&m_link, &PlotLink::settingsChanged, this, &PlotsToolbar::follow);
    connect(&m_link, &PlotLink::smoothingChanged, this, &PlotsToolbar::follow);
    follow();
}

QWidget* PlotsToolbar::makeGroup(std::initializer_list<QWidget*> widgets)
{
    auto* group = new QWidget(this);
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    for (QWidget* widget : widgets)
        row->addWidget(widget);
    return group;
}

QSize PlotsToolbar::minimumSizeHint() const
{
    const QMargins margins = m_groups->contentsMargins();
    int width = 0;
    for (int index = 0; index < m_groups->count(); ++index)
        width = std::max(width, m_groups->itemAt(index)->minimumSize().width());
    return {width + margins.left() + margins.right(), m_groups->minimumSize().height()};
}

void PlotsToolbar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    int sideBySide = m_groups->contentsMargins().left() + m_groups->contentsMargins().right() + 2 * m_groups->spacing();
    for (int index = 0; index < m_groups->count(); ++index)
        sideBySide += m_groups->itemAt(index)->sizeHint().width();
    m_groups->setDirection(width() < sideBySide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QToolButton* PlotsToolbar::makeButton(const QString& text, const QString& help)
{
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(help);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAutoRaise(true);
    return button;
}

QComboBox* PlotsToolbar::makeXAxis()
{
    auto* box = new QComboBox(this);
    box->addItem(tr("Step"), static_cast<int>(XAxis::Step));
    box->addItem(tr("Active time"), static_cast<int>(XAxis::ActiveTime));
    box->addItem(tr("Wall time"), static_cast<int>(XAxis::WallTime));
    box->setToolTip(tr("What x measures (X). Active time leaves out pauses between attempts."));
    box->setAccessibleName(tr("x axis"));
    connect(box, &QComboBox::activated, this,
        [this, box] { m_link.setXAxis(static_cast<XAxis>(box->currentData().toInt())); });
    return box;
}

void PlotsToolbar::setupSmoothing()
{
    using Kind = Smoothing::Kind;
    const auto add = [this](const QString& text, Kind kind) { m_kind->addItem(text, static_cast<int>(kind)); };
    add(tr("Off"), Kind::Off);
    add(tr("Exponential"), Kind::Exponential);
    add(tr("Gaussian"), Kind::Gaussian);
    add(tr("Running mean"), Kind::RunningMean);
    add(tr("Running median"), Kind::RunningMedian);
    m_kind->setToolTip(tr("How lines are smoothed (S). The raw line stays behind, fainter."));
    m_kind->setAccessibleName(tr("Smoothing"));
    for (const int width : {3, 5, 10, 20, 50, 100, 200, 500, 1000})
        m_width->addItem(tr("%1 steps").arg(width), width);
    m_width->setToolTip(tr("Half-life, standard deviation or width of the window, in steps"));
    m_width->setAccessibleName(tr("Width of smoothing"));
    connect(m_kind, &QComboBox::activated, this, &PlotsToolbar::applySmoothing);
    connect(m_width, &QComboBox::activated, this, &PlotsToolbar::applySmoothing);
}

void PlotsToolbar::setupButtons()
{
    m_follow->setCheckable(true);
    m_superseded->setCheckable(true);
    m_metrics->setMenu(m_menu);
    m_metrics->setPopupMode(QToolButton::InstantPopup);
    connect(m_back, &QToolButton::clicked, this, [this] { m_link.back(); });
    connect(m_forward, &QToolButton::clicked, this, [this] { m_link.forward(); });
    connect(m_fit, &QToolButton::clicked, this, [this] { m_link.fit(); });
    connect(m_follow, &QToolButton::clicked, this, [this](bool isOn) { m_link.setFollowing(isOn); });
    connect(m_superseded, &QToolButton::clicked, this, [this](bool isOn) { m_link.setShowsSuperseded(isOn); });
    connect(m_menu, &QMenu::aboutToShow, this, &PlotsToolbar::fillMenu);
}

void PlotsToolbar::applySmoothing()
{
    m_link.setSmoothing(
        {static_cast<Smoothing::Kind>(m_kind->currentData().toInt()), m_width->currentData().toDouble()});
}

void PlotsToolbar::follow()
{
    m_back->setEnabled(m_link.canGoBack());
    m_forward->setEnabled(m_link.canGoForward());
    m_follow->setChecked(m_link.mode() == XMode::Follow);
    m_superseded->setChecked(m_link.showsSuperseded());
    m_xAxis->setCurrentIndex(m_xAxis->findData(static_cast<int>(m_link.xAxis())));
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(m_link.smoothing().kind)));
    m_width->setCurrentIndex(m_width->findData(static_cast<int>(m_link.smoothing().width)));
    m_width->setEnabled(m_link.smoothing().kind != Smoothing::Kind::Off);
}

void PlotsToolbar::setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen)
{
    m_all = all;
    m_chosen = chosen;
}

void PlotsToolbar::fillMenu()
{
    m_menu->clear();
    for (const std::string& name : m_all) {
        const QString id = QString::fromStdString(name);
        const QString title = metricTitle(name);
        QAction* action = m_menu->addAction(title == id ? id : tr("%1 (%2)").arg(title, id));
        action->setCheckable(true);
        action->setChecked(m_chosen.contains(name));
        connect(action, &QAction::toggled, this, [this, name](bool isOn) {
            if (isOn)
                m_chosen.insert(name);
            else
                m_chosen.erase(name);
            Q_EMIT metricsChosen(m_chosen);
        });
    }
    m_menu->addSeparator();
    connect(m_menu->addAction(tr("The usual ones")), &QAction::triggered, this, &PlotsToolbar::defaultMetricsWanted);
}

}  // namespace ui
