#include "ui/notify/alerts_model.h"

#include "ui/base/copied_rows.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/look.h"
#include "ui/base/plain_text.h"
#include "ui/language/outside_text.h"
#include "ui/notify/queue_alerts.h"
#include "ui/runs/past_alert.h"

#include <QDateTime>
#include <QFont>
#include <QGuiApplication>
#include <QLocale>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;
using Kind = storage::AlertRow::Kind;

bool isNewer(const storage::AlertRow& a, const storage::AlertRow& b) { return a.unixMs > b.unixMs; }

QIcon kindIcon(Kind kind)
{
    const QPalette palette = QGuiApplication::palette();
    if (kind == Kind::Finished)
        return icon(QStringLiteral("ok"), stateColour(launcher::RunState::Finished, palette));
    if (kind == Kind::Failed || kind == Kind::NoEnd || kind == Kind::NotStarted)
        return icon(QStringLiteral("error"), stateColour(launcher::RunState::Failed, palette));
    return icon(QStringLiteral("warning"), stateColour(launcher::RunState::Stalled, palette));
}

}  // namespace

AlertsModel::AlertsModel(StoreService& service, const RunsModel& runs, Settings& settings, bool isMirror, QObject* parent)
    : QAbstractTableModel(parent)
    , m_service(service)
    , m_runs(runs)
    , m_settings(settings)
    , m_isMirror(isMirror)
    , m_read(settings)
{
    if (!m_read.hasBegun()) {
        m_read.begin(QDateTime::currentMSecsSinceEpoch());
        m_read.keep(m_settings);
    }
    m_pause.setSingleShot(true);
    m_pause.setInterval(1s);
    connect(&m_pause, &QTimer::timeout, this, &AlertsModel::readStore);
    m_statesPause.setSingleShot(true);
    m_statesPause.setInterval(250ms);
    connect(&m_statesPause, &QTimer::timeout, this, &AlertsModel::show);
    connect(&m_service, &StoreService::changed, this, &AlertsModel::onChanged);
    connect(&m_service, &StoreService::opened, this, &AlertsModel::readStore);
    // Names and states of runs are the model's.
    connect(&m_runs, &RunsModel::runsChanged, &m_statesPause, qOverload<>(&QTimer::start));
    connect(&m_runs, &RunsModel::entryChanged, this, [this] {
        if ((m_isMirror || !m_rows.empty() || !m_queue.alerts.empty()) && !m_statesPause.isActive())
            m_statesPause.start();
    });
}

void AlertsModel::onChanged(const storage::Changes& changes)
{
    m_isAllOutdated = m_isAllOutdated || changes.isUnknown || changes.isRunRemoved;
    for (const auto& [run, part] : changes.parts) {
        if (part == storage::Part::Run || part == storage::Part::Events)
            m_outdatedRuns.insert(QString::fromStdString(run));
    }
    if ((m_isAllOutdated || !m_outdatedRuns.isEmpty()) && !m_pause.isActive())
        m_pause.start();
}

/// All alerts at first, and when runs have gone; later only those of runs that have changed.
void AlertsModel::readStore()
{
    if (m_isReading)
        return m_pause.start();
    const bool isAll = std::exchange(m_isAllOutdated, false);
    const QSet<QString> runs = std::exchange(m_outdatedRuns, {});
    if (!isAll && runs.isEmpty())
        return;
    m_isReading = true;
    const auto work = [isAll, runs](const storage::Store& store) {
        std::vector<std::pair<QString, std::vector<storage::AlertRow>>> found;
        if (isAll)
            found.emplace_back(QString(), store.alerts({}, kMostAlerts));
        for (const QString& run : isAll ? QSet<QString>() : runs)
            found.emplace_back(run, store.alerts(run.toStdString(), kMostAlerts));
        return found;
    };
    const auto done = [this](std::vector<std::pair<QString, std::vector<storage::AlertRow>>> found) {
        m_isReading = false;
        for (auto& [run, rows] : found)
            merge(run, std::move(rows));
        show();
    };
    // The views say what is wrong with the store; here it is tried again with the next change.
    const auto failed = [this](storage::StoreError::Kind, const QString&) {
        m_isReading = false;
        m_isAllOutdated = true;
    };
    m_service.query(this, work, done, failed, QueryLength::Long);
}

/// @param run empty: all
void AlertsModel::merge(const QString& run, std::vector<storage::AlertRow> rows)
{
    if (run.isEmpty()) {
        m_rows = std::move(rows);
        return;
    }
    std::erase_if(m_rows, [id = run.toStdString()](const storage::AlertRow& known) { return known.run == id; });
    std::vector<storage::AlertRow> all;
    std::ranges::merge(m_rows, rows, std::back_inserter(all), isNewer);
    all.resize(std::min(all.size(), std::size_t(kMostAlerts)));
    m_rows = std::move(all);
}

void AlertsModel::addEndsByState(std::vector<storage::AlertRow>& rows) const
{
    QSet<QString> known;
    for (const storage::AlertRow& row : rows)
        known.insert(alertName(row));
    for (const RunEntry& entry : m_runs.entries()) {
        if (!entry.status)
            continue;
        const launcher::RunState state = entry.status->state;
        storage::AlertRow row {.run = entry.row.id, .attempt = entry.status->attempt, .step = entry.status->step, .unixMs = entry.status->lastRecordUnixMs,
            .kind = state == launcher::RunState::Finished ? Kind::Finished : state == launcher::RunState::Failed ? Kind::Failed : Kind::NoEnd,
            .message = entry.status->cause};
        const bool isEnd = row.kind != Kind::NoEnd || state == launcher::RunState::Interrupted;
        if (isEnd && !known.contains(alertName(row)))
            rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(rows, isNewer);
    rows.resize(std::min(rows.size(), std::size_t(kMostAlerts)));
}

void AlertsModel::setQueue(const launcher::Queue& queue)
{
    const bool isSame = queue.alerts == m_queue.alerts && queue.waiting == m_queue.waiting;
    m_queue = queue;
    if (!isSame)
        show();
}

void AlertsModel::addThoseOfTheQueue(std::vector<storage::AlertRow>& rows) const
{
    const auto isThere = [this](const std::string& run) { return m_runs.entry(QString::fromStdString(run)) != nullptr; };
    std::vector<storage::AlertRow> all;
    std::ranges::merge(rows, queueAlerts(m_queue, isThere), std::back_inserter(all), isNewer);
    rows = std::move(all);
}

/// New alerts are inserted, so that a view stays where it is.
void AlertsModel::show()
{
    std::vector<storage::AlertRow> shown;
    for (const storage::AlertRow& row : m_rows) {
        const RunEntry* const entry = m_runs.entry(QString::fromStdString(row.run));
        if (entry && entry->status && hasHappened(row, *entry->status))
            shown.push_back(row);
    }
    if (m_isMirror)
        addEndsByState(shown);
    addThoseOfTheQueue(shown);
    const auto added = std::ssize(shown) - std::ssize(m_shown);
    if (added >= 0 && std::equal(m_shown.begin(), m_shown.end(), shown.begin() + added)) {
        if (added > 0) {
            beginInsertRows({}, 0, int(added) - 1);
            m_shown = std::move(shown);
            endInsertRows();
        }
        if (!m_shown.empty())  // names may have changed
            Q_EMIT dataChanged(index(0, Run), index(int(m_shown.size()) - 1, Details));
        if (added == 0)
            return;
    } else {
        beginResetModel();
        m_shown = std::move(shown);
        endResetModel();
    }
    Q_EMIT changed();
}

bool AlertsModel::isUnread(int row) const { return m_read.isUnread(alert(row)); }

int AlertsModel::unread() const
{
    int count = 0;
    for (int row = 0; row < rowCount(); ++row)
        count += isUnread(row) ? 1 : 0;
    return count;
}

void AlertsModel::markRead(int row)
{
    if (!isUnread(row))
        return;
    m_read.add(alert(row));
    m_read.keep(m_settings);
    Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    Q_EMIT changed();
}

void AlertsModel::markAllRead()
{
    if (m_shown.empty())
        return;
    m_read.addAll(m_shown, isFull() ? std::optional<qint64>(m_rows.back().unixMs) : std::nullopt);
    m_read.keep(m_settings);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    Q_EMIT changed();
}

int AlertsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_shown.size()); }
int AlertsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant AlertsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const storage::AlertRow& row = alert(index.row());
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case kCopyRole:
        return column == Time ? QVariant(copiedTime(row.unixMs)) : column == Step && row.step > 0 ? QVariant(static_cast<qlonglong>(row.step)) : QVariant();
    case Qt::DecorationRole:
        return column == What ? QVariant(kindIcon(row.kind)) : QVariant();
    case Qt::FontRole: {
        QFont font;
        font.setBold(true);
        return isUnread(index.row()) ? QVariant(font) : QVariant();
    }
    case Qt::ToolTipRole:
        return column == Time ? formatMoment(row.unixMs) : plainToolTip(text(row, column).toString());
    case Qt::TextAlignmentRole:
        return column == Step ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::AccessibleTextRole:
        return column == What && isUnread(index.row()) ? tr("%1, unread").arg(sentence(row)) : text(row, column).toString();
    default:
        return {};
    }
}

QString AlertsModel::sentence(const storage::AlertRow& alert) const
{
    switch (alert.kind) {
    case Kind::Finished:
        return tr("Finished");
    case Kind::Failed:
        return tr("Failed");
    case Kind::NoEnd:
        return tr("Interrupted");
    case Kind::Restarting:
        return tr("Failed, starts again");
    case Kind::Stalled:
        return tr("Hangs");
    case Kind::Rule:
        return tr("A rule has fired");
    case Kind::DiskLow:
        return tr("The disk is nearly full");
    case Kind::NotSaved:
        return tr("A checkpoint was not written");
    case Kind::NotStarted:
        return tr("Could not be started");
    case Kind::QueueHeld:
        return tr("The queue is held");
    }
    return {};
}

QString AlertsModel::details(const storage::AlertRow& alert) const
{
    const RunEntry* const entry = m_runs.entry(QString::fromStdString(alert.run));
    return translatedSentence(entry && entry->status ? causeOf(alert, *entry->status) : alert.message);
}

QVariant AlertsModel::text(const storage::AlertRow& alert, int column) const
{
    switch (column) {
    case Time:
        return QLocale().toString(QDateTime::fromMSecsSinceEpoch(alert.unixMs), QLocale::ShortFormat);
    case Run: {
        const RunEntry* const entry = m_runs.entry(QString::fromStdString(alert.run));
        return entry ? entry->name() : QString::fromStdString(alert.run);
    }
    case What:
        return sentence(alert);
    case Step:
        return alert.step > 0 ? formatCount(alert.step) : QString();
    default:
        return details(alert);
    }
}

QVariant AlertsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Time:
        return tr("Time");
    case Run:
        return tr("Run");
    case What:
        return tr("What has happened");
    case Step:
        return tr("Step");
    default:
        return tr("Details");
    }
}

}  // namespace ui
