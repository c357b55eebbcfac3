#include "ui/plot/plots_toolbar.h"

#include "ui/base/check_menu.h"
#include "ui/base/flow_layout.h"
#include "ui/base/format.h"
#include "ui/plot/group_menu.h"
#include "ui/plot/group_names.h"
#include "ui/plot/layout/plot_groups.h"
#include "ui/plot/plot_words.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace ui {

PlotsToolbar::PlotsToolbar(PlotViewState& viewState, QWidget* parent)
    : QWidget(parent)
    , m_viewState(viewState)
    , m_xAxis(makeXAxis())
    , m_kind(new QComboBox)
    , m_width(new QComboBox)
    , m_back(makeButton(tr("◀")))
    , m_forward(makeButton(tr("▶")))
    , m_fit(makeButton(tr("Fit")))
    , m_follow(makeButton(tr("Follow")))
    , m_superseded(makeButton(tr("Earlier attempts")))
    , m_differences(makeButton(tr("Differences")))
    , m_group(makeButton(tr("Group")))
    , m_groups(new GroupMenu(viewState, this))
    , m_metrics(makeButton(tr("Metrics")))
    , m_menu(new CheckMenu(this))
    , m_image(makeButton(tr("Image")))
{
    setupSmoothing();
    setupButtons();
    // Tab goes through controls in the order in which they get a parent, which they do when they are laid out.
    auto* groups = new FlowLayout(this);
    groups->setContentsMargins(8, 4, 8, 4);
    groups->setSpacing(6);
    groups->addWidget(makeGroup({m_back, m_forward, m_fit, m_follow, m_superseded}));
    groups->addWidget(m_differences);
    groups->addWidget(m_group);
    groups->addWidget(makeGroup({new QLabel(tr("x")), m_xAxis}));
    groups->addWidget(makeGroup({new QLabel(tr("Smoothing")), m_kind, m_width}));
    groups->addWidget(m_metrics);
    groups->addWidget(m_image);
    connect(&m_viewState, &PlotViewState::placeChanged, this, &PlotsToolbar::updateControls);
    connect(&m_viewState, &PlotViewState::settingsChanged, this, &PlotsToolbar::updateControls);
    connect(&m_viewState, &PlotViewState::smoothingChanged, this, &PlotsToolbar::updateControls);
    connect(&m_viewState, &PlotViewState::keysChanged, this, &PlotsToolbar::showKeys);
    showKeys();
    updateControls();
}

void PlotsToolbar::openGroups() { m_groups->popup(m_group->mapToGlobal(QPoint(0, m_group->height()))); }

QWidget& PlotsToolbar::lastControl() const { return *m_image; }

QWidget* PlotsToolbar::makeGroup(std::initializer_list<QWidget*> widgets)
{
    auto* group = new QWidget;
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    for (QWidget* widget : widgets)
        row->addWidget(widget);
    return group;
}

QToolButton* PlotsToolbar::makeButton(const QString& text)
{
    auto* button = new QToolButton;
    button->setText(text);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAutoRaise(true);
    return button;
}

/// Says what the controls do, and by which keys.
void PlotsToolbar::showKeys()
{
    const PlotKeys& keys = m_viewState.keys();
    const auto describe = [](QToolButton* button, const QString& help) {
        button->setToolTip(help);
        button->setAccessibleName(help);
    };
    describe(m_back, keys.withKey(tr("Back"), PlotCommand::Back));
    describe(m_forward, keys.withKey(tr("Forward"), PlotCommand::Forward));
    describe(m_fit, keys.withKey(tr("Show everything, as a double click in a plot does. Drag in a plot to zoom in, with Shift to move."), PlotCommand::ShowAll));
    describe(m_follow, keys.withKey(tr("Keep the newest step in view"), PlotCommand::Follow));
    describe(m_superseded, keys.withKey(tr("Show, fainter, the points of earlier attempts that a resumed run has recorded again"), PlotCommand::Superseded));
    describe(m_differences,
        keys.withKey(tr("Show how far the other runs are from the baseline, at the steps that both have recorded. The tab Compare chooses the baseline."),
            PlotCommand::Differences));
    describe(m_group, tr("Draw runs that are equal in an option, the project or the tags as one line: their mean, with a band"));
    describe(m_metrics, tr("Choose which metrics have a plot"));
    describe(m_image, tr("Save all plots as a picture, or copy them"));
    m_xAxis->setToolTip(keys.withKey(tr("The quantity on the x axis. Samples are those seen by all ranks, an epoch is one pass over the data or the prompts, and active "
                                        "time leaves out the pauses between attempts."), PlotCommand::NextXAxis));
    m_kind->setToolTip(
        keys.withKey(tr("How lines are smoothed. The raw line stays visible behind it, in a fainter colour."), PlotCommand::NextSmoothing));
}

QComboBox* PlotsToolbar::makeXAxis()
{
    auto* box = new QComboBox;
    for (const XAxis axis : kXAxes)
        box->addItem(xAxisName(axis), static_cast<int>(axis));
    box->setAccessibleName(tr("x axis"));
    connect(box, &QComboBox::activated, this,
        [this, box] { m_viewState.setXAxis(static_cast<XAxis>(box->currentData().toInt())); });
    return box;
}

void PlotsToolbar::setupSmoothing()
{
    for (const Smoothing::Kind kind : kSmoothings)
        m_kind->addItem(smoothingName(kind), static_cast<int>(kind));
    m_kind->setAccessibleName(tr("Smoothing"));
    for (const int width : {3, 5, 10, 20, 50, 100, 200, 500, 1000})
        m_width->addItem(tr("%1 steps").arg(width), width);
    m_width->setToolTip(tr("Half-life, standard deviation or window width of the smoothing, in steps"));
    m_width->setAccessibleName(tr("Smoothing width"));
    m_width->setEditable(true);
    m_width->setInsertPolicy(QComboBox::NoInsert);
    m_width->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_kind, &QComboBox::activated, this, &PlotsToolbar::applySmoothing);
    connect(m_width, &QComboBox::activated, this, &PlotsToolbar::applySmoothing);
    connect(m_width->lineEdit(), &QLineEdit::editingFinished, this, &PlotsToolbar::applySmoothing);
}

void PlotsToolbar::setupButtons()
{
    m_follow->setCheckable(true);
    m_superseded->setCheckable(true);
    m_differences->setCheckable(true);
    m_group->setMenu(m_groups);
    m_group->setPopupMode(QToolButton::InstantPopup);
    m_metrics->setMenu(m_menu);
    m_metrics->setPopupMode(QToolButton::InstantPopup);
    connect(m_back, &QToolButton::clicked, this, [this] { m_viewState.back(); });
    connect(m_forward, &QToolButton::clicked, this, [this] { m_viewState.forward(); });
    connect(m_fit, &QToolButton::clicked, this, [this] { m_viewState.fit(); });
    connect(m_follow, &QToolButton::clicked, this, [this](bool isOn) { m_viewState.setFollowing(isOn); });
    connect(m_superseded, &QToolButton::clicked, this, [this](bool isOn) { m_viewState.setShowsSuperseded(isOn); });
    connect(m_differences, &QToolButton::clicked, this, [this](bool isOn) { m_viewState.setShowsDifferences(isOn); });
    auto* images = new QMenu(m_image);
    connect(images->addAction(tr("Save all plots…")), &QAction::triggered, this, &PlotsToolbar::saveImageRequested);
    connect(images->addAction(tr("Copy all plots")), &QAction::triggered, this, &PlotsToolbar::copyImageRequested);
    m_image->setMenu(images);
    m_image->setPopupMode(QToolButton::InstantPopup);
    connect(m_menu, &QMenu::aboutToShow, this, &PlotsToolbar::fillMenu);
}

void PlotsToolbar::applySmoothing()
{
    // A number that is typed, with or without the word behind it.
    static const QRegularExpression kNumber(QStringLiteral("\\d+"));
    bool isNumber = false;
    const double typed = kNumber.match(m_width->currentText()).captured().toDouble(&isNumber);
    const double width = isNumber ? std::clamp(typed, 1.0, kMostSmoothed) : m_viewState.smoothing().width;
    m_viewState.setSmoothing({static_cast<Smoothing::Kind>(m_kind->currentData().toInt()), width});
    updateControls();
}

void PlotsToolbar::updateControls()
{
    m_back->setEnabled(m_viewState.canGoBack());
    m_forward->setEnabled(m_viewState.canGoForward());
    m_follow->setChecked(m_viewState.mode() == XMode::Follow);
    m_superseded->setChecked(m_viewState.showsSuperseded());
    m_differences->setChecked(m_viewState.showsDifferences());
    const Grouping& grouping = m_viewState.grouping();
    m_group->setText(grouping.by == Grouping::By::Nothing ? tr("Group") : tr("Group: %1").arg(groupingName(grouping)));
    m_xAxis->setCurrentIndex(m_xAxis->findData(static_cast<int>(m_viewState.xAxis())));
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(m_viewState.smoothing().kind)));
    const int width = static_cast<int>(m_viewState.smoothing().width);
    m_width->setCurrentIndex(m_width->findData(width));
    m_width->setEditText(tr("%1 steps").arg(width));
    m_width->setEnabled(m_viewState.smoothing().kind != Smoothing::Kind::Off);
}

void PlotsToolbar::setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen, std::size_t hidden)
{
    m_hidden = hidden;
    m_all = all;
    m_chosen = chosen;
}

void PlotsToolbar::fillMenu()
{
    m_menu->clear();
    for (const std::string& name : m_all) {
        const QString id = QString::fromStdString(name);
        const QString title = metricTitle(name);
        QString text = title == id ? id : tr("%1 (%2)").arg(title, id);
        QAction* action = m_menu->addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")));
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
    if (m_hidden > 0)
        connect(m_menu->addAction(formatCounted(std::int64_t(m_hidden), tr("Show the hidden plot"), tr("Show %Ln hidden plots", nullptr, pluralCount(m_hidden)))),
            &QAction::triggered, this, &PlotsToolbar::hiddenPlotsRequested);
    connect(m_menu->addAction(tr("Find metrics…")), &QAction::triggered, this, &PlotsToolbar::metricsRequested);
    connect(m_menu->addAction(tr("Default metrics")), &QAction::triggered, this, &PlotsToolbar::defaultMetricsRequested);
}

}  // namespace ui
