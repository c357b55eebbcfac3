#include "ui/launch/draft.h"

#include "engine/contract/experiment/toml_text.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/text.h"
#include "launcher/home/ready_experiments.h"
#include "launcher/remote/plan_answer.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"

#include <QFileInfo>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostRuns = 500;  // of one start, from lists
constexpr std::uint64_t kMaxFileBytes = 1 << 20;  // it is shown and parsed anew at every change

struct Findings {
    std::vector<contract::Problem> problems;
    std::vector<launcher::PreflightItem> preflight;
};

/// Whether a fix opens something about this machine's disk.
bool isOnlyHere(const launcher::PreflightFix& fix)
{
    using enum launcher::PreflightFix::Kind;
    return fix.kind == ChoosePath || fix.kind == OpenTrash || fix.kind == MoveHome;
}

/// What the text of a field gives: several values if a comma and a space stand between them. A comma alone may be a decimal one.
std::vector<std::string> valuesIn(const QString& text, const contract::Option* option)
{
    if (!option || !launcher::mayList(*option) || !text.contains(QLatin1String(", ")))
        return {text.toStdString()};
    std::vector<std::string> values;
    for (const QString& value : text.split(QLatin1String(", ")))
        values.push_back(value.trimmed().toStdString());
    return values;
}

std::optional<contract::Problem> firstProblem(contract::Experiment experiment, const std::string& key, const std::vector<std::string>& values)
{
    for (const std::string& value : values) {
        if (auto problem = experiment.setText(key, value))
            return problem;
    }
    return std::nullopt;
}

QString joined(const std::vector<std::string>& values)
{
    QStringList texts;
    for (const std::string& value : values)
        texts << QString::fromStdString(value);
    return texts.join(QLatin1String(", "));
}

}  // namespace

Draft::Draft(const launcher::DataHome& home, QObject* parent, launcher::Mirror* mirror)
    : QObject(parent)
    , m_home(home)
    , m_mirror(mirror)
{
    for (const launcher::ReadyExperiment& ready : launcher::readyExperiments()) {
        contract::ParsedExperiment parsed = contract::loadExperiment(ready.file);
        if (parsed.problems.empty())
            m_ready.push_back({ready.name, std::move(parsed.experiment)});
    }
    m_checkTimer.setSingleShot(true);
    m_checkTimer.setInterval(150ms);
    connect(&m_checkTimer, &QTimer::timeout, this, &Draft::check);
    if (m_mirror) {
        connect(m_mirror, &launcher::Mirror::linkChanged, this, [this](const launcher::RemoteLink& link) {
            if (link.phase == launcher::RemoteLink::Phase::Connected)
                changed();  // what could not be checked while there was no connection
        });
    }
    changed();
}

void Draft::setField(const QString& key, const QString& text)
{
    const std::string name = key.toStdString();
    if (!m_typing || m_typing->key != key)
        m_typing = Typing {key, {}, m_experiment.value(name), m_toml, m_textProblems};
    m_typing->text = text;
    const std::vector<std::string> values = valuesIn(text, contract::findOption(name));
    m_lists.erase(key);
    if (const auto problem = firstProblem(m_experiment, name, values)) {
        m_invalidTexts.insert(key, text);
        m_invalidReasons.insert(key, translatedSentence(problem->message));
        undoTyping();
        changed();
        return;
    }
    m_experiment.setText(name, values.front());
    if (values.size() > 1)
        m_lists[key] = values;
    m_invalidTexts.remove(key);
    m_invalidReasons.remove(key);
    m_toml = QString::fromStdString(contract::withValue(m_toml.toStdString(), name, m_experiment, m_baseFolder));
    m_textProblems.clear();
    Q_EMIT textChanged();
    changed();
}

// The beginning of an invalid text may have been valid: of "0,001" the 0 was.
void Draft::undoTyping()
{
    m_experiment.set(m_typing->key.toStdString(), m_typing->value);
    if (m_toml == m_typing->toml)
        return;
    m_toml = m_typing->toml;
    m_textProblems = m_typing->textProblems;
    Q_EMIT textChanged();
}

std::vector<launcher::ListedOption> Draft::lists() const
{
    std::vector<launcher::ListedOption> lists;
    for (const contract::Option& option : contract::options()) {
        if (const auto found = m_lists.find(QString::fromUtf8(option.key.data(), qsizetype(option.key.size()))); found != m_lists.end())
            lists.push_back({std::string(option.key), found->second});
    }
    return lists;
}

std::size_t Draft::runCount() const
{
    std::size_t count = 1;
    for (const auto& [key, values] : m_lists)
        count = std::min(count * values.size(), kMostRuns + 1);
    return count;
}

QStringList Draft::listTexts() const
{
    QStringList texts;
    for (const auto& [key, values] : m_lists)
        texts << key + QLatin1Char('=') + joined(values);
    return texts;
}

void Draft::restoreLists(const QStringList& texts)
{
    for (const QString& text : texts) {
        const QString key = text.section(QLatin1Char('='), 0, 0);
        if (contract::findOption(key.toStdString()))
            setField(key, text.section(QLatin1Char('='), 1));
    }
    finishField();
}

void Draft::finishField()
{
    m_typing.reset();
    Q_EMIT fieldsChanged();
}

QString Draft::fieldText(const QString& key) const
{
    if (m_typing && m_typing->key == key)
        return m_typing->text;
    if (const auto list = m_lists.find(key); list != m_lists.end())
        return joined(list->second);
    const auto invalid = m_invalidTexts.find(key);
    return invalid != m_invalidTexts.end()
        ? *invalid : QString::fromStdString(contract::toText(m_experiment.value(key.toStdString())));
}

void Draft::revert(const QString& key)
{
    const contract::Option* const option = contract::findOption(key.toStdString());
    setField(key, QString::fromStdString(contract::toText(option->defaultValue)));
    finishField();
}

void Draft::setToml(const QString& toml)
{
    m_toml = toml;
    m_typing.reset();
    auto parsed = contract::parseExperiment(toml.toStdString(), m_baseFolder);
    // A list stays while the text has its first value.
    std::erase_if(m_lists, [&](const auto& list) {
        return parsed.experiment.value(list.first.toStdString()) != m_experiment.value(list.first.toStdString());
    });
    m_experiment = std::move(parsed.experiment);
    m_textProblems = std::move(parsed.problems);
    m_invalidTexts.clear();
    m_invalidReasons.clear();
    changed();
}

void Draft::load(const QString& file)
{
    std::string content;
    try {
        content = contract::fileContent(file.toStdString(), kMaxFileBytes);
        if (!contract::isUtf8(content))
            throw std::runtime_error(file.toStdString() + ": is not an experiment, because it is not text in UTF-8");
    } catch (const std::runtime_error& error) {
        m_textProblems = {{.key = {}, .message = error.what(), .line = 0}};
        changed();
        return;
    }
    m_baseFolder = folderOf(file);
    m_lists.clear();
    setToml(QString::fromStdString(content));
    Q_EMIT textChanged();
    setOrigin(DraftOrigin::ofFile(m_home, file, m_experiment));
    markKept();
}

void Draft::loadThere(const QString& file, const QString& toml)
{
    m_baseFolder = QFileInfo(file).path().toStdString();
    m_lists.clear();
    setToml(toml);
    Q_EMIT textChanged();
    setOrigin({DraftOrigin::Kind::File, file, m_experiment});
    markKept();
}

/// What paths in a file are relative to. What is installed with Atelier is at another place on another machine.
std::string Draft::folderOf(const QString& file) const
{
    const QString folder = QFileInfo(file).absolutePath();
    const QString here = QString::fromStdString(launcher::resourcesFolder().string()) + QLatin1Char('/');
    if (!m_mirror || m_mirror->link().resources.isEmpty() || !folder.startsWith(here))
        return folder.toStdString();
    return (m_mirror->link().resources + QLatin1Char('/') + folder.mid(here.size())).toStdString();
}

void Draft::moveTo(const std::string& folder)
{
    const QString moved = tomlFor(folder);
    m_baseFolder = folder;
    if (moved == m_toml)
        return;
    m_toml = moved;
    Q_EMIT textChanged();
}

QString Draft::tomlFor(const std::string& folder) const
{
    return m_textProblems.empty() ? QString::fromStdString(contract::withValuesOf(m_toml.toStdString(), m_experiment, folder)) : m_toml;
}

void Draft::setExperiment(const DraftOrigin& origin)
{
    setBaseFolder({});
    m_lists.clear();
    setToml(QString::fromStdString(origin.experiment.toToml(contract::Experiment::Write::ChangedOnly)));
    Q_EMIT textChanged();
    setOrigin(origin);
    markKept();
}

void Draft::setOrigin(const DraftOrigin& origin)
{
    m_origin = origin;
    Q_EMIT originChanged();
}

void Draft::markKept()
{
    m_keptToml = m_toml;
    Q_EMIT fieldsChanged();
}

std::vector<contract::Problem> Draft::problems() const
{
    std::vector<contract::Problem> all;
    for (const contract::Option& option : contract::options()) {
        const QString reason = problemOf(QString::fromUtf8(option.key.data(), qsizetype(option.key.size())));
        if (!reason.isEmpty())
            all.push_back({.key = std::string(option.key), .message = reason.toStdString(), .line = 0});
    }
    const auto addProblemsWithoutField = [&all](const std::vector<contract::Problem>& problems) {
        std::ranges::copy_if(problems, std::back_inserter(all),
            [](const contract::Problem& problem) { return !contract::findOption(problem.key); });
    };
    addProblemsWithoutField(m_textProblems);
    addProblemsWithoutField(m_ruleProblems);
    if (runCount() > kMostRuns)
        all.push_back({.key = lists().back().key, .message = tr("The lists make more than %1 runs.").arg(formatCount(kMostRuns)).toStdString(), .line = 0});
    return all;
}

QString Draft::problemOf(const QString& key) const
{
    const auto invalid = m_invalidReasons.find(key);
    if (invalid != m_invalidReasons.end())
        return *invalid;
    for (const auto* problems : {&m_textProblems, &m_ruleProblems}) {
        const auto found = std::ranges::find(*problems, key.toStdString(), &contract::Problem::key);
        if (found != problems->end())
            return translatedSentence(found->message);
    }
    return {};
}

bool Draft::isChanged(const QString& key) const
{
    return m_invalidTexts.contains(key) || m_lists.contains(key) || m_experiment.isChanged(key.toStdString());
}

std::string_view Draft::missingCondition(const contract::Option& option) const
{
    for (const std::string_view condition : contract::conditionsOf(option)) {
        const contract::Option& other = *contract::findOption(condition.substr(0, condition.find('=')));
        if (const std::string_view missing = missingCondition(other); !missing.empty())
            return missing;
        if (!contract::isMet(condition, contract::toText(m_experiment.value(other.key))))
            return condition;
    }
    return {};
}

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
    const auto work = [home = m_home, experiment = m_experiment] {
        return Findings {experiment.validate(), launcher::preflight(home, experiment)};
    };
    inBackground(this, work, [this, generation = m_generation](Findings findings) {
        if (generation != m_generation)
            return;
        takeFindings(std::move(findings.problems), std::move(findings.preflight));
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
