#include "ui/logs/logs_dock.h"

#include "engine/contract/formats/folder_entries.h"
#include "ui/base/background.h"
#include "ui/access/find_here.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/kept_controls.h"
#include "ui/base/state_strip.h"
#include "ui/logs/log_seek.h"
#include "ui/logs/log_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

QString title(const std::string& file)
{
    const int rank = rankOfLog(file);
    return rank < 0 ? LogsDock::tr("supervisor") : LogsDock::tr("rank %1").arg(rank);
}

/// What is wrong with a clock, to follow the name of its rank; empty: nothing.
QString remark(const LogClock& clock)
{
    const QString difference = QString::fromStdString(clockDifference(clock.aheadMs()));
    return clock.aheadMs() == 0 ? QString()
        : clock.aheadMs() > 0   ? LogsDock::tr(" (clock %1 min ahead)").arg(difference)
                                : LogsDock::tr(" (clock %1 min behind)").arg(difference);
}

std::vector<std::string> logFiles(const std::string& runFolder)
{
    std::vector<std::string> files;
    for (const std::filesystem::path& entry : contract::entriesOf(contract::RunFolder(runFolder).logs())) {
        if (entry.extension() == ".log")
            files.push_back(entry.string());
    }
    std::ranges::sort(files, {}, [](const std::string& file) { return rankOfLog(file); });
    return files;
}

QToolButton* makeButton(const char* iconName, const QString& text, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(QLatin1String(iconName)));
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    return button;
}

}  // namespace

LogsDock::LogsDock(RunsModel& runs, Selection& selection, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_runs(runs)
    , m_selection(selection)
    , m_actions(actions)
    , m_model(new LogModel(this))
    , m_seek(new LogSeek(*m_model, this))
    , m_view(new LogView(*m_model))
    , m_frame(new ViewFrame(m_view))
    , m_fileBox(new QComboBox)
    , m_level(new QComboBox)
    , m_search(new QLineEdit)
    , m_regex(new QCheckBox(tr("Regex")))
    , m_follow(makeButton("follow", tr("Follow: stay at the last line"), nullptr))
    , m_count(new QLabel)
{
    registerActions();
    setupControls();
    m_listTimer.setInterval(1s);
    m_filterTimer.setInterval(200ms);
    m_filterTimer.setSingleShot(true);
    connect(&m_listTimer, &QTimer::timeout, this, &LogsDock::listFiles);
    connect(&m_filterTimer, &QTimer::timeout, this, &LogsDock::applyFilter);
    connect(&m_selection, &Selection::inspectedChanged, this, [this] {
        m_wantedTime.reset();
        m_wantedLine.reset();
        listFiles();
    });
    connect(m_model, &LogModel::scanningChanged, this, &LogsDock::seekWanted);
    connect(&m_runs, &RunsModel::runsChanged, this, &LogsDock::listFiles);
    connect(&m_runs, &RunsModel::entryChanged, this, [this](const QString& id) {
        m_isListOutdated = m_isListOutdated || id == m_selection.inspected();
    });
    for (auto signal : {&LogModel::reset, &LogModel::appended, &LogModel::scanningChanged})
        connect(m_model, signal, this, &LogsDock::updateState);
    setFindHere(*this, {[this] { focusSearch(); }, [this](int direction) { m_search->text().isEmpty() ? focusSearch() : m_view->step(direction); }});
    m_listTimer.start();
    offerFiles({});
    updateState();
}

void LogsDock::registerActions()
{
    const QString place = QStringLiteral("logs");
    m_actions.addPlace({place, tr("Logs"), {}}, this);
    m_actions.addTo(*this, {"logs.follow", tr("Follow"), "follow", {}, tr("Stay at the last line"), "atelier logs RUN --follow", place}, [this] { m_follow->toggle(); });
    m_actions.addTo(*this, {"logs.regex", tr("Regular expression"), {}, {}, tr("Take what is searched for as a regular expression, or as it is"), {}, place},
        [this] { m_regex->toggle(); });
    // Their keys act on the lines only, see eventFilter(): the fields have a use for them, too.
    m_actions.add({"logs.copy", tr("Copy"), "copy", QKeySequence(QKeySequence::Copy), tr("Copy the selected lines"), {}, place},
        [this] { m_view->copySelection(); });
    m_actions.add({"logs.time", tr("This moment"), {}, QKeySequence(Qt::Key_Return), tr("Pin the time of the current line in all views"), {}, place},
        [this] { chooseTimeOf(m_view->currentRow()); });
    m_actions.addTo(*this, {"logs.open", tr("Open the log file"), "open", {}, tr("Open the log file, or the folder of all"), {}, place}, [this] { openFile(); });
    m_actions.addFixed({place, tr("Another line"),
        {Qt::Key_Up, Qt::Key_Down, Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Home, Qt::Key_End}, tr("With Shift the lines between are selected, too")});
    m_actions.addFixed({place, tr("Select all lines"), {QKeySequence(QKeySequence::SelectAll)}, {}});
    m_view->installEventFilter(this);
}

bool LogsDock::eventFilter(QObject* watched, QEvent* event)
{
    return (event->type() == QEvent::KeyPress && m_actions.trigger(QStringLiteral("logs"), *static_cast<QKeyEvent*>(event)))
        || QWidget::eventFilter(watched, event);
}

void LogsDock::setupControls()
{
    m_fileBox->setAccessibleName(tr("Log file"));
    m_fileBox->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_level->setAccessibleName(tr("Minimum level"));
    m_level->addItem(tr("All levels"), int(LogLevel::Unknown));
    m_level->addItem(tr("Info and above"), int(LogLevel::Info));
    m_level->addItem(tr("Warnings and errors"), int(LogLevel::Warning));
    m_level->addItem(tr("Errors"), int(LogLevel::Error));
    m_search->setPlaceholderText(tr("Show lines that contain …"));
    m_search->setAccessibleName(tr("Search in logs"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    auto* copy = makeButton("copy", tr("Copy the selected lines"), nullptr);
    auto* open = makeButton("open", tr("Open the log file"), nullptr);
    m_actions.describe(QStringLiteral("logs.follow"), *m_follow);
    m_actions.describe(QStringLiteral("logs.copy"), *copy);
    m_actions.describe(QStringLiteral("logs.open"), *open);

    // In a narrow window the boxes cut their texts off instead of widening it.
    for (QComboBox* box : {m_fileBox, m_level})
        box->setMinimumWidth(12 * fontMetrics().averageCharWidth());

    keep(*m_fileBox, "file", Qt::DisplayRole);
    keep(*m_level, "level");
    keep(*m_search, "search");
    keep(*m_regex, "regex");

    // Tab goes through controls in the order in which they get a parent, which they do when they are laid out.
    auto* row = new QHBoxLayout;
    row->setContentsMargins(6, 4, 6, 4);
    row->setSpacing(6);
    row->addWidget(m_fileBox);
    row->addWidget(m_level);
    row->addWidget(m_search, 1);
    row->addWidget(m_regex);
    row->addWidget(m_count);
    row->addWidget(m_follow);
    row->addWidget(copy);
    row->addWidget(open);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_frame, 1);

    connect(m_fileBox, &QComboBox::currentIndexChanged, this, &LogsDock::chooseFiles);
    connect(m_level, &QComboBox::currentIndexChanged, this, &LogsDock::applyFilter);
    connect(m_search, &QLineEdit::textChanged, this, [this] { m_filterTimer.start(); });
    connect(m_regex, &QCheckBox::toggled, this, &LogsDock::applyFilter);
    connect(m_follow, &QToolButton::toggled, m_view, &LogView::setFollowing);
    connect(m_view, &LogView::followingChanged, m_follow, &QToolButton::setChecked);
    connect(m_model, &LogModel::clocksChanged, this, &LogsDock::nameFiles);
    connect(m_seek, &LogSeek::found, m_view, &LogView::showRow);
    connect(m_view, &LogView::rowChosen, this, &LogsDock::chooseTimeOf);
    connect(copy, &QToolButton::clicked, m_view, &LogView::copySelection);
    connect(open, &QToolButton::clicked, this, &LogsDock::openFile);
}

void LogsDock::listFiles()
{
    const RunEntry* const entry = m_runs.entry(m_selection.inspected());
    const QString folder = entry ? entry->folder() : QString();
    const bool isOtherRun = folder != m_folder;
    m_folder = folder;
    if (isOtherRun || folder.isEmpty())
        offerFiles({});
    updateState();
    if (folder.isEmpty())
        return;
    // Log files are created while a run starts; those of a run that is not active do not change. One that fails at once may
    // never be seen active, but what is known of it changes.
    if (!std::exchange(m_isListOutdated, false) && !isOtherRun && !entry->isActive())
        return;
    inBackground(this, [folder = folder.toStdString()] { return logFiles(folder); },
        [this, folder](const std::vector<std::string>& files) {
            if (folder == m_folder)
                offerFiles(files);
        });
}

void LogsDock::offerFiles(const std::vector<std::string>& files)
{
    if (files == m_files && m_fileBox->count() > 0)
        return;
    m_files = files;
    const QSignalBlocker noEcho(m_fileBox);
    const QString chosen = m_fileBox->currentText();
    m_fileBox->clear();
    m_fileBox->addItem(tr("All, merged by time"));
    for (const std::string& file : m_files)
        m_fileBox->addItem(title(file), QString::fromStdString(file));
    m_fileBox->setCurrentIndex(std::max(0, m_fileBox->findText(chosen)));
    chooseFiles();
}

void LogsDock::chooseFiles()
{
    const QString chosen = m_fileBox->currentData().toString();
    m_model->setFiles(chosen.isEmpty() ? m_files : std::vector {chosen.toStdString()});
    nameFiles();
    updateState();
}

/// Names the lines' files, and says whose clock is wrong: such lines stand at other places than their times say.
void LogsDock::nameFiles()
{
    QStringList names;
    for (std::size_t file = 0; file < m_model->files().size(); ++file)
        names << title(m_model->files()[file]) + remark(m_model->clockOf(int(file)));
    m_view->setFileNames(names);
}

void LogsDock::applyFilter()
{
    const LogFilter filter {.minimumLevel = LogLevel(m_level->currentData().toInt()),
        .text = m_search->text(), .isRegex = m_regex->isChecked()};
    m_problem = filter.problem();
    if (m_problem.isEmpty())
        m_model->setFilter(filter);
    updateState();
}

void LogsDock::updateState()
{
    ViewState state;
    const bool isFiltered = !m_model->filter().text.isEmpty() || m_model->filter().minimumLevel != LogLevel::Unknown;
    state.isLoading = m_model->isScanning();
    state.cancel = [this] { m_model->cancel(); };
    if (m_model->isCancelled())
        state.error = cancelledReading([this] { m_model->restart(); });
    if (!m_problem.isEmpty())
        state.error = ViewError {tr("%1 The lines are still chosen as before.").arg(m_problem), {}, {},
            {{tr("Search for it as plain text"), [this] { m_regex->setChecked(false); }}}};
    if (m_folder.isEmpty()) {
        state.emptySentence = tr("Choose a run to read its logs.");
    } else if (m_model->count() == 0 && !m_model->isScanning() && !m_model->isCancelled()) {
        state.emptySentence = isFiltered ? tr("No line matches.") : tr("This run has not logged anything yet.");
        state.isEmptyOfRecords = !isFiltered;
        if (!isFiltered)
            state.endedSentence = tr("This run has logged nothing.");
        else
            state.emptyActions = {{tr("Clear filter"), [this] {
                                       m_level->setCurrentIndex(0);
                                       m_search->clear();
                                   }}};
    }
    m_count->setText(formatCounted(m_model->count(), tr("1 line"), tr("%Ln lines", nullptr, pluralCount(m_model->count()))));
    m_frame->setState(state);
    m_actions.setEnabled(QStringLiteral("logs.open"), !m_files.empty(), tr("There is no log file."));
    for (const char* id : {"logs.copy", "logs.time"})
        m_actions.setEnabled(QLatin1String(id), m_model->count() > 0, tr("No line is shown."));
}

void LogsDock::openFile()
{
    const QString chosen = m_fileBox->currentData().toString();
    const QString path = chosen.isEmpty() && !m_files.empty()
        ? QFileInfo(QString::fromStdString(m_files.front())).absolutePath() : chosen;
    if (!path.isEmpty())
        QDesktopServices::openUrl(QUrl::fromLocalFile(path));
}

void LogsDock::showTime(double seconds)
{
    m_wantedLine.reset();
    m_wantedTime = seconds;
    seekWanted();
}

void LogsDock::showLine(const std::string& file, std::int64_t offset)
{
    m_wantedTime.reset();
    m_wantedLine = WantedLine {file, offset};
    m_fileBox->setCurrentIndex(0);
    m_level->setCurrentIndex(0);
    m_search->clear();
    applyFilter();
    seekWanted();
    m_isListOutdated = true;  // the file may be new
    listFiles();
}

void LogsDock::seekWanted()
{
    if (m_wantedTime)
        m_seek->start(std::llround(*m_wantedTime * 1000));
    const qsizetype row = m_wantedLine ? m_model->rowOf(m_wantedLine->file, m_wantedLine->offset) : -1;
    if (row >= 0)
        m_view->showRow(row);
    if (m_model->count() == 0 || m_model->isScanning())
        return;
    m_wantedTime.reset();
    if (row >= 0)
        m_wantedLine.reset();
}

/// A line without a time has that of the last one before it that has one.
void LogsDock::chooseTimeOf(qsizetype row)
{
    for (; row >= 0; --row) {
        const LogText* const line = m_model->line(row);
        if (!line)
            return;
        if (line->unixMs > 0) {
            Q_EMIT timeChosen(static_cast<double>(m_model->clockOf(m_model->fileOf(row)).byRankZero(line->unixMs)) / 1000);
            return;
        }
    }
}

void LogsDock::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

}  // namespace ui
