#include "ui/launch/trial_view.h"

#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "launcher/plan/trial.h"
#include "launcher/remote/plan_answer.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"

#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QLocale>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

namespace ui {
namespace {

struct TrialAnswer {
    std::optional<launcher::Estimate> estimate;  ///< nullopt: cancelled or failed
    QString problem;
};

/// Calls @p call on the GUI thread if @p view still exists.
template <typename Call>
void onGuiThread(const QPointer<TrialView>& view, Call call)
{
    QMetaObject::invokeMethod(QCoreApplication::instance(), [view, call = std::move(call)] {
        if (view)
            call();
    }, Qt::QueuedConnection);
}

/// "the start, 5 drawings of samples and 2 checkpoints"
QString notIncluded(const contract::Experiment& experiment)
{
    const launcher::NotInSteps left = launcher::notInSteps(experiment);
    QStringList parts = {TrialView::tr("the start")};
    if (left.samplings > 0)
        parts << formatCounted(left.samplings, TrialView::tr("1 drawing of samples"), TrialView::tr("%Ln drawings of samples", nullptr, pluralCount(left.samplings)));
    if (left.checkpoints > 0)
        parts << formatCounted(left.checkpoints, TrialView::tr("1 checkpoint"), TrialView::tr("%Ln checkpoints", nullptr, pluralCount(left.checkpoints)));
    if (left.validations > 0)
        parts << formatCounted(left.validations, TrialView::tr("1 validation"), TrialView::tr("%Ln validations", nullptr, pluralCount(left.validations)));
    return QLocale().createSeparatedList(parts);
}

}  // namespace

TrialView::TrialView(const launcher::DataHome& home, Draft& draft, QWidget* parent)
    : QWidget(parent)
    , m_home(home)
    , m_draft(draft)
    , m_try(new QPushButton(this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_progress(new QProgressBar(this))
    , m_note(new QLabel(this))
    , m_result(new QLabel(this))
{
    m_thread.setMaxThreadCount(1);
    m_try->setObjectName(QStringLiteral("trialStart"));
    m_cancel->setObjectName(QStringLiteral("trialCancel"));
    m_progress->setObjectName(QStringLiteral("trialProgress"));
    m_progress->setAccessibleName(tr("Steps of the trial"));
    m_note->setObjectName(QStringLiteral("trialNote"));
    m_result->setObjectName(QStringLiteral("trialResult"));
    for (QLabel* text : {m_note, m_result}) {
        text->setWordWrap(true);
        text->setTextFormat(Qt::PlainText);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    auto* const row = new QHBoxLayout;
    row->addWidget(m_try);
    row->addWidget(m_progress, 1);
    row->addWidget(m_cancel);
    row->addStretch();
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(m_note);
    layout->addWidget(m_result);
    connect(m_try, &QPushButton::clicked, this, &TrialView::start);
    connect(m_cancel, &QPushButton::clicked, this, &TrialView::cancel);
    connect(&m_draft, &Draft::checked, this, &TrialView::refresh);
    refresh();
}

TrialView::~TrialView() { cancel(); }

void TrialView::hideEvent(QHideEvent* event)
{
    // Another tab may be looked at meanwhile; a window that is closed wants no more.
    if (!event->spontaneous() && !window()->isVisible())
        cancel();
    QWidget::hideEvent(event);
}

void TrialView::awaitForecast()
{
    m_isForecastAwaited = true;
    refresh();
}

void TrialView::setForecast(const std::optional<launcher::Forecast>& forecast, const std::optional<launcher::Estimate>& known)
{
    m_isForecastAwaited = false;
    m_forecast = forecast;
    if (known && !m_isTrying) {
        m_estimate = known;
        m_tried = launcher::paceKey(m_draft.experiment());
    }
    refresh();
}

void TrialView::start()
{
    if (m_isTrying || !m_try->isEnabled())
        return;
    m_isTrying = true;
    m_estimate.reset();
    m_note->clear();
    m_tried = launcher::paceKey(m_draft.experiment());
    if (m_draft.mirror())
        startThere();
    else
        startHere();
    m_progress->setRange(0, 0);
    refresh();
    m_cancel->setFocus();
}

void TrialView::startHere()
{
    m_isCancelled = std::make_shared<std::atomic<bool>>(false);
    const contract::Experiment experiment = m_draft.experiment();
    const launcher::TrialCallbacks callbacks {
        .report = [this, view = QPointer(this)](const launcher::TrialProgress& progress) {
            onGuiThread(view, [this, progress] { showProgress(progress); });
        },
        .isCancelled = [flag = m_isCancelled] { return flag->load(); }};
    const auto work = [home = m_home, experiment, callbacks, forecast = m_forecast] {
        try {
            const auto trial = launcher::tryExperiment(home, experiment, callbacks);
            if (!trial)
                return TrialAnswer {};
            const launcher::Estimate estimate {*trial, forecast ? forecast->rankBytes() : 0, forecast ? forecast->checkpointCopyBytes() : 0};
            launcher::keepEstimate(home, experiment, estimate);
            return TrialAnswer {estimate, {}};
        } catch (const std::exception& error) {
            return TrialAnswer {std::nullopt, translatedSentence(error.what())};
        }
    };
    inBackground(this, work, [this](const TrialAnswer& answer) { finish(answer.estimate, answer.problem); }, m_thread);
}

void TrialView::startThere()
{
    const auto onReply = [this](const launcher::CommandReply& reply) {
        if (reply.isCancelled)
            return finish({}, {});
        if (!reply.isAccepted)
            return finish({}, translatedSentence(reply.error));
        try {
            const auto estimate = launcher::planAnswer(reply.output).estimate;
            finish(estimate, estimate ? QString() : tr("The machine does not say what it has measured."));
        } catch (const std::exception& error) {
            finish({}, translatedSentence(error.what()));
        }
    };
    m_command = m_draft.mirror()->execute({"plan", "-", "--trial", "--progress", "--json"}, this, onReply,
        m_draft.experiment().toToml(contract::Experiment::Write::ChangedOnly), [this](const std::string& text) { showProgress(launcher::progressOf(text)); });
}

void TrialView::cancel()
{
    if (!m_isTrying)
        return;
    if (m_draft.mirror())
        m_draft.mirror()->cancel(m_command);
    else
        *m_isCancelled = true;
}

void TrialView::showProgress(const launcher::TrialProgress& progress)
{
    if (!m_isTrying)
        return;
    m_progress->setRange(0, progress.steps > 0 ? int(progress.of) : 0);
    m_progress->setValue(int(progress.steps));
    m_note->setText(progress.steps > 0 ? tr("Step %1 of %2").arg(progress.steps).arg(progress.of)
                                       : tr("Rank 0 %1").arg(translatedSentence(progress.doing)));
}

void TrialView::finish(const std::optional<launcher::Estimate>& estimate, const QString& problem)
{
    m_isTrying = false;
    m_estimate = estimate;
    m_note->setText(problem.isEmpty() && !estimate ? tr("The trial was cancelled.") : problem);
    const bool hadFocus = m_cancel->hasFocus();
    refresh();
    if (hadFocus)
        m_try->setFocus();
    Q_EMIT ended();
}

QString TrialView::resultText() const
{
    using std::chrono::milliseconds;
    const contract::Experiment& experiment = m_draft.experiment();
    const launcher::Trial& trial = m_estimate->trial;
    const std::int64_t steps = experiment.integer("run.total_steps");
    const QString step = formatDuration(milliseconds(std::llround(trial.stepMs)));
    const QString pace = trial.isRound ? tr("%1 a step in a round of %2").arg(step, formatCount(trial.steps))
                                       : tr("%1 a step, the median of %2 after the first").arg(step, formatCount(trial.steps));
    QString text = tr("%1 take about %2: %3.").arg(formatCounted(steps, tr("1 step"), tr("%Ln steps", nullptr, pluralCount(steps))), formatDuration(launcher::timeOf(trial, steps)), pace)
        + QLatin1Char(' ') + tr("Not included: %1.").arg(notIncluded(experiment));
    if (trial.peakBytes > 0 && m_estimate->forecastBytes > 0)
        text += QLatin1Char('\n') + tr("The largest rank needed %1 in the trial; forecast, without the copy for a checkpoint: %2.")
            .arg(formatBytes(trial.peakBytes), formatBytes(m_estimate->forecastBytes - m_estimate->checkpointCopyBytes));
    return text;
}

void TrialView::refresh()
{
    const bool isRound = contract::isPolicyAlgorithm(m_draft.experiment().text("algorithm.name"));
    m_try->setText(isRound ? tr("&Try one round") : tr("&Try three steps"));
    QString reason;
    if (!m_draft.problems().empty())
        reason = tr("A trial needs an experiment without problems.");
    else if (contract::isForSlurm(m_draft.experiment()))
        reason = tr("The run is for Slurm. A trial outside of it would not say how long its steps take.");
    m_try->setEnabled(reason.isEmpty() && !m_draft.isChecking() && !m_isForecastAwaited && !m_isTrying);
    m_try->setToolTip(reason.isEmpty() ? tr("Train a few steps with the real processes, to say how long the run will take; nothing is left of them") : reason);
    m_try->setVisible(!m_isTrying);
    m_progress->setVisible(m_isTrying);
    m_cancel->setVisible(m_isTrying);
    const bool isOfDraft = m_estimate && m_draft.problems().empty() && launcher::paceKey(m_draft.experiment()) == m_tried;
    m_result->setText(isOfDraft ? resultText() : m_estimate ? tr("The settings have changed since the trial.") : QString());
    m_result->setVisible(!m_result->text().isEmpty());
    m_note->setVisible(!m_note->text().isEmpty());
    if (m_isTrying)
        m_note->show();
}

}  // namespace ui
