#include "ui/launch/draft.h"

#include "engine/contract/experiment/toml_text.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/text.h"
#include "launcher/home/ready_experiments.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"
#include "ui/launch/option_words.h"

#include <QFileInfo>
#include <QRegularExpression>

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

/// "1e-3,2e-3", which is no value, but would be a list with spaces in it. Of a real option, "0,5" is rather a decimal comma.
bool isListWithoutSpaces(const contract::Experiment& experiment, const std::string& key, const QString& text)
{
    static const QRegularExpression decimal(QStringLiteral("^-?\\d+,\\d+$"));
    const contract::Option* const option = contract::findOption(key);
    if (option && option->type == contract::OptionType::Real && decimal.match(text).hasMatch())
        return false;
    const std::vector<std::string> values = valuesIn(QString(text).replace(QLatin1String(","), QLatin1String(", ")), option);
    return values.size() > 1 && !text.contains(QLatin1String(", ")) && !firstProblem(experiment, key, values);
}

QString joined(const std::vector<std::string>& values)
{
    QStringList texts;
    for (const std::string& value : values)
        texts << QString::fromStdString(value);
    return texts.join(QLatin1String(", "));
}

QStringList filledLines(const QString& text)
{
    QStringList lines;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        if (const QString filled = line.trimmed(); !filled.isEmpty())
            lines << filled;
    }
    return lines;
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
    if (!m_isTextReadable)
        return Q_EMIT fieldsChanged();  // the field shows its value again
    const std::string name = key.toStdString();
    if (!m_typing || m_typing->key != key)
        m_typing = Typing {key, {}, m_experiment.value(name), m_toml, m_textProblems};
    m_typing->text = text;
    const std::vector<std::string> values = launcher::distinctValues({name, valuesIn(text, contract::findOption(name))});
    m_lists.erase(key);
    if (const auto problem = firstProblem(m_experiment, name, values)) {
        const QString reason = translatedSentence(problem->message);
        const bool isList = isListWithoutSpaces(m_experiment, name, text);
        return keepInvalid(key, text, isList ? tr("%1; between several values stand a comma and a space").arg(reason) : reason);
    }
    contract::Experiment changedExperiment = m_experiment;
    changedExperiment.setText(name, values.front());
    const auto edited = contract::withValue(m_toml.toStdString(), name, changedExperiment, m_baseFolder);
    if (!edited)
        return keepInvalid(key, text, tr("The text beside the form has %1 in a way that the form cannot change: change it there.").arg(key));
    m_experiment = std::move(changedExperiment);
    if (values.size() > 1)
        m_lists[key] = values;
    m_invalidTexts.erase(key);
    m_invalidReasons.erase(key);
    m_toml = m_readableToml = QString::fromStdString(*edited);
    m_textProblems = contract::parseExperiment(*edited, m_baseFolder).problems;
    Q_EMIT textChanged();
    changed();
}

void Draft::keepInvalid(const QString& key, const QString& text, const QString& reason)
{
    m_invalidTexts[key] = text;
    m_invalidReasons[key] = reason;
    undoTyping();
    changed();
}

// The beginning of an invalid text may have been valid: of "0,001" the 0 was.
void Draft::undoTyping()
{
    m_experiment.set(m_typing->key.toStdString(), m_typing->value);
    if (m_toml == m_typing->toml)
        return;
    m_toml = m_readableToml = m_typing->toml;
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

QStringList Draft::typedTexts() const
{
    QStringList texts;
    for (const auto& [key, values] : m_lists)
        texts << key + QLatin1Char('=') + joined(values);
    for (const auto& [key, text] : m_invalidTexts)
        texts << key + QLatin1Char('=') + text;
    return texts;
}

void Draft::restore(const QString& toml, const QString& readable, const QStringList& typed)
{
    replaceText(readable);
    for (const QString& text : typed) {
        const QString key = text.section(QLatin1Char('='), 0, 0);
        if (contract::findOption(key.toStdString()))
            setField(key, text.section(QLatin1Char('='), 1));
    }
    finishField();
    if (m_toml == toml)
        return;
    setToml(toml);
    Q_EMIT textChanged();
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
        ? invalid->second : QString::fromStdString(contract::toText(m_experiment.value(key.toStdString())));
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
    m_isTextReadable = parsed.isReadable;
    m_textProblems = std::move(parsed.problems);
    if (m_isTextReadable) {
        m_readableToml = toml;
        // What was typed in a field stays while the text has the value that it had then.
        const auto isOutdated = [&](const auto& typed) {
            return parsed.experiment.value(typed.first.toStdString()) != m_experiment.value(typed.first.toStdString());
        };
        std::erase_if(m_lists, isOutdated);
        std::erase_if(m_invalidTexts, isOutdated);
        std::erase_if(m_invalidReasons, isOutdated);
        m_experiment = std::move(parsed.experiment);
    }
    changed();
}

/// Begins anew with @p toml.
void Draft::replaceText(const QString& toml)
{
    m_lists.clear();
    m_invalidTexts.clear();
    m_invalidReasons.clear();
    m_readableToml.clear();
    m_experiment = {};
    setToml(toml);
    Q_EMIT textChanged();
}

void Draft::discardText()
{
    // A line that was begun before the junk is no change either.
    setToml(filledLines(m_readableToml) == filledLines(m_keptToml) ? m_keptToml : m_readableToml);
    Q_EMIT textChanged();
}

Draft::File Draft::read(const launcher::DataHome& home, const QString& path)
{
    File file {.path = path, .origin = DraftOrigin::ofFile(home, path, {})};
    try {
        file.text = contract::fileContent(path.toStdString(), kMaxFileBytes);
        if (!contract::isUtf8(file.text))
            throw std::runtime_error(path.toStdString() + ": is not an experiment, because it is not text in UTF-8");
    } catch (const std::runtime_error& error) {
        file.problem = error.what();
    }
    return file;
}

void Draft::load(const File& file)
{
    if (!file.problem.empty()) {
        m_textProblems = {{.key = {}, .message = file.problem, .line = 0}};
        changed();
        return;
    }
    m_baseFolder = folderOf(file.path);
    replaceText(QString::fromStdString(file.text));
    setOrigin({file.origin.kind, file.origin.name, m_experiment});
    markKept();
}

void Draft::loadThere(const QString& file, const QString& toml)
{
    m_baseFolder = QFileInfo(file).path().toStdString();
    replaceText(toml);
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
    m_readableToml = m_isTextReadable ? moved : QString::fromStdString(contract::withValuesOf(m_readableToml.toStdString(), m_experiment, folder));
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
    replaceText(QString::fromStdString(origin.experiment.toToml(contract::Experiment::Write::ChangedOnly)));
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

QString Draft::saveRefusal() const
{
    const QString problem = invalidField();
    return problem.isEmpty() ? problem : tr("Not saved: %1").arg(withLabels(problem));
}

QString Draft::savedMessage(const QString& sentence) const
{
    QStringList keys;
    for (const launcher::ListedOption& list : lists())
        keys << QString::fromStdString(list.key);
    if (keys.isEmpty())
        return sentence;
    return sentence + QLatin1Char(' ') + tr("Of %1 only the first value is kept.").arg(withLabels(keys.join(QStringLiteral(", "))));
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

std::vector<launcher::PreflightItem> Draft::refusals() const
{
    std::vector<launcher::PreflightItem> all;
    if (runCount() > 1)
        return all;
    const auto isProblem = [this](const launcher::PreflightItem& item) {
        return std::ranges::find(m_ruleProblems, item.message, &contract::Problem::message) != m_ruleProblems.end();
    };
    std::ranges::copy_if(m_preflight, std::back_inserter(all), [&](const launcher::PreflightItem& item) {
        return item.level == launcher::PreflightItem::Level::Error && !isProblem(item);
    });
    return all;
}

std::vector<launcher::PreflightItem> Draft::findings() const
{
    using launcher::PreflightItem;
    std::vector<PreflightItem> all;
    for (const contract::Problem& problem : problems()) {
        const bool isFound = std::ranges::any_of(m_preflight, [&problem](const PreflightItem& item) {
            return item.level == PreflightItem::Level::Error && (problem.key.empty() ? item.message == problem.message : item.key == problem.key);
        });
        if (isFound)
            continue;
        PreflightItem item {PreflightItem::Level::Error, launcher::kExperimentCheck, problem.message, {}, problem.key};
        if (contract::findOption(problem.key))
            item.fixes.push_back({.kind = launcher::PreflightFix::Kind::ShowOption, .label = "Show the option", .key = problem.key});
        all.push_back(std::move(item));
    }
    all.insert(all.end(), m_preflight.begin(), m_preflight.end());
    return all;
}

QString Draft::problemOf(const QString& key) const
{
    const auto invalid = m_invalidReasons.find(key);
    if (invalid != m_invalidReasons.end())
        return invalid->second;
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

}  // namespace ui
