#include "app/mcp/tool_runner.h"

#include "engine/contract/formats/text.h"
#include "launcher/base/program_path.h"

#include <algorithm>

namespace app {
namespace {

constexpr std::size_t kMostAtOnce = 4;
constexpr std::size_t kMostOutputBytes = 64'000'000;  // from which an answer takes a part
constexpr std::size_t kMostErrorBytes = 10'000;

/// The sentence of "error: …", the last line of a command that has failed; all of it when there is none.
std::string sentenceIn(const std::string& errors)
{
    const std::size_t at = errors.rfind("error: ");
    std::string text = at == std::string::npos ? errors : errors.substr(at + 7);
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

}  // namespace

ToolRunner::~ToolRunner()
{
    while (!m_running.empty())
        abandon(m_running.begin()->first);
}

void ToolRunner::start(const std::string& key, const std::vector<std::string>& arguments, std::chrono::minutes longest, OnEnd onEnd)
{
    auto job = std::make_unique<Job>();
    job->key = key;
    job->arguments = arguments;
    job->longest = longest;
    job->onEnd = std::move(onEnd);
    m_waiting.push_back(std::move(job));
    startNext();
}

void ToolRunner::startNext()
{
    while (m_running.size() < kMostAtOnce && !m_waiting.empty()) {
        Job& job = *m_waiting.front();
        m_running[job.key] = std::move(m_waiting.front());
        m_waiting.pop_front();
        QStringList arguments;
        for (const std::string& argument : job.arguments)
            arguments << QString::fromStdString(argument);
        QObject::connect(&job.process, &QProcess::readyReadStandardOutput, &m_context, [this, &job] { collect(job); });
        const auto finishLater = [this, key = job.key] { finish(key); };
        QObject::connect(&job.process, &QProcess::finished, &m_context, finishLater, Qt::QueuedConnection);
        QObject::connect(&job.process, &QProcess::errorOccurred, &m_context, [this, &job, finishLater](QProcess::ProcessError error) {
            if (error != QProcess::FailedToStart)
                return;
            job.problem = "the command cannot be started: " + job.process.errorString().toStdString();
            QMetaObject::invokeMethod(&m_context, finishLater, Qt::QueuedConnection);
        });
        QObject::connect(&job.limit, &QTimer::timeout, &m_context, [this, &job] { end(job, "the command has not ended in time"); });
        job.limit.start(job.longest);
        job.process.setStandardInputFile(QProcess::nullDevice());
        job.process.start(QString::fromStdString(launcher::programPath("atelier")), arguments);
    }
}

void ToolRunner::collect(Job& job)
{
    job.output += job.process.readAllStandardOutput().toStdString();
    if (job.output.size() > kMostOutputBytes)
        end(job, "the command prints more than " + std::to_string(kMostOutputBytes) + " bytes; ask for less, for example for fewer steps, lines or runs");
}

void ToolRunner::end(Job& job, const std::string& problem)
{
    job.problem = problem;
    job.process.kill();
}

void ToolRunner::cancel(const std::string& key)
{
    std::erase_if(m_waiting, [&](const auto& job) { return job->key == key; });
    abandon(key);
    startNext();
}

void ToolRunner::abandon(const std::string& key)
{
    const auto job = m_running.find(key);
    if (job == m_running.end())
        return;
    QProcess& process = job->second->process;
    process.disconnect();
    process.kill();
    process.waitForFinished(1000);
    m_running.erase(job);
}

void ToolRunner::finish(const std::string& key)
{
    const auto found = m_running.find(key);
    if (found == m_running.end() || found->second->process.state() != QProcess::NotRunning)
        return;  // the end of one that was cancelled
    const std::unique_ptr<Job> job = std::move(found->second);
    m_running.erase(found);
    job->output += job->process.readAllStandardOutput().toStdString();
    const std::string errors = job->process.readAllStandardError().toStdString();
    ToolOutcome outcome;
    if (!job->problem.empty())
        outcome = {true, job->problem, {}};
    else if (job->process.exitStatus() != QProcess::NormalExit)
        outcome = {true, "the command was ended by a signal", {}};
    else if (job->process.exitCode() != 0 && (job->output.empty() || errors.find("error: ") != std::string::npos))
        outcome = {true, contract::shortened(sentenceIn(errors), kMostErrorBytes), {}};
    else
        outcome = {false, job->output, contract::shortened(errors, kMostErrorBytes)};
    job->onEnd(outcome);
    startNext();
}

}  // namespace app
