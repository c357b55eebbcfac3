#include "ui/control/run_control.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/run/origin.h"
#include "launcher/plan/preflight.h"
#include "launcher/remote/protocol.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/start_scheduler.h"
#include "launcher/state/run_state.h"
#include "ui/base/background.h"
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

/// The result of an operation: a run's id and folder, or an error in one sentence.
struct Outcome {
    QString runId;
    QString folder;
    QString error;
    QString notice = {};  ///< see RunControl::resumed()
};

/// Calls @p work, which returns a run folder; turns an exception into an Outcome with its message.
template <typename Work>
Outcome outcomeOf(const QString& runId, Work work)
{
    try {
        const contract::RunFolder folder = work();
        return {QString::fromStdString(folder.id()), QString::fromStdString(folder.root().string()), {}};
    } catch (const std::exception& error) {
        return {runId, {}, translatedSentence(error.what())};
    }
}

contract::RunFolder runFolder(const QString& folder)
{
    return contract::RunFolder(folder.toStdString());
}

/// The last attempt's experiment with @p moreSteps added to run.total_steps; nullopt if @p moreSteps is 0 or the run has no
/// attempt. @throws std::runtime_error if the experiment cannot be read or the sum is not a valid number of steps.
std::optional<contract::Experiment> extendedExperiment(const contract::RunFolder& run, std::int64_t moreSteps)
{
    const std::vector<int> attempts = run.attempts();
    if (moreSteps == 0 || attempts.empty())
        return std::nullopt;
    auto [experiment, problems] = contract::loadExperiment(run.config(attempts.back()));
    if (!problems.empty())
        throw std::runtime_error(run.config(attempts.back()).string() + ": " + problems.front().message);
    const std::int64_t steps = experiment.integer("run.total_steps") + moreSteps;
    if (const auto problem = experiment.setText("run.total_steps", std::to_string(steps)))
        throw std::runtime_error(problem->message);
    return experiment;
}

/// @throws std::runtime_error with the first error of the preflight checks, as the command line does.
void requireReady(const launcher::DataHome& home, const contract::Experiment& experiment)
{
    for (const launcher::PreflightItem& item : launcher::preflight(home, experiment)) {
        if (item.level == launcher::PreflightItem::Level::Error)
            throw std::runtime_error(item.message);
    }
}

/// @throws the same about the next attempt of a run whose last experiment can be read; else what reads it says why not.
void requireReadyToResume(const launcher::DataHome& home, const contract::RunFolder& run, const std::optional<contract::Experiment>& next)
{
    const std::vector<int> attempts = run.attempts();
    if (next)
        requireReady(home, *next);
    else if (!attempts.empty() && contract::whyNoExperiment(run).empty())
        requireReady(home, contract::experimentOf(run, attempts.back()));
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

void RunControl::beginThere(const contract::Experiment& experiment, const std::string& how, void (RunControl::*begun)(const QString&, const QString&))
{
    const auto onReply = [this, begun](const launcher::CommandReply& reply) {
        const QString run = reply.isAccepted ? begunRun(reply.output) : QString();
        if (!run.isEmpty())
            Q_EMIT (this->*begun)(run, QString::fromStdString((m_home.runs() / run.toStdString()).string()));
        else
            Q_EMIT startFailed(reply.isAccepted ? tr("The machine does not say which run it has started.") : translatedSentence(reply.error));
    };
    m_mirror->execute({"run", "-", how, "--json"}, this, onReply, experiment.toToml(contract::Experiment::Write::ChangedOnly));
}

void RunControl::start(const contract::Experiment& experiment)
{
    if (m_mirror)
        return beginThere(experiment, "--detach", &RunControl::started);
    const auto work = [home = m_home, experiment] {
        return outcomeOf({}, [&] {
            home.create();
            requireReady(home, experiment);
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

void RunControl::queue(const contract::Experiment& experiment)
{
    if (m_mirror)
        return beginThere(experiment, "--queue", &RunControl::queued);
    const auto work = [home = m_home, experiment] {
        return outcomeOf({}, [&] {
            home.create();
            requireReady(home, experiment);
            launcher::PreparedRun run = launcher::createRun(home, experiment);
            run.lock.release();  // the scheduler takes it
            launcher::enqueue(home, {launcher::entryFor(run.folder, run.attempt, experiment)});
            return run.folder;
        });
    };
    inBackground(this, work, [this](const Outcome& outcome) {
        if (outcome.error.isEmpty())
            Q_EMIT queued(outcome.runId, outcome.folder);
        else
            Q_EMIT startFailed(outcome.error);
    });
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
            launcher::PreparedRun run = launcher::prepareResume(runFolder(folder), {}, {});
            run.lock.release();
            launcher::enqueue(home, {launcher::entryFor(run.folder, run.attempt, contract::experimentOf(run.folder, run.attempt))});
            return run.folder;
        });
    };
    inBackground(this, work, [this](const Outcome& outcome) {
        if (outcome.error.isEmpty())
            Q_EMIT queued(outcome.runId, outcome.folder);
        else
            Q_EMIT refused(outcome.runId, outcome.error);
    });
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

void RunControl::trash(const QStringList& folders)
{
    for (const QString& folder : folders) {
        const QString id = QString::fromStdString(runFolder(folder).id());
        if (m_mirror) {
            executeThere({"rm", "--yes", id.toStdString()}, [this, id](const QString& error) {
                if (error.isEmpty())
                    Q_EMIT trashed(id);
                else
                    Q_EMIT refused(id, error);
                Q_EMIT trashChangedThere();
            });
            continue;
        }
        const auto work = [home = m_home, folder] {
            return outcomeOf(QString::fromStdString(runFolder(folder).id()), [&] {
                launcher::moveToTrash(home, runFolder(folder));
                return runFolder(folder);
            });
        };
        inBackground(this, work, [this](const Outcome& outcome) {
            if (outcome.error.isEmpty())
                Q_EMIT trashed(outcome.runId);
            else
                Q_EMIT refused(outcome.runId, outcome.error);
        });
    }
}

void RunControl::restore(const std::vector<launcher::TrashItem>& items)
{
    for (const launcher::TrashItem& item : items) {
        if (m_mirror) {
            restoreThere(item);
            continue;
        }
        const auto work = [home = m_home, item] {
            return outcomeOf(QString::fromStdString(item.runId()), [&] {
                launcher::restore(home, item);
                return contract::RunFolder(item.checkpointStep ? item.origin.parent_path().parent_path() : item.origin);
            });
        };
        inBackground(this, work, [this](const Outcome& outcome) {
            if (outcome.error.isEmpty())
                Q_EMIT restored(outcome.runId, outcome.folder);
            else
                Q_EMIT refused(outcome.runId, outcome.error);
        });
    }
}

void RunControl::restoreThere(const launcher::TrashItem& item)
{
    const QString id = QString::fromStdString(item.runId());
    executeThere({"trash", "restore", item.exactName()}, [this, id](const QString& error) {
        if (error.isEmpty())
            Q_EMIT restored(id, QString::fromStdString((m_home.runs() / id.toStdString()).string()));
        else
            Q_EMIT refused(id, error);
        Q_EMIT trashChangedThere();
    });
}

/// @param begin the first that has not been deleted yet
void RunControl::eraseThere(const std::vector<launcher::TrashItem>& items, std::size_t begin, qint64 erasedBytes)
{
    constexpr std::size_t kMost = 400;  // names in one command
    const std::size_t end = std::min(items.size(), begin + kMost);
    std::vector<std::string> command = {"trash", "empty", "--yes", "--json"};
    for (std::size_t i = begin; i < end; ++i)
        command.push_back(items[i].exactName());
    m_mirror->execute(command, this, [this, items, begin, end, erasedBytes](const launcher::CommandReply& reply) {
        const qint64 bytes = erasedBytes + QJsonDocument::fromJson(QByteArray::fromStdString(reply.output))["bytes"].toInteger();
        Q_EMIT trashChangedThere();
        if (!reply.isAccepted)
            Q_EMIT refused(QString::fromStdString(items[begin].runId()), translatedSentence(reply.error));
        if (reply.isAccepted && end < items.size())
            eraseThere(items, end, bytes);
        else
            Q_EMIT erased(static_cast<int>(reply.isAccepted ? end : begin), bytes);
    });
}

void RunControl::erase(const std::vector<launcher::TrashItem>& items)
{
    if (m_mirror && !items.empty())
        return eraseThere(items, 0, 0);
    struct Erased {
        int items = 0;
        std::uint64_t bytes = 0;
        std::vector<Outcome> refused = {};
    };
    const auto work = [home = m_home, items] {
        Erased erased;
        const auto attempt = [&](const QString& runId, const auto& erase) {
            try {
                erase();
                return true;
            } catch (const std::exception& error) {
                erased.refused.push_back({runId, {}, translatedSentence(error.what())});
                return false;
            }
        };
        attempt({}, [&] { launcher::removeRemnants(home); });
        for (const launcher::TrashItem& item : items) {
            const std::uint64_t bytes = launcher::folderBytes(item.place);
            if (!attempt(QString::fromStdString(item.runId()), [&] { launcher::erase(home, item); }))
                continue;
            ++erased.items;
            erased.bytes += bytes;
        }
        return erased;
    };
    inBackground(this, work, [this](const Erased& erased) {
        for (const Outcome& outcome : erased.refused)
            Q_EMIT refused(outcome.runId, outcome.error);
        Q_EMIT this->erased(erased.items, static_cast<qint64>(erased.bytes));
    });
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
