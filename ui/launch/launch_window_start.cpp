// What the launch window does with the experiment: starts it, queues it, or saves it in the queue.
#include "ui/launch/launch_window.h"

#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_side.h"
#include "ui/launch/option_form.h"
#include "ui/launch/option_words.h"
#include "ui/launch/start_bar.h"
#include "ui/launch/sweep_dialog.h"

namespace ui {

void LaunchWindow::connectControl()
{
    const auto finish = [this] {
        if (!isSaving())
            finishStart();
    };
    connect(&m_control, &RunControl::started, this, finish);
    connect(&m_control, &RunControl::queued, this, finish);
    connect(&m_control, &RunControl::startFailed, this, [this](const QString& message) {
        if (!isSaving())
            refuseStart(message);
    });
    if (!m_queued)
        return;
    connect(&m_control, &RunControl::edited, this, [this](const QString& run) {
        if (run == m_queued->name && isSaving())
            finishStart();
    });
    connect(&m_control, &RunControl::editRefused, this, [this](const QString& run, const QString& message) {
        if (run == m_queued->name && isSaving())
            refuseStart(message);
    });
}

void LaunchWindow::finishStart()
{
    if (!m_isBusy)
        return;  // another view has started it
    setBusy(false);
    m_bar->setMessage(QString());
    m_form->clearSearch();
    if (m_draft->toml() == m_startedToml)
        m_draft->markKept();
    close();
}

void LaunchWindow::refuseStart(const QString& message)
{
    if (!m_isBusy)
        return;
    setBusy(false);
    m_bar->setMessage(message);
}

void LaunchWindow::start() { request(false); }

void LaunchWindow::addToQueue() { request(true); }

void LaunchWindow::request(bool isForQueue)
{
    if (m_isBusy)
        return;
    m_isForQueue = isForQueue;
    if (m_draft->isChecking())
        setStartPending(true);
    else
        startIfValid();
}

void LaunchWindow::setStartPending(bool isPending)
{
    m_isStartPending = isPending;
    m_isProblemShown = false;
    m_bar->setWaiting(isPending);
    Q_EMIT actionsChanged();
    m_bar->setMessage(!isPending ? QString()
            : m_isForQueue       ? tr("Added to the queue when the checks have ended.")
            : isSaving()         ? tr("Saved when the checks have ended.")
                                 : tr("Starts when the checks have ended."));
}

QString LaunchWindow::firstProblem() const
{
    if (const auto problems = m_draft->problems(); !problems.empty())
        return translatedSentence(problems.front().message);
    const auto refusals = m_draft->refusals();
    return refusals.empty() ? QString() : translatedSentence(refusals.front().message);
}

void LaunchWindow::goToFirstProblem()
{
    const auto problems = m_draft->problems();
    if (problems.empty())
        m_side->goToCheck(m_draft->refusals().front());
    else if (contract::findOption(problems.front().key))
        m_form->goTo(QString::fromStdString(problems.front().key));
    else
        m_side->goToText(problems.front().line);
}

void LaunchWindow::startIfValid()
{
    if (const QString problem = firstProblem(); !problem.isEmpty()) {
        showProblem(problem);
        return goToFirstProblem();
    }
    if (m_draft->runCount() > 1) {
        if (isSaving())
            return m_bar->setMessage(tr("The run has one value of each option; lists of values make new runs: “Queue as a new run”."));
        return chooseRuns();
    }
    beginStart(m_isForQueue ? tr("Adding to the queue…") : isSaving() ? tr("Saving in the queue…") : tr("Starting…"));
    if (isSaving())
        m_control.editQueued(m_queued->name, m_queued->experiment, m_draft->experiment());
    else if (m_isForQueue)
        m_control.queue(m_draft->experiment());
    else
        m_control.start(m_draft->experiment());
}

void LaunchWindow::beginStart(const QString& message)
{
    setBusy(true);
    m_isProblemShown = false;
    m_startedToml = m_draft->toml();
    m_bar->setMessage(message);
}

/// Shows the runs that the lists make, and queues those that the user wants.
void LaunchWindow::chooseRuns()
{
    auto* const dialog = new SweepDialog(m_draft->experiment(), m_draft->lists(), this);
    connect(dialog, &SweepDialog::chosen, this, [this](const std::vector<contract::Experiment>& experiments) {
        beginStart(tr("Adding to the queue…"));
        m_control.queueAll(experiments);
    });
    dialog->open();
}

void LaunchWindow::showProblem(const QString& message)
{
    m_isProblemShown = !message.isEmpty();
    m_bar->setMessage(withLabels(message));
}

void LaunchWindow::setBusy(bool isBusy)
{
    m_isBusy = isBusy;
    m_bar->setBusy(isBusy);
    Q_EMIT actionsChanged();
}

}  // namespace ui
