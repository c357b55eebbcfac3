#include "ui/inspector/overview.h"

#include "engine/contract/run/journal.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/look.h"
#include "ui/base/plain_text.h"
#include "ui/inspector/state_badge.h"
#include "ui/language/outside_text.h"

#include <QDateTime>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ui {
namespace {

namespace metric = contract::metric;

QLabel* makeText(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->hide();
    return label;
}

void setTextOrHide(QLabel* label, const QString& text)
{
    label->setText(text);
    label->setVisible(!text.isEmpty());
}

QString number(const std::optional<double>& value)
{
    return value ? formatNumber(*value) : QString();
}

QString describe(const storage::AttemptRow& attempt)
{
    const QString outcome = attempt.outcome.empty() ? QString()
        : attempt.outcome == "finished" ? Overview::tr(", finished")
        : attempt.outcome == "stopped"  ? Overview::tr(", stopped") : Overview::tr(", failed");
    return Overview::tr("%1: steps %2 to %3%4").arg(attempt.number)
        .arg(formatCount(attempt.parentStep), formatCount(attempt.lastStep), outcome);
}

/// What the steps that an attempt recorded again say of the resume.
QString describe(const storage::ResumeProof& proof)
{
    if (!proof.first) {
        const QString text = Overview::tr("%1 repeats steps %2 to %3 of %4 with identical values").arg(proof.later)
                                 .arg(formatCount(proof.firstStep), formatCount(proof.lastStep)).arg(proof.former);
        return proof.isCut ? Overview::tr("%1; only these %2 steps were compared").arg(text, formatCount(proof.steps)) : text;
    }
    return Overview::tr("%1 differs from %2 from step %3 on: %4 is %5 instead of %6").arg(proof.later).arg(proof.former)
        .arg(formatCount(proof.first->step), QString::fromStdString(proof.first->metric), formatNumber(proof.first->later, 8), formatNumber(proof.first->former, 8));
}

constexpr int kNarrowestValue = 16;  ///< characters of the column of values: narrower, words would be cut off

/// The memory of the process that uses the most, because that one runs out first. Mapped files are named apart: the system
/// takes their memory back when it needs it.
QString memory(const RunFacts& facts)
{
    const double most = storage::largestLast(facts.series, metric::kResident), mapped = storage::largestLast(facts.series, metric::kMapped);
    if (most <= 0)
        return {};
    const QString text = Overview::tr("%1 in the largest process").arg(formatBytes(std::int64_t(most)));
    return mapped > 0 ? Overview::tr("%1, and %2 of mapped files").arg(text, formatBytes(std::int64_t(mapped))) : text;
}

/// What was said before the start or at it, beside what has become of it, a line each.
/// @param steps of the last attempt that the time is about; 0: nothing is known of it
/// @param elapsed so far, or until the end
QString forecast(const RunFacts& facts, std::int64_t steps, std::chrono::milliseconds elapsed, bool isActive)
{
    QStringList lines;
    if (facts.estimate && steps > 0) {
        const QString time = formatDuration(launcher::timeOf(facts.estimate->trial, steps)), truth = formatDuration(elapsed);
        lines << (isActive ? Overview::tr("%1 for the steps, %2 so far") : Overview::tr("%1 for the steps, was %2")).arg(time, truth);
    }
    const auto peak = std::int64_t(storage::largestLast(facts.series, metric::kPeakAllocated));
    const std::int64_t memory = facts.forecast ? facts.forecast->rankBytes() : facts.estimate ? facts.estimate->forecastBytes : 0;
    if (peak > 0 && memory > 0) {
        const QString needed = formatBytes(memory), truth = formatBytes(peak);
        if (facts.forecast && !facts.forecast->knowsActivations)
            lines << (isActive ? Overview::tr("%1 of memory without activations, %2 so far") : Overview::tr("%1 of memory without activations, was %2"))
                         .arg(needed, truth);
        else
            lines << (isActive ? Overview::tr("%1 of memory, %2 so far") : Overview::tr("%1 of memory, was %2")).arg(needed, truth);
    }
    if (peak > 0 && facts.forecast && (isActive || facts.checkpointBytes > 0))
        lines << (isActive ? Overview::tr("%1 of checkpoints, %2 so far") : Overview::tr("%1 of checkpoints, was %2"))
                     .arg(formatBytes(facts.forecast->checkpointsBytes()), formatBytes(facts.checkpointBytes));
    return lines.join(QLatin1Char('\n'));
}

QString compute(const RunFacts& facts)
{
    const auto teraflops = facts.last(metric::kTeraflops);
    if (!teraflops)
        return {};
    const QString perRank = Overview::tr("%1 TFLOP/s per rank").arg(formatNumber(*teraflops));
    const auto mfu = facts.last(metric::kMfu);
    return mfu ? Overview::tr("%1, %2 of the device's peak").arg(perRank, formatPercent(*mfu)) : perRank;
}

}  // namespace

Overview::Overview(QWidget* parent)
    : QWidget(parent)
    , m_state(new StateBadge(this))
    , m_name(new QLabel(this))
    , m_cause(makeText(this))
    , m_resume(new QPushButton(icon(QStringLiteral("resume")), tr("Resume"), this))
    , m_failure(new QPushButton(tr("What went wrong…"), this))
    , m_progress(new QProgressBar(this))
    , m_judge(makeText(this))
    , m_grid(new QGridLayout)
{
    QFont large = m_name->font();
    large.setPointSizeF(large.pointSizeF() * 1.35);
    large.setBold(true);
    m_name->setFont(large);
    m_name->setWordWrap(true);
    // A name or cause without spaces to wrap at is cut off; it must not push what stands below out of sight.
    for (QLabel* label : {m_name, m_cause})
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(8);
    QFont bold = m_judge->font();
    bold.setBold(true);
    m_judge->setFont(bold);
    m_judge->setObjectName(QStringLiteral("judgeText"));
    m_cause->setObjectName(QStringLiteral("causeText"));
    m_resume->setObjectName(QStringLiteral("resumeButton"));
    m_resume->setToolTip(tr("Continue this run from its latest checkpoint, or from the beginning if it has none"));
    m_resume->hide();
    connect(m_resume, &QPushButton::clicked, this, [this] { Q_EMIT resumeRequested(m_runId); });
    m_failure->setObjectName(QStringLiteral("failureButton"));
    m_failure->hide();
    connect(m_failure, &QPushButton::clicked, this, [this] { Q_EMIT failureRequested(m_runId); });
    m_grid->setHorizontalSpacing(14);
    m_grid->setVerticalSpacing(5);
    m_grid->setColumnStretch(1, 1);
    m_grid->setColumnMinimumWidth(1, fontMetrics().averageCharWidth() * kNarrowestValue);
    const std::initializer_list<std::pair<const char*, QString>> rows = {{"now", tr("Now")}, {"place", tr("Runs in")}, {"step", tr("Step")},
        {metric::kReward, tr("Reward")}, {metric::kLoss, tr("Loss")}, {metric::kValidationLoss, tr("Validation loss")},
        {metric::kGradNorm, tr("Gradient norm")}, {metric::kLr, tr("Learning rate")},
        {metric::kImagesPerSecond, tr("Images per second")}, {"compute", tr("Compute")},
        {metric::kSkippedSteps, tr("Skipped steps")},
        {"memory", tr("Memory")}, {"left", tr("Time left")}, {"took", tr("Duration")}, {"forecast", tr("Forecast")},
        {"started", tr("Started")}, {"resumed", tr("Resumed")}, {"waited", tr("Waited")}, {"last", tr("Last record")}, {"ranks", tr("Processes")},
        {"checkpoints", tr("Checkpoints")}, {"samples", tr("Sample images")}, {"tags", tr("Tags")},
        {"attempts", tr("Attempts")}, {"proof", tr("Resume")}, {"id", tr("Id")}};
    for (const auto& [key, name] : rows)
        addRow(QString::fromLatin1(key), name);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(9);
    layout->addWidget(m_name);
    layout->addWidget(m_state, 0, Qt::AlignLeft);
    layout->addWidget(m_cause);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_resume);
    buttons->addWidget(m_failure);
    buttons->addStretch();
    layout->addLayout(buttons);
    layout->addWidget(m_progress);
    layout->addWidget(m_judge);
    layout->addLayout(m_grid);
    layout->addStretch();
}

void Overview::addRow(const QString& key, const QString& name)
{
    auto* label = new QLabel(name, this);
    QLabel* const value = makeText(this);
    value->setAccessibleName(name);
    value->setObjectName(key);
    // A long text wraps instead of making the dock wider.
    value->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    const int row = m_grid->rowCount();
    m_grid->addWidget(label, row, 0, Qt::AlignTop);
    // An id has no spaces to wrap at, so it gets a separate line.
    if (key == QLatin1String("id"))
        m_grid->addWidget(value, row + 1, 0, 1, 2);
    else
        m_grid->addWidget(value, row, 1);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->hide();
    m_names.insert(key, label);
    m_values.insert(key, value);
}

void Overview::setRow(const QString& key, const QString& value, const QString& toolTip)
{
    QLabel* const label = m_values.value(key);
    if (label->text() != value)
        label->setText(value);
    label->setToolTip(plainToolTip(toolTip));
    label->setVisible(!value.isEmpty());
    m_names.value(key)->setVisible(!value.isEmpty());
}

void Overview::show(const RunEntry& entry, const RunFacts& facts)
{
    m_name->setText(entry.name());
    m_name->setToolTip(plainToolTip(entry.name()));
    m_state->setState(entry.status ? std::optional(entry.status->state) : std::nullopt);
    const QString waits = entry.status ? translatedSentence(entry.status->waitsFor) : QString();
    setTextOrHide(m_cause, waits.isEmpty() ? entry.cause() : tr("Waiting: %1").arg(waits));
    m_runId = entry.id();
    m_resume->setVisible(!entry.cause().isEmpty() && refusal(RunVerb::Resume, entry).isEmpty());
    const bool isStalled = entry.status && entry.status->state == launcher::RunState::Stalled;
    m_failure->setText(isStalled ? tr("Show ranks…") : tr("What went wrong…"));
    m_failure->setToolTip(isStalled ? tr("Show which rank is furthest behind, its last words and what each process does")
                                    : tr("Show which rank failed first, its last words and what the others did"));
    m_failure->setVisible(!entry.cause().isEmpty() && entry.mayHaveFailed());
    m_progress->setVisible(entry.totalSteps() > 0);
    m_progress->setRange(0, 1000);
    if (entry.totalSteps() > 0) {
        // QProgressBar::setValue() paints at once all that has changed in the window, unless updates are off.
        m_progress->setUpdatesEnabled(false);
        m_progress->setValue(int(1000 * entry.progress()));
        m_progress->setUpdatesEnabled(true);
    }
    setRow(QStringLiteral("now"), entry.status ? translatedSentence(entry.status->activity) : QString());
    setRow(QStringLiteral("place"), entry.status ? translatedSentence(entry.status->place) : QString());
    setRow(QStringLiteral("step"), entry.totalSteps() > 0
            ? tr("%1 of %2").arg(formatCount(entry.step()), formatCount(entry.totalSteps()))
            : formatCount(entry.step()));
    setRow(QStringLiteral("id"), entry.id(), entry.folder());
    setRow(QStringLiteral("ranks"), formatCount(entry.row.ranks));
    QStringList tags;
    for (const std::string& tag : entry.row.tags)
        tags << QString::fromStdString(tag);
    setRow(QStringLiteral("tags"), tags.join(QStringLiteral(", ")));
    if (facts.runId != entry.id())
        return hideFactsOfOther(entry.id());
    m_factsOf = entry.id();
    showValues(entry, facts);
    showTimes(entry, facts);
    showAttempts(facts);
}

/// What is shown of another run must not stand below this one's name until its own facts have been read, or when they cannot be.
void Overview::hideFactsOfOther(const QString& runId)
{
    if (m_factsOf == runId)
        return;
    m_factsOf.clear();
    m_judge->hide();
    const QStringList ofEntry = {QStringLiteral("now"), QStringLiteral("place"), QStringLiteral("step"), QStringLiteral("id"), QStringLiteral("ranks"), QStringLiteral("tags")};
    for (auto row = m_values.cbegin(); row != m_values.cend(); ++row) {
        if (!row.value()->isHidden() && !ofEntry.contains(row.key()))
            setRow(row.key(), QStringLiteral("…"));
    }
}

void Overview::showValues(const RunEntry&, const RunFacts& facts)
{
    const auto agreement = facts.last(metric::kJudgeAgreement);
    setTextOrHide(m_judge, agreement
            ? tr("%1 of the samples show what was asked for").arg(formatPercent(*agreement)) : QString());
    if (const auto accuracy = facts.last(metric::kJudgeAccuracy))
        m_judge->setToolTip(tr("A small classifier looked at them. Of real images that it had not seen before, it recognises %1.")
                                .arg(formatPercent(*accuracy)));
    for (const char* name : {metric::kReward, metric::kLoss, metric::kValidationLoss, metric::kGradNorm, metric::kLr,
             metric::kImagesPerSecond}) {
        const auto value = facts.last(name);
        setRow(QString::fromLatin1(name), number(value), value ? formatExact(*value) : QString());
    }
    const auto skipped = facts.last(metric::kSkippedSteps);
    setRow(QString::fromLatin1(metric::kSkippedSteps),
        skipped && *skipped > 0 ? formatCount(std::int64_t(*skipped)) : QString());
    setRow(QStringLiteral("compute"), compute(facts));
    setRow(QStringLiteral("memory"), memory(facts));
    setRow(QStringLiteral("checkpoints"), facts.checkpoints ? formatCount(facts.checkpoints) : QString());
    setRow(QStringLiteral("samples"), facts.samples ? formatCount(facts.samples) : QString());
}

void Overview::showTimes(const RunEntry& entry, const RunFacts& facts)
{
    using std::chrono::milliseconds;
    constexpr double kLongestMs = 4e15;
    const auto now = QDateTime::currentMSecsSinceEpoch();
    const auto last = entry.lastRecordUnixMs();
    setRow(QStringLiteral("last"), last > 0 ? formatAge(last, now) : QString(), formatMoment(last));
    if (facts.attempts.empty())
        return;
    const storage::AttemptRow& attempt = facts.attempts.back();
    const bool isStillWaiting = attempt.ranksStartUnixMs == 0 && entry.status && launcher::isWaiting(entry.status->state);
    const auto begin = storage::beginUnixMs(attempt);
    const auto elapsedMs = isStillWaiting ? 0 : entry.lastRecordUnixMs() - begin;
    const auto waitedMs = isStillWaiting ? now - attempt.startUnixMs : storage::waitedMs(attempt);
    const auto steps = entry.step() - attempt.parentStep;
    const auto setBegin = [&](const QString& row, std::int64_t unixMs, bool isAhead) {
        setRow(row, isAhead ? tr("not yet") : formatAge(unixMs, now), isAhead ? QString() : formatMoment(unixMs));
    };
    const bool isResumed = facts.attempts.size() > 1;
    setBegin(QStringLiteral("started"), storage::beginUnixMs(facts.attempts.front()), isStillWaiting && !isResumed);
    if (isResumed)
        setBegin(QStringLiteral("resumed"), begin, isStillWaiting);
    else
        setRow(QStringLiteral("resumed"), {});
    const QString waited = waitedMs > 0 ? formatDuration(milliseconds(waitedMs)) : QString();
    const bool isQueued = isStillWaiting && entry.status->state == launcher::RunState::Queued;
    setRow(QStringLiteral("waited"), isQueued ? tr("%1 so far").arg(waited) : isStillWaiting ? QString() : waited,
        tr("From %1, when the attempt was prepared, until its ranks started: in the queue, in Slurm's, or for somebody who started it").arg(formatMoment(attempt.startUnixMs)));
    const std::int64_t tookMs = entry.isActive() && elapsedMs > 0 ? std::max<std::int64_t>(elapsedMs, now - begin) : elapsedMs;
    setRow(QStringLiteral("took"), tookMs > 0 ? formatDuration(milliseconds(tookMs)) : QString());
    const auto forecastSteps = (entry.isActive() ? entry.totalSteps() : entry.step()) - attempt.parentStep;
    const bool isTimed = attempt.ranksStartUnixMs > 0 && elapsedMs > 0;
    setRow(QStringLiteral("forecast"), forecast(facts, isTimed ? forecastSteps : 0, milliseconds(elapsedMs), entry.isActive()),
        tr("Memory is that of the largest rank. A time was said by a trial before the start and is that of the steps alone: the start, samples, "
           "checkpoints and validation come on top."));
    const bool canEstimate = entry.isActive() && steps > 0 && elapsedMs > 0 && entry.totalSteps() > entry.step();
    setRow(QStringLiteral("left"), canEstimate
            ? tr("about %1").arg(formatDuration(milliseconds(std::llround(
                  std::min(double(elapsedMs) * double(entry.totalSteps() - entry.step()) / double(steps), kLongestMs)))))
            : QString());
}

void Overview::showAttempts(const RunFacts& facts)
{
    QStringList lines;
    for (const storage::AttemptRow& attempt : facts.attempts)
        lines << describe(attempt);
    setRow(QStringLiteral("attempts"), facts.attempts.size() > 1 ? lines.join(QLatin1Char('\n')) : QString());
    QStringList proofs;
    for (const storage::ResumeProof& proof : facts.proofs)
        proofs << describe(proof);
    setRow(QStringLiteral("proof"), proofs.join(QLatin1Char('\n')), tr("Results that attempts recorded at the same steps, compared bit by bit"));
}

}  // namespace ui
