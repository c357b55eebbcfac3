#include "ui/disk/clean_up_panel.h"

#include "ui/base/background.h"
#include "ui/base/flow_layout.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/base/state_strip.h"
#include "ui/checkpoint/surplus_checkpoints.h"
#include "ui/disk/surplus_model.h"
#include "ui/language/outside_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>

#include <chrono>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr int kMostSentences = 3;

QSpinBox* spinBox(int value, int most, const QString& name)
{
    auto* box = new QSpinBox;
    box->setRange(1, most);
    box->setValue(value);
    box->setGroupSeparatorShown(true);
    box->setAccessibleName(name);
    return box;
}

/// The rule with its parts, which stay together where the line is broken.
QWidget* rule(QCheckBox* box, std::initializer_list<QWidget*> parts)
{
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 12, 0);
    row->addWidget(box);
    for (QWidget* part : parts) {
        row->addWidget(part);
        part->setEnabled(box->isChecked());
        QObject::connect(box, &QCheckBox::toggled, part, &QWidget::setEnabled);
    }
    return widget;
}

void readAgain(StoreService& service, const std::vector<TrashedCheckpoint>& checkpoints)
{
    std::set<std::filesystem::path> runs;
    for (const TrashedCheckpoint& each : checkpoints)
        runs.insert(each.from.parent_path().parent_path());
    for (const std::filesystem::path& run : runs)
        service.catchUp(QString::fromStdString(run.string()));
}

}  // namespace

CleanUpPanel::CleanUpPanel(StoreService& service, const RunsModel& runs, QWidget* parent)
    : QWidget(parent)
    , m_service(service)
    , m_model(new SurplusModel(runs, this))
    , m_table(new QTableView)
    , m_frame(new ViewFrame(m_table))
{
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Checkpoints that no rule keeps"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(makeRules());
    layout->addWidget(m_frame, 1);
    layout->addWidget(makeRow());
    m_pause.setSingleShot(true);
    m_pause.setInterval(200ms);
    connect(&m_pause, &QTimer::timeout, this, &CleanUpPanel::look);
    updateState();
}

CleanUpPanel::~CleanUpPanel()
{
    if (m_isOutdated)
        *m_isOutdated = true;
}

QWidget* CleanUpPanel::makeRules()
{
    auto* area = new QWidget(this);
    m_scope = new QLabel(area);
    m_isLast = new QCheckBox(tr("the &last"));
    m_isLast->setChecked(true);
    m_last = spinBox(2, 9999, tr("Number of the last checkpoints"));
    m_isEvery = new QCheckBox(tr("those of &every"));
    m_every = spinBox(1000, std::numeric_limits<int>::max(), tr("Steps"));
    m_isBest = new QCheckBox(tr("the &best"));
    m_bestCount = spinBox(1, 9999, tr("Number of the best checkpoints"));
    m_metric = new QComboBox;
    m_metric->setEditable(true);
    m_metric->addItems({QStringLiteral("validation/loss"), QStringLiteral("loss"), QStringLiteral("reward")});
    m_metric->setAccessibleName(tr("Metric"));
    m_direction = new QComboBox;
    m_direction->addItems({tr("lowest"), tr("highest")});
    m_direction->setAccessibleName(tr("Which value is the best"));
    auto* rules = new QWidget(area);
    auto* flow = new FlowLayout(rules);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->addWidget(rule(m_isLast, {m_last}));
    flow->addWidget(rule(m_isEvery, {m_every, new QLabel(tr("steps"))}));
    flow->addWidget(rule(m_isBest, {m_bestCount, new QLabel(tr("by")), m_metric, m_direction}));
    auto* always = new QLabel(tr("The latest checkpoint of a run and pinned ones are always kept."), area);
    always->setEnabled(false);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(0, 0, 0, 0);
    for (QWidget* widget : {static_cast<QWidget*>(m_scope), rules, static_cast<QWidget*>(always)})
        layout->addWidget(widget);
    const auto lookSoon = [this] { m_pause.start(); };
    for (QCheckBox* box : {m_isLast, m_isEvery, m_isBest})
        connect(box, &QCheckBox::toggled, this, lookSoon);
    for (QSpinBox* box : {m_last, m_every, m_bestCount})
        connect(box, &QSpinBox::valueChanged, this, lookSoon);
    connect(m_metric, &QComboBox::currentTextChanged, this, lookSoon);
    connect(m_direction, &QComboBox::currentIndexChanged, this, lookSoon);
    return area;
}

QWidget* CleanUpPanel::makeRow()
{
    auto* row = new QWidget(this);
    m_note = new QLabel(row);
    m_note->setObjectName(QStringLiteral("cleanUpNote"));
    m_note->setWordWrap(true);
    m_undo = new QPushButton(tr("Undo"), row);
    m_undo->setToolTip(tr("Restore the checkpoints that were just moved to the trash"));
    m_move = new QPushButton(icon(QStringLiteral("trash")), {}, row);
    m_move->setObjectName(QStringLiteral("cleanUpButton"));
    for (QPushButton* button : {m_undo, m_move})
        button->setAutoDefault(false);
    connect(m_undo, &QPushButton::clicked, this, &CleanUpPanel::undo);
    connect(m_move, &QPushButton::clicked, this, &CleanUpPanel::trash);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_note, 1);
    layout->addWidget(m_undo);
    layout->addWidget(m_move);
    return row;
}

QString CleanUpPanel::note() const { return m_note->text(); }

bool CleanUpPanel::hasRule() const
{
    return m_isLast->isChecked() || m_isEvery->isChecked() || (m_isBest->isChecked() && !m_metric->currentText().trimmed().isEmpty());
}

launcher::KeepRules CleanUpPanel::rules() const
{
    launcher::KeepRules rules;
    if (m_isLast->isChecked())
        rules.last = static_cast<std::size_t>(m_last->value());
    if (m_isEvery->isChecked())
        rules.every = m_every->value();
    if (m_isBest->isChecked())
        rules.best = m_metric->currentText().trimmed().toStdString();
    rules.bestCount = static_cast<std::size_t>(m_bestCount->value());
    rules.isHighestBest = m_direction->currentIndex() == 1;
    return rules;
}

void CleanUpPanel::setRuns(std::vector<std::string> runs, bool areAll)
{
    m_runs = std::move(runs);
    m_scope->setText(areAll ? tr("Of all runs, keep these checkpoints:")
                            : formatCounted(std::ssize(m_runs), tr("Of the selected run, keep these checkpoints:"), tr("Of the %Ln selected runs, keep these checkpoints:", nullptr, pluralCount(std::ssize(m_runs)))));
    look();
}

void CleanUpPanel::look()
{
    if (m_isOutdated)
        *m_isOutdated = true;
    m_isOutdated.reset();
    m_isCancelled = false;
    m_pause.stop();
    if (!hasRule() || m_runs.empty())
        return showSurplus({});
    m_isOutdated = std::make_shared<std::atomic<bool>>(false);
    const auto search = [home = m_service.home(), runs = m_runs, rules = rules(), isOutdated = m_isOutdated] {
        return surplusOf(home, runs, rules, [&isOutdated] { return isOutdated->load(); });
    };
    inBackground(this, search, [this, isOutdated = m_isOutdated](const Surplus& surplus) {
        if (*isOutdated)
            return;
        m_isOutdated.reset();
        showSurplus(surplus);
    });
    updateState();
}

void CleanUpPanel::showSurplus(const Surplus& surplus)
{
    QStringList sentences;
    if (surplus.activeRuns > 0)
        sentences << formatCounted(surplus.activeRuns, tr("1 active run is left alone; it keeps its checkpoints itself."),
            tr("%Ln active runs are left alone; they keep their checkpoints themselves.", nullptr, pluralCount(surplus.activeRuns)));
    if (!surplus.problems.empty())
        sentences << formatCounted(std::ssize(surplus.problems), tr("1 checkpoint is left alone because it cannot be read."),
            tr("%Ln checkpoints are left alone because they cannot be read.", nullptr, pluralCount(std::ssize(surplus.problems))));
    QStringList problems;
    for (const std::string& problem : surplus.problems)
        problems << translatedSentence(problem);
    m_note->setToolTip(plainToolTip(problems.mid(0, 10).join(QLatin1Char('\n'))));
    m_leftAlone = sentences.join(QLatin1Char(' '));
    m_model->setCheckpoints(surplus.checkpoints);
    updateState();
}

void CleanUpPanel::trash()
{
    std::vector<std::filesystem::path> folders;
    for (const SurplusCheckpoint& each : m_model->checkpoints())
        folders.push_back(each.folder);
    m_isMoving = true;
    // The runs are read again even if the window was closed meanwhile.
    const auto moved = [service = &m_service, panel = QPointer(this)](const TrashResult& result) {
        readAgain(*service, result.done);
        if (panel)
            panel->showMoved(result);
    };
    inBackground(&m_service, [home = m_service.home(), folders] { return moveToTrash(home, folders); }, moved);
    updateState();
}

void CleanUpPanel::showMoved(const TrashResult& result)
{
    QStringList sentences {formatCounted(std::ssize(result.done), tr("1 checkpoint, %1, was moved to the trash."), tr("%Ln checkpoints, %1, were moved to the trash.", nullptr, pluralCount(std::ssize(result.done))))
                               .arg(formatBytes(result.bytes()))};
    sentences << QStringList(result.refused.begin(), result.refused.end()).mid(0, kMostSentences);
    m_moved = result.done;
    finish(sentences.join(QLatin1Char(' ')));
}

void CleanUpPanel::undo()
{
    m_isMoving = true;
    const auto restored = [service = &m_service, panel = QPointer(this), moved = m_moved](const std::vector<QString>& failed) {
        readAgain(*service, moved);
        if (!panel)
            return;
        panel->m_moved.clear();
        panel->finish(failed.empty() ? tr("The checkpoints are back.") : QStringList(failed.begin(), failed.end()).mid(0, kMostSentences).join(QLatin1Char(' ')));
    };
    inBackground(&m_service, [moved = m_moved] { return restoreFromTrash(moved); }, restored);
    updateState();
}

void CleanUpPanel::finish(const QString& sentence)
{
    m_isMoving = false;
    m_result = sentence;
    look();
    Q_EMIT changed();
}

void CleanUpPanel::updateState()
{
    const auto checkpoints = std::ssize(m_model->checkpoints());
    std::uint64_t bytes = 0;
    for (const SurplusCheckpoint& each : m_model->checkpoints())
        bytes += each.bytes;
    ViewState state;
    state.isLoading = m_isOutdated || m_isMoving;
    if (m_isOutdated)
        state.cancel = [this] {
            *m_isOutdated = true;
            m_isOutdated.reset();
            m_isCancelled = true;
            m_model->setCheckpoints({});
            updateState();
        };
    if (m_isCancelled)
        state.error = cancelledReading([this] { look(); });
    else if (!state.isLoading && checkpoints == 0)
        state.emptySentence = hasRule() ? tr("The rules keep every checkpoint.") : tr("Tick a rule to see which checkpoints it would not keep.");
    m_frame->setState(state);
    m_note->setText((QStringList {m_result, m_leftAlone}).join(QLatin1Char(' ')).trimmed());
    m_undo->setVisible(!m_moved.empty());
    m_undo->setEnabled(!m_isMoving);
    m_move->setEnabled(!state.isLoading && checkpoints > 0);
    m_move->setText(checkpoints == 0 ? tr("Move to the trash")
                                     : formatCounted(checkpoints, tr("Move 1 checkpoint, %1, to the trash"), tr("Move %Ln checkpoints, %1, to the trash", nullptr, pluralCount(checkpoints)))
                                           .arg(formatBytes(static_cast<std::int64_t>(bytes))));
}

}  // namespace ui
