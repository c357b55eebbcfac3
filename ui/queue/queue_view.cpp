#include "ui/queue/queue_view.h"

#include "ui/access/find_bar.h"
#include "ui/base/flow_layout.h"
#include "ui/base/state_strip.h"
#include "ui/queue/queue_plan_view.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace ui {

QueueView::QueueView(QueueWatch& watch, const RunsModel& runs, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_watch(watch)
    , m_actions(actions)
    , m_model(new QueueModel(runs, this))
    , m_table(new QTreeView)
    , m_frame(new ViewFrame(m_table))
    , m_plan(new QueuePlanView(watch, runs))
    , m_pages(new QStackedWidget)
    , m_atOnce(new QSpinBox)
    , m_stopsOnError(new QCheckBox)
{
    m_table->setObjectName(QStringLiteral("queueTable"));
    m_table->setModel(m_model);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setDragDropMode(QAbstractItemView::InternalMove);
    m_table->setDragDropOverwriteMode(false);
    m_table->setDropIndicatorShown(true);
    m_table->setAccessibleName(tr("Queue"));
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    m_table->header()->resizeSection(QueueModel::Place, 7 * digit);
    m_table->header()->resizeSection(QueueModel::Run, 28 * digit);
    m_table->header()->resizeSection(QueueModel::State, 16 * digit);
    m_table->header()->resizeSection(QueueModel::Gpus, 8 * digit);
    registerActions(actions);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(makeBar(actions));
    m_pages->addWidget(m_frame);
    m_pages->addWidget(m_plan);
    m_pages->setMinimumHeight(1);  // in a low dock it gives way to the bar, see minimumSizeHint()
    layout->addWidget(m_pages, 1);
    connect(m_plan, &QueuePlanView::runChosen, this, &QueueView::runChosen);
    connect(&m_watch, &QueueWatch::changed, this, &QueueView::fill);
    connect(&m_watch, &QueueWatch::refused, this, &QueueView::statusMessage);
    connect(&runs, &RunsModel::entryChanged, m_table->viewport(), qOverload<>(&QWidget::update));
    connect(m_model, &QueueModel::dropped, &m_watch, &QueueWatch::moveTo);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &QueueView::refreshActions);
    connect(m_table, &QTreeView::activated, this, [this](const QModelIndex& index) { Q_EMIT runChosen(m_model->runId(index.row())); });
    new FindBar(*this, *m_frame, *m_table, rowsOf(*m_table));
    fill();
}

QSize QueueView::minimumSizeHint() const
{
    return QWidget::minimumSizeHint() + QSize(0, m_pages->minimumSizeHint().height() - m_pages->minimumHeight());
}

void QueueView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_watch.setShown(true);
}

void QueueView::hideEvent(QHideEvent* event)
{
    m_watch.setShown(false);
    QWidget::hideEvent(event);
}

void QueueView::registerActions(ActionRegistry& actions)
{
    actions.addPlace({QStringLiteral("queue"), tr("Queue"), {}}, this);
    const auto add = [&](ActionSpec spec, std::function<void()> run) {
        spec.place = QStringLiteral("queue");
        m_table->addAction(actions.addTo(*this, spec, std::move(run)));
    };
    add({"queue.up", tr("Move &up"), "chevron-up", QKeySequence(Qt::ALT | Qt::Key_Up), tr("Start the selected runs earlier"),
            "atelier queue move RUN --to PLACE"},
        [this] { m_watch.moveUp(chosen()); });
    add({"queue.down", tr("Move &down"), "chevron-down", QKeySequence(Qt::ALT | Qt::Key_Down), tr("Start the selected runs later"),
            "atelier queue move RUN --to PLACE"},
        [this] { m_watch.moveDown(chosen()); });
    add({"queue.edit", tr("&Edit…"), "rename", QKeySequence(Qt::CTRL | Qt::Key_E), tr("Change the experiment of the selected run; it keeps its place"),
            "atelier queue edit RUN --set KEY=VALUE"},
        [this] {
            if (const QStringList runs = chosen(); runs.size() == 1)
                Q_EMIT editRequested(runs.front());
        });
    add({"queue.hold", tr("&Hold or release"), "pause", QKeySequence(Qt::CTRL | Qt::Key_H),
            tr("Keep the selected runs from starting, or let them start again"), "atelier queue hold RUN"},
        [this] { m_watch.hold(chosen(), !areAllHeld(chosen())); });
    add({"queue.startNow", tr("&Start now"), "start", {}, tr("Start the selected runs whatever is free"), "atelier queue start RUN"},
        [this] { m_watch.startNow(chosen()); });
    add({"queue.gpus", tr("&GPUs to wait for…"), {}, {}, tr("Say how many free GPUs the selected runs wait for"), "atelier queue set RUN --gpus N"},
        [this] { askGpus(); });
    QAction* const plan = actions.addTo(*this, {"queue.plan", tr("As &bars over time"), {}, {},
                                                   tr("Show when the runs will start and end, as far as that is known"), "atelier queue --plan", QStringLiteral("queue")},
        [this] { showPlan(m_actions.action(QStringLiteral("queue.plan"))->isChecked()); });
    plan->setCheckable(true);
    // In the table alone: elsewhere Del would take runs out that the user does not look at.
    actions.addTo(*m_table, {"queue.remove", tr("&Remove from the queue"), "trash", QKeySequence(QKeySequence::Delete),
                                tr("Take the selected runs out of the queue; they stay prepared"), "atelier queue remove RUN", QStringLiteral("queue")},
        [this] { m_watch.remove(chosen()); }, Qt::WidgetShortcut);
}

QWidget* QueueView::makeBar(ActionRegistry& actions)
{
    auto* const bar = new QWidget(this);
    auto* const layout = new FlowLayout(bar);
    layout->setContentsMargins(4, 2, 4, 0);
    // What has a picture goes without a word: the dock is not wide, and low. The menu of the table has the words, and the GPUs to wait for.
    for (const char* id : {"queue.up", "queue.down", "queue.edit", "queue.hold", "queue.startNow", "queue.remove", "queue.plan"}) {
        QAction* const action = actions.action(QLatin1String(id));
        auto* const button = new QToolButton(bar);
        button->setDefaultAction(action);
        button->setToolButtonStyle(action->icon().isNull() ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
        button->setAutoRaise(true);
        layout->addWidget(button);
    }
    auto* const limit = new QWidget(bar);
    auto* const row = new QHBoxLayout(limit);
    row->setContentsMargins(0, 0, 0, 0);
    auto* const label = new QLabel(tr("Active at a time, without GPUs:"), limit);
    m_atOnce->setRange(1, 1024);
    m_atOnce->setObjectName(QStringLiteral("queueAtOnce"));
    m_atOnce->setKeyboardTracking(false);
    m_atOnce->setAccessibleName(tr("Runs without GPUs that are active at a time"));
    m_atOnce->setToolTip(tr("A run that needs GPUs waits until as many are free as it has ranks."));
    label->setBuddy(m_atOnce);
    connect(m_atOnce, &QSpinBox::valueChanged, &m_watch, &QueueWatch::setAtOnce);
    row->addWidget(label);
    row->addWidget(m_atOnce);
    layout->addWidget(limit);
    m_stopsOnError->setText(tr("Hold all when a run fails"));
    m_stopsOnError->setObjectName(QStringLiteral("queueStopsOnError"));
    m_stopsOnError->setToolTip(tr("Else the next run starts when one has failed. (atelier queue start --on-error hold)"));
    connect(m_stopsOnError, &QCheckBox::clicked, &m_watch, &QueueWatch::setStopsOnError);
    layout->addWidget(m_stopsOnError);
    return bar;
}

void QueueView::askGpus()
{
    constexpr int kMost = 1024;
    const QStringList runs = chosen();
    if (runs.isEmpty())
        return;
    auto* const dialog = new QInputDialog(this);
    dialog->setObjectName(QStringLiteral("queueGpus"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("GPUs to wait for"));
    dialog->setLabelText(tr("Free GPUs that each of the runs waits for and gets; 0: it waits as a run without GPUs:"));
    dialog->setInputMode(QInputDialog::IntInput);
    dialog->setIntRange(0, kMost);
    dialog->setIntValue(m_model->waiting(m_model->rowOf(runs.front()))->gpus);
    connect(dialog, &QInputDialog::intValueSelected, this, [this, runs](int gpus) { m_watch.setGpus(runs, gpus); });
    dialog->open();
}

void QueueView::showPlan(bool isShown)
{
    m_actions.action(QStringLiteral("queue.plan"))->setChecked(isShown);
    m_pages->setCurrentWidget(isShown ? static_cast<QWidget*>(m_plan) : m_frame);
    if (isShown && m_table->hasFocus())
        m_plan->setFocus();
    refreshActions();
}

void QueueView::fill()
{
    const QStringList before = chosen();
    const QString current = m_table->currentIndex().isValid() ? m_model->runId(m_table->currentIndex().row()) : QString();
    const QueueState& state = m_watch.state();
    m_model->setState(state);
    QItemSelectionModel& selection = *m_table->selectionModel();
    if (!selection.hasSelection()) {
        if (const int row = m_model->rowOf(current); row >= 0)
            selection.setCurrentIndex(m_model->index(row, 0), QItemSelectionModel::NoUpdate);
        for (const QString& run : before) {
            if (const int row = m_model->rowOf(run); row >= 0)
                selection.select(m_model->index(row, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
        }
    }
    const QSignalBlocker blocker(m_atOnce);
    if (!m_atOnce->hasFocus())
        m_atOnce->setValue(state.queue.atOnce);
    m_stopsOnError->setChecked(state.queue.stopsOnError);
    ViewState view;
    if (m_model->rowCount() == 0) {
        view.emptySentence = tr("No run waits. “Add to queue” in the launch window, or `atelier run --queue FILE`, adds one; "
                                "it starts when the others have ended.");
        QAction* const fillIn = m_actions.action(QStringLiteral("experiment.new"));
        view.emptyActions = {{buttonText(fillIn->text()), [fillIn] { fillIn->trigger(); }}};
    }
    if (!state.problem.isEmpty())
        view.error = ViewError {state.problem, {}, m_watch.mirror() ? QString() : QString::fromStdString(m_watch.home().state.string()), {}};
    m_frame->setState(view);
    refreshActions();
}

void QueueView::refreshActions()
{
    const QStringList runs = chosen();
    const bool isPlanShown = m_pages->currentWidget() == m_plan;
    const QString reason = isPlanShown ? tr("Go back from the bars to the table, and select runs that wait.") : tr("Select runs that wait in the queue.");
    for (const char* id : {"queue.up", "queue.down", "queue.hold", "queue.startNow", "queue.gpus", "queue.remove"})
        m_actions.setEnabled(QLatin1String(id), !runs.isEmpty() && !isPlanShown, reason);
    m_actions.setEnabled(QStringLiteral("queue.edit"), runs.size() == 1 && !isPlanShown,
        runs.size() > 1 ? tr("Only one run can be edited at a time.") : reason);
    m_actions.action(QStringLiteral("queue.hold"))->setText(areAllHeld(runs) && !runs.isEmpty() ? tr("&Release") : tr("&Hold"));
}

QStringList QueueView::chosen() const
{
    std::set<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows.insert(index.row());
    QStringList runs;
    for (const int row : rows) {
        if (m_model->waiting(row))
            runs << m_model->runId(row);
    }
    return runs;
}

bool QueueView::areAllHeld(const QStringList& runs) const
{
    return std::ranges::all_of(runs, [&](const QString& run) {
        const auto* const entry = m_model->waiting(m_model->rowOf(run));
        return entry && entry->isHeld;
    });
}

}  // namespace ui
