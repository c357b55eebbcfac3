// Checks the draft in the background: rules that span options, files, GPUs and disk; here or on the machine where it will run.
#include "ui/launch/draft.h"

#include "launcher/remote/plan_answer.h"
#include "ui/base/background.h"
#include "ui/language/outside_text.h"

#include <exception>
#include <utility>

namespace ui {
namespace {

std::vector<contract::Problem> problemsIn(const std::vector<launcher::PreflightItem>& items)
{
    std::vector<contract::Problem> problems;
    for (const launcher::PreflightItem& item : items) {
        if (item.what == launcher::kExperimentCheck && item.level == launcher::PreflightItem::Level::Error)
            problems.push_back({.key = item.key, .message = item.message, .line = 0});
    }
    return problems;
}

/// Whether a fix opens something about this machine's disk.
bool isOnlyHere(const launcher::PreflightFix& fix)
{
    using enum launcher::PreflightFix::Kind;
    return fix.kind == ChoosePath || fix.kind == OpenTrash || fix.kind == MoveHome;
}

}  // namespace

void Draft::changed()
{
    ++m_generation;
    m_checkTimer.start();
    Q_EMIT fieldsChanged();
}

// In the background, because files and disks can be slow.
void Draft::check()
{
    if (m_mirror)
        return checkThere();
    const auto work = [home = m_home, experiment = m_experiment] { return launcher::preflight(home, experiment); };
    inBackground(this, work, [this, generation = m_generation](std::vector<launcher::PreflightItem> items) {
        if (generation != m_generation)
            return;
        auto problems = problemsIn(items);
        takeFindings(std::move(problems), std::move(items));
    });
}

void Draft::takeFindings(std::vector<contract::Problem> problems, std::vector<launcher::PreflightItem> preflight)
{
    m_checkedGeneration = m_generation;
    m_ruleProblems = std::move(problems);
    m_preflight = std::move(preflight);
    Q_EMIT fieldsChanged();
    Q_EMIT checked();
}

/// Files, GPUs and disk are that machine's, so nothing is checked on this one.
void Draft::checkThere()
{
    if (m_asked != 0)
        return m_mirror->cancel(m_asked);  // asked again when the answer comes
    const auto onReply = [this, generation = m_generation](const launcher::CommandReply& reply) {
        m_asked = 0;
        if (generation != m_generation) {
            if (!m_checkTimer.isActive())
                checkThere();
            return;
        }
        std::string error = reply.error;
        try {
            if (reply.isAccepted) {
                launcher::PlanAnswer answer = launcher::planAnswer(reply.output);
                for (launcher::PreflightItem& item : answer.checks)
                    std::erase_if(item.fixes, isOnlyHere);
                return takeFindings(std::move(answer.problems), std::move(answer.checks));
            }
        } catch (const std::exception& wrong) {
            error = wrong.what();
        }
        const std::string sentence = tr("%1 cannot check the experiment: %2")
            .arg(QString::fromStdString(m_mirror->host().text()), translatedSentence(error)).toStdString();
        takeFindings({{.key = {}, .message = sentence, .line = 0}}, {{launcher::PreflightItem::Level::Error, "Connection", sentence}});
    };
    m_asked = m_mirror->execute({"plan", "-", "--checks", "--json"}, this, onReply, m_experiment.toToml(contract::Experiment::Write::ChangedOnly));
}

}  // namespace ui
