#include "ui/compare/compare_view.h"

#include "engine/contract/formats/name_pattern.h"
#include "engine/contract/formats/output_file.h"
#include "ui/base/background.h"
#include "ui/base/distinct_names.h"
#include "ui/access/find_bar.h"
#include "ui/base/flow_layout.h"
#include "ui/base/icons.h"
#include "ui/base/kept_controls.h"
#include "ui/language/outside_text.h"
#include "ui/store/index_error.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 1000ms;

class TallRows : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index).grownBy({2, 2, 2, 2});
    }
};

std::vector<std::string> patternsIn(const QString& text)
{
    const std::string names = text.toStdString();
    std::vector<std::string> patterns;
    for (const std::string_view pattern : contract::namePatterns(names))
        patterns.emplace_back(pattern);
    return patterns;
}

}  // namespace

struct CompareView::Answer {
    storage::Comparison comparison;
    QStringList names;
    std::vector<contract::RunLine> lines;
};

CompareView::CompareView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_service(service)
    , m_selection(selection)
    , m_actions(actions)
    , m_onlyDifferent(new QCheckBox(tr("Only what differs")))
    , m_withDeltas(new QCheckBox(tr("Differences and ratios")))
    , m_baseline(new QComboBox)
    , m_ignored(new QLineEdit)
    , m_model(new CompareModel(selection, this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(new QTreeView)
    , m_frame(new ViewFrame(m_table))
{
    registerActions();
    setupControls();
    setupTable();
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &CompareView::ask);
    connect(&m_service, &StoreService::changed, this, [this](const storage::Changes& changes) {
        using enum storage::Part;
        const auto runs = drawn();
        if (std::ranges::any_of(runs, [&](const std::string& run) { return changes.concerns(run, {Run, Series}); }))
            askSoon();
    });
    connect(&m_service, &StoreService::opened, this, &CompareView::askSoon);
    connect(&m_selection, &Selection::drawnChanged, this, [this] {
        m_ticket.cancel();  // about other runs
        m_isAsking = false;
        m_pace.stop();
        askSoon();
    });
    connect(&m_selection, &Selection::baselineChanged, this, &CompareView::fill);
    updateState();
}

void CompareView::registerActions()
{
    const QString place = QStringLiteral("compare");
    m_actions.addPlace({place, tr("Compare"), {}}, this);
    m_actions.addTo(*m_table, {"compare.copy", tr("Copy"), "copy", QKeySequence(QKeySequence::Copy), tr("Copy the table as CSV"), {}, place},
        [this] { copy(); }, Qt::WidgetShortcut);
    m_actions.addTo(*this, {"compare.save", tr("Save as CSV…"), "save", {}, tr("Write the table to a file"), "atelier compare RUN RUN --csv", place}, [this] { save(); });
    m_actions.addTo(*this, {"compare.onlyDifferent", tr("Only what differs"), {}, {}, tr("Leave out what is equal in all runs, or show it"), {}, place},
        [this] { m_onlyDifferent->toggle(); });
    m_actions.addTo(*this, {"compare.deltas", tr("Differences and ratios"), {}, {}, tr("For each run the difference from the baseline, and the ratio to it"), {}, place},
        [this] { m_withDeltas->toggle(); });
}

void CompareView::setupControls()
{
    m_onlyDifferent->setChecked(true);
    m_withDeltas->setChecked(true);
    m_withDeltas->setToolTip(tr("For each run the difference from the baseline, and the ratio to it"));
    m_baseline->setAccessibleName(tr("Baseline"));
    m_baseline->setToolTip(tr("The run that the others are compared with, here and in plots of differences"));
    m_baseline->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_baseline->setMinimumWidth(fontMetrics().averageCharWidth() * 20);  // a name may be long
    m_ignored->setAccessibleName(tr("Leave out"));
    m_ignored->setPlaceholderText(tr("run.name, time/*"));
    m_ignored->setToolTip(tr("Options and metrics that are not shown, separated by commas; * stands for any characters"));
    m_ignored->setClearButtonEnabled(true);
    auto* copy = new QPushButton(icon(QStringLiteral("copy")), tr("Copy"));
    auto* save = new QPushButton(tr("Save as CSV…"));
    m_actions.describe(QStringLiteral("compare.copy"), *copy);
    m_actions.describe(QStringLiteral("compare.save"), *save);
    auto* controls = new FlowLayout;
    controls->setContentsMargins(8, 4, 8, 4);
    controls->setSpacing(10);
    const auto labelled = [](const QString& text, QWidget* widget) {
        auto* group = new QWidget;
        auto* row = new QHBoxLayout(group);
        row->setContentsMargins(0, 0, 0, 0);
        auto* label = new QLabel(text, group);
        label->setBuddy(widget);
        row->addWidget(label);
        row->addWidget(widget);
        return group;
    };
    // Tab goes through controls in the order in which they get a parent, which they do when they are laid out.
    for (QWidget* widget : std::initializer_list<QWidget*> {labelled(tr("Baseline"), m_baseline), m_onlyDifferent, m_withDeltas,
             labelled(tr("Leave out"), m_ignored), copy, save})
        controls->addWidget(widget);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(controls);
    layout->addWidget(m_frame, 1);
    for (QCheckBox* box : {m_onlyDifferent, m_withDeltas})
        connect(box, &QCheckBox::toggled, this, &CompareView::fill);
    connect(m_ignored, &QLineEdit::textChanged, this, &CompareView::fill);
    keep(*m_onlyDifferent, "onlyDifferent");
    keep(*m_withDeltas, "deltas");
    keep(*m_ignored, "ignored");
    connect(m_baseline, &QComboBox::activated, this, [this] { m_selection.setBaseline(m_baseline->currentData().toString()); });
    connect(copy, &QPushButton::clicked, this, &CompareView::copy);
    connect(save, &QPushButton::clicked, this, &CompareView::save);
}

void CompareView::setupTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(CompareModel::SortRole);
    m_table->setModel(m_sorted);
    m_table->setObjectName(QStringLiteral("compareTable"));
    m_table->setAccessibleName(tr("Comparison"));
    m_table->setItemDelegate(new TallRows(m_table));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    m_table->header()->setStretchLastSection(false);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
        m_table->header()->resizeSections(QHeaderView::ResizeToContents);
        for (int column = 0; column < m_model->columnCount(); ++column) {
            const int width = m_table->header()->sectionSize(column) + digit;
            m_table->header()->resizeSection(column, std::clamp(width, 8 * digit, (column == 0 ? 36 : 28) * digit));
        }
    });
    setFocusProxy(m_table);
    new FindBar(*this, *m_frame, *m_table, rowsOf(*m_table));
}

std::vector<std::string> CompareView::drawn() const
{
    std::vector<std::string> runs;
    for (const Selection::DrawnRun& run : m_selection.drawn())
        runs.push_back(run.runId.toStdString());
    return runs;
}

std::optional<std::size_t> CompareView::baseline() const
{
    const auto found = std::ranges::find(m_found.runs, m_selection.baseline().toStdString());
    return found == m_found.runs.end() ? std::nullopt : std::optional(std::size_t(found - m_found.runs.begin()));
}

void CompareView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_isStale)
        ask();
}

void CompareView::askSoon()
{
    m_isStale = true;
    if (isVisible() && !m_isAsking && !m_pace.isActive())
        m_pace.start(drawn() == m_found.runs ? kPause : 0ms);
    updateState();
}

void CompareView::ask()
{
    if (m_isAsking)
        return;
    m_isStale = false;
    const auto runs = drawn();
    if (runs.size() < 2)
        return apply({});
    m_isAsking = true;
    m_isCancelled = false;
    const auto read = [runs](const storage::Store& store) {
        Answer answer {storage::compareRuns(store, runs), {}, {}};
        QStringList ids;
        for (const std::string& run : answer.comparison.runs) {
            const auto row = store.run(run);
            ids << QString::fromStdString(run);
            answer.names << QString::fromStdString(row ? row->name : run);
            answer.lines.push_back(row ? row->line : contract::RunLine {});
        }
        answer.names = distinctNames(answer.names, ids);
        return answer;
    };
    m_ticket = m_service.query(
        this, read, [this](Answer answer) { apply(std::move(answer)); },
        [this](storage::StoreError::Kind, const QString& message) {
            m_isAsking = false;
            m_error = message;
            updateState();
        },
        QueryLength::Long);
    updateState();
}

void CompareView::apply(Answer answer)
{
    m_isAsking = false;
    m_error.clear();
    m_found = std::move(answer.comparison);
    m_names = std::move(answer.names);
    m_lines = std::move(answer.lines);
    fill();
    if (m_isStale)
        askSoon();
}

void CompareView::offerBaselines()
{
    m_baseline->clear();
    for (std::size_t run = 0; run < m_found.runs.size(); ++run)
        m_baseline->addItem(m_names[qsizetype(run)], QString::fromStdString(m_found.runs[run]));
    m_baseline->setCurrentIndex(m_baseline->findData(m_selection.baseline()));
}

void CompareView::fill()
{
    offerBaselines();
    storage::Comparison shown = m_found;
    storage::ignoreRows(shown, patternsIn(m_ignored->text()));
    if (m_onlyDifferent->isChecked())
        std::erase_if(shown.rows, [](const storage::ComparisonRow& row) { return !row.differs(); });
    m_model->setComparison(std::move(shown), m_names, m_lines, m_withDeltas->isChecked() ? baseline() : std::nullopt);
    updateState();
}

void CompareView::setEmptyActions(const QList<ViewAction>& actions)
{
    m_emptyActions = actions;
    updateState();
}

void CompareView::updateState()
{
    ViewState state;
    if (m_selection.drawn().size() < 2) {
        state.emptySentence = tr("Draw two or more runs to compare them: click their eyes in the list of runs.");
        state.emptyActions = m_emptyActions;
    } else if (!m_found.runs.empty() && m_model->rowCount() == 0) {
        state.emptySentence = tr("Nothing that is shown differs between these runs.");
        state.emptyActions = {{tr("Show everything"), [this] {
                                   m_ignored->clear();
                                   m_onlyDifferent->setChecked(false);
                               }}};
    }
    state.isLoading = m_isAsking && drawn() != m_found.runs;
    state.cancel = [this] {
        m_ticket.cancel();
        m_isAsking = false;
        m_isCancelled = true;
        updateState();
    };
    if (!m_error.isEmpty())
        state.error = indexError(m_service.home(), tr("The runs could not be compared. %1").arg(m_error), [this] { ask(); });
    else if (m_isCancelled)
        state.error = cancelledReading([this] { ask(); });
    else if (!m_notice.isEmpty())
        state.error = ViewError {m_notice, {}, {}, {{tr("Close"), [this] {
                                                         m_notice.clear();
                                                         updateState();
                                                     }}}};
    m_frame->setState(state);
    for (const char* id : {"compare.copy", "compare.save"})
        m_actions.setEnabled(QLatin1String(id), m_model->rowCount() > 0 && drawn() == m_found.runs, tr("Nothing is compared here yet: draw two or more runs."));
}

QString CompareView::csv() const
{
    std::vector<std::string> names;
    for (const QString& name : m_names)
        names.push_back(name.toStdString());
    return QString::fromStdString(storage::toCsv(m_model->comparison(), names, m_withDeltas->isChecked() ? baseline() : std::nullopt));
}

void CompareView::copy()
{
    QApplication::clipboard()->setText(csv());
}

void CompareView::save()
{
    auto* dialog = new QFileDialog(this, tr("Save the comparison"), QString(), tr("Comma-separated values (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        const auto write = [file, text = csv().toStdString()] {
            try {
                contract::writeFileAtomically(file.toStdString(), text);
                return QString();
            } catch (const std::exception& error) {
                return translatedSentence(error.what());
            }
        };
        inBackground(this, write, [this](const QString& error) {
            m_notice = error;
            updateState();
        });
    });
    dialog->open();
}

}  // namespace ui
