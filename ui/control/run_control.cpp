#include "ui/control/run_control.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/run/origin.h"
#include "launcher/plan/preflight.h"
#include "launcher/remote/protocol.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/edit_queued.h"
#include "launcher/scheduler/start_scheduler.h"
#include "launcher/state/run_state.h"
#include "ui/base/background.h"
#include "ui/control/outcome.h"
#include "ui/language/outside_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ui {
namespace {

/// The last attempt's experiment with @p moreSteps added to run.total_steps; nullopt if @p moreSteps is 0 or the run has no
/// attempt. @throws std::runtime_error if the experiment cannot be read or the sum is not a valid number of steps.
std::optional<contract::Experiment> extendedExperiment(const contract::RunFolder& run, std::int64_t moreSteps)
{
    const std::vector<int> attempts = run.attempts();
    if (moreSteps == 0 || attempts.empty())
        return std::nullopt;
    contract::Experiment experiment = contract::experimentOf(run, attempts.back());
    const std::int64_t steps = experiment.integer("run.total_steps") + moreSteps;
    if (const auto problem = experiment.setText("run.total_steps", std::to_string(steps)))
        throw std::runtime_error(problem->message);
    return experiment;
}

/// @throws std::runtime_error with the first error of the preflight checks, as the command line does.
void requireReady(const launcher::DataHome& home, const std::vector<contract::Experiment>& experiments)
{
    for (const std::vector<launcher::PreflightItem>& ofRun : launcher::preflightAll(home, experiments)) {
        for (const launcher::PreflightItem& item : ofRun) {
            if (item.level == launcher::PreflightItem::Level::Error)
                throw std::runtime_error(item.message);
        }
    }
}

/// @throws the same about the next attempt of a run whose last experiment can be read; else what reads it says why not.
void requireReadyToResume(const launcher::DataHome& home, const contract::RunFolder& run, const std::optional<contract::Experiment>& next)
{
    const std::vector<int> attempts = run.attempts();
    if (next)
        requireReady(home, {*next});
    else if (!attempts.empty() && contract::whyNoExperiment(run).empty())
        requireReady(home, {contract::experimentOf(run, attempts.back())});
}

/// The id of the run in what `atelier run - --json` has printed, with --queue a list; empty when there is none.
QString begunRun(const std::string& output)
{
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(output));
    const QJsonObject run = document.isArray() ? document.array().at(0).toObject() : document.object();
    const QString id = run.value(QLatin1String("run")).toString();
    return launcher::isRunName(id.toStdString()) ? id : QString();
}

}  // namespace

RunControl::RunControl(const launcher::DataHome& home, launcher::Mirror* mirror, QObject* parent)
    : QObject(parent)
    , m_home(home)
    , m_mirror(mirror)
{
}

void RunControl::executeThere(const std::vector<std::string>& arguments, std::function<void(const QString& error)> done)
{
    m_mirror->execute(arguments, this, [done = std::move(done)](const launcher::ControlReply& reply) {
        done(reply.isAccepted ? QString() : translatedSentence(reply.error));
    });
}

void RunControl::startThere(const contract::Experiment& experiment)
{
    const auto onReply = [this](const launcher::CommandReply& reply) {
        if (const QString run = begunBy(reply); !run.isEmpty())
            Q_EMIT started(run, folderThere(run));
    };
    m_mirror->execute({"run", "-", "--detach", "--json"}, this, onReply, experiment.toToml(contract::Experiment::Write::ChangedOnly));
}

/// The id of the run that a command there has begun; empty after startFailed().
QString RunControl::begunBy(const launcher::CommandReply& reply)
{
    const QString run = reply.isAccepted ? begunRun(reply.output) : QString();
    if (run.isEmpty())
        Q_EMIT startFailed(reply.isAccepted ? tr("The machine does not say which run it has started.") : translatedSentence(reply.error));
    return run;
}

QString RunControl::folderThere(const QString& run) const { return QString::fromStdString((m_home.runs() / run.toStdString()).string()); }

void RunControl::start(const contract::Experiment& experiment)
{
    if (m_mirror)
        return startThere(experiment);
    const auto work = [home = m_home, experiment] {
        return outcomeOf({}, [&] {
            home.create();
            requireReady(home, {experiment});
            launcher::PreparedRun run = launcher::createRun(home, experiment);
            launcher::startPrepared(run);
            return run.folder;
        });
    };
    inBackground(this, work, [this](const Outcome& outcome) {
        if (outcome.error.isEmpty())
            Q_EMIT started(outcome.runId, outcome.folder);
        else
            Q_EMIT startFailed(outcome.error);
    });
}

void RunControl::queue(const contract::Experiment& experiment) { queueAll({experiment}); }

void RunControl::queueAll(const std::vector<contract::Experiment>& experiments)
{
    if (m_mirror)
        return queueAllThere(experiments, 0);
    struct Queued {
        std::vector<contract::RunFolder> runs = {};
        QString error = {};
    };
    const auto work = [home = m_home, experiments] {
        Queued queued;
        try {
            home.create();
            requireReady(home, experiments);
            std::vector<launcher::QueueEntry> entries;
            std::vector<launcher::PreparedRun> prepared;
            for (const contract::Experiment& experiment : experiments) {
                const launcher::PreparedRun& run = prepared.emplace_back(launcher::createRun(home, experiment));
                entries.push_back(launcher::entryFor(run.folder, run.attempt, experiment));
                queued.runs.push_back(run.folder);
            }
            launcher::enqueue(home, entries, std::move(prepared));
        } catch (const std::exception& error) {
            queued.error = translatedSentence(error.what());
        }
        return queued;
    };
    inBackground(this, work, [this](const Queued& queued) {
        if (!queued.error.isEmpty())
            return Q_EMIT startFailed(queued.error);
        for (const contract::RunFolder& run : queued.runs)
            Q_EMIT this->queued(QString::fromStdString(run.id()), QString::fromStdString(run.root().string()));
    });
}

void RunControl::queueAllThere(const std::vector<contract::Experiment>& experiments, std::size_t begin)
{
    if (begin == experiments.size())
        return;
    const auto onReply = [this, experiments, begin](const launcher::CommandReply& reply) {
        const QString run = begunBy(reply);
        if (run.isEmpty())
            return;
        Q_EMIT queued(run, folderThere(run));
        queueAllThere(experiments, begin + 1);
    };
    m_mirror->execute({"run", "-", "--queue", "--json"}, this, onReply, experiments[begin].toToml(contract::Experiment::Write::ChangedOnly));
}

void RunControl::queueRun(const QString& folder)
{
    if (m_mirror) {
        const QString id = QString::fromStdString(runFolder(folder).id());
        return executeThere({"queue", "add", id.toStdString(), "--json"}, [this, id, folder](const QString& error) {
            if (error.isEmpty())
                Q_EMIT queued(id, folder);
            else
                Q_EMIT refused(id, error);
        });
    }
    const auto work = [home = m_home, folder] {
        return outcomeOf(QString::fromStdString(runFolder(folder).id()), [&] {
            requireReadyToResume(home, runFolder(folder), {});
            std::vector<launcher::PreparedRun> prepared;
            const launcher::PreparedRun& run = prepared.emplace_back(launcher::prepareForQueue(home, runFolder(folder), {}, {}));
            const contract::RunFolder root = run.folder;
            const auto entry = launcher::entryFor(root, run.attempt, contract::experimentOf(root, run.attempt));
            launcher::enqueue(home, {entry}, std::move(prepared));
            return root;
        });
    };
    inBackground(this, work, [this](const Outcome& outcome) {
        if (outcome.error.isEmpty())
            Q_EMIT queued(outcome.runId, outcome.folder);
        else
            Q_EMIT refused(outcome.runId, outcome.error);
    });
}

void RunControl::editQueued(const QString& runId, const contract::Experiment& before, const contract::Experiment& after)
{
    const auto finish = [this, runId](const QString& error) {
        if (error.isEmpty())
            Q_EMIT edited(runId, folderThere(runId));
        else
            Q_EMIT editRefused(runId, error);
    };
    if (m_mirror) {
        m_mirror->execute({"queue", "edit", runId.toStdString(), "-", "--json"}, this,
            [finish](const launcher::CommandReply& reply) { finish(reply.isAccepted ? QString() : translatedSentence(reply.error)); },
            after.toToml(contract::Experiment::Write::ChangedOnly));
        return;
    }
    const auto work = [home = m_home, runId, before, after] {
        return outcomeOf(runId, [&] {
            requireReady(home, {after});
            launcher::editQueued(home, runId.toStdString(), before, after);
            launcher::ensureScheduler(home);
            return contract::RunFolder(home.runs() / runId.toStdString());
        });
    };
    inBackground(this, work, [finish](const Outcome& outcome) { finish(outcome.error); });
}

void RunControl::resume(const QString& folder, std::optional<std::int64_t> step, std::int64_t moreSteps)
{
    const QString id = QString::fromStdString(runFolder(folder).id());
    if (m_mirror) {
        std::vector<std::string> words = {"resume", id.toStdString(), "--detach"};
        if (step)
            words.insert(words.end(), {"--from", std::to_string(*step)});
        if (moreSteps > 0)
            words.insert(words.end(), {"--set", "run.total_steps=" + std::to_string(launcher::inspectRun(runFolder(folder)).totalSteps + moreSteps)});
        return executeThere(words, [this, id](const QString& error) {
            if (error.isEmpty())
                Q_EMIT resumed(id, {});
            else
                Q_EMIT refused(id, error);
        });
    }
    const auto work = [home = m_home, id, folder, step, moreSteps] {
        QString notice;
        Outcome outcome = outcomeOf(id, [&] {
            const auto next = extendedExperiment(runFolder(folder), moreSteps);
            requireReadyToResume(home, runFolder(folder), next);
            launcher::PreparedRun run = launcher::prepareResume(runFolder(folder), step, next);
            notice = translatedSentence(run.notice);
            launcher::startPrepared(run);
            return run.folder;
        });
        outcome.notice = notice;
        return outcome;
    };
    inBackground(this, work, [this](const Outcome& outcome) {
        if (outcome.error.isEmpty())
            Q_EMIT resumed(outcome.runId, outcome.notice);
        else
            Q_EMIT refused(outcome.runId, outcome.error);
    });
}

void RunControl::send(const QString& folder, launcher::ControlCommand command)
{
    const QString id = QString::fromStdString(runFolder(folder).id());
    const auto onReply = [this, id, command](const launcher::ControlReply& reply) {
        if (reply.isAccepted)
            Q_EMIT acknowledged(id, command);
        else
            Q_EMIT refused(id, translatedSentence(reply.error));
    };
    if (m_mirror)
        m_mirror->send(id.toStdString(), command, this, onReply);
    else
        launcher::sendCommandAsync(m_home, runFolder(folder), command, this, onReply);
}

QString RunControl::commandWord(launcher::ControlCommand command)
{
    switch (command) {
    case launcher::ControlCommand::Stop:
        return tr("Stop");
    case launcher::ControlCommand::StopNow:
        return tr("Stop now");
    case launcher::ControlCommand::Kill:
        return tr("Kill");
    case launcher::ControlCommand::Checkpoint:
        return tr("Checkpoint");
    case launcher::ControlCommand::Sample:
        return tr("Sample");
    case launcher::ControlCommand::Ping:
        break;
    }
    return tr("Ping");
}

}  // namespace ui
