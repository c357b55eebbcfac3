#include "ui/control/run_control.h"

#include "launcher/launch.h"
#include "ui/base/background.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ui {
namespace {

/// What came of a piece of work: an id with its folder, or an error in one sentence.
struct Outcome {
    QString runId;
    QString folder;
    QString error;
};

template <typename Work>
Outcome attempt(const QString& runId, Work work)
{
    try {
        const contract::RunFolder folder = work();
        return {QString::fromStdString(folder.id()), QString::fromStdString(folder.root().string()), {}};
    } catch (const std::exception& error) {
        return {runId, {}, QString::fromUtf8(error.what())};
    }
}

contract::RunFolder runFolder(const QString& folder)
{
    return contract::RunFolder(folder.toStdString());
}

/// The last attempt's with more steps; none when there are to be no more. @throws std::runtime_error.
std::optional<contract::Experiment> longerExperiment(const contract::RunFolder& run, std::int64_t moreSteps)
{
    const std::vector<int> attempts = run.attempts();
    if (moreSteps == 0 || attempts.empty())
        return std::nullopt;
    contract::Experiment experiment = contract::loadExperiment(run.config(attempts.back())).experiment;
    const std::int64_t steps = experiment.integer("run.total_steps") + moreSteps;
    if (const auto problem = experiment.setText("run.total_steps", std::to_string(steps)))
        throw std::runtime_error(problem->message);
    return experiment;
}

}  // namespace

RunControl::RunControl(const launcher::DataHome& home, QObject* parent)
    : QObject(parent)
    , m_home(home)
{
}

void RunControl::start(const contract::Experiment& experiment)
{
    const auto work = [home = m_home, experiment] {
        return attempt({}, [&] {
            home.create();
            const launcher::PreparedRun run = launcher::createRun(home, experiment);
            launcher::startSupervisor(run.folder);
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

void RunControl::resume(const QString& folder, std::optional<std::int64_t> step, std::int64_t moreSteps)
{
    const QString id = QString::fromStdString(runFolder(folder).id());
    const auto work = [id, folder, step, moreSteps] {
        return attempt(id, [&] {
            const launcher::PreparedRun run
                = launcher::prepareResume(runFolder(folder), step, longerExperiment(runFolder(folder), moreSteps));
            launcher::startSupervisor(run.folder);
            return run.folder;
        });
    };
    inBackground(this, work, [this](const Outcome& outcome) {
        if (outcome.error.isEmpty())
            Q_EMIT resumed(outcome.runId);
        else
            Q_EMIT refused(outcome.runId, outcome.error);
    });
}

void RunControl::send(const QString& folder, launcher::ControlCommand command)
{
    const QString id = QString::fromStdString(runFolder(folder).id());
    launcher::sendCommandAsync(m_home, runFolder(folder), command, this,
        [this, id, command](const launcher::ControlReply& reply) {
            if (reply.isAccepted)
                Q_EMIT acknowledged(id, command);
            else
                Q_EMIT refused(id, QString::fromStdString(reply.error));
        });
}

void RunControl::trash(const QStringList& folders)
{
    for (const QString& folder : folders) {
        const auto work = [home = m_home, folder] {
            return attempt(QString::fromStdString(runFolder(folder).id()), [&] {
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

void RunControl::restore(const QStringList& runIds)
{
    for (const QString& id : runIds) {
        const auto work = [home = m_home, id] {
            return attempt(id, [&] { return launcher::restoreFromTrash(home, id.toStdString()); });
        };
        inBackground(this, work, [this](const Outcome& outcome) {
            if (outcome.error.isEmpty())
                Q_EMIT restored(outcome.runId, outcome.folder);
            else
                Q_EMIT refused(outcome.runId, outcome.error);
        });
    }
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
