// The command line that does what the launch form describes.
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"

#include <optional>

namespace ui {
namespace {

QString shellQuoted(const std::string& text)
{
    static constexpr char kUnquoted[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=+:,@%";
    if (!text.empty() && text.find_first_not_of(kUnquoted) == std::string::npos)
        return QString::fromStdString(text);
    QString quoted = QString::fromStdString(text);
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

/// Returns "KEY=VALUE" for each option by which @p to differs from @p from.
std::vector<std::string> settingsBetween(const contract::Experiment& from, const contract::Experiment& to)
{
    std::vector<std::string> settings;
    for (const contract::Option* option : contract::differingOptions(from, to))
        settings.push_back(std::string(option->key) + "=" + contract::toText(to.value(option->key)));
    return settings;
}

std::string withCommas(const std::vector<std::string>& values)
{
    std::string text;
    for (const std::string& value : values)
        text += (text.empty() ? "" : ",") + value;
    return text;
}

/// Text that follows a command, one word of the shell for each setting.
QString settingWords(const std::vector<std::string>& settings)
{
    QStringList words;
    for (const std::string& setting : settings)
        words << QStringLiteral("--set ") + shellQuoted(setting);
    return words.join(QLatin1Char(' '));
}

}  // namespace

QString Draft::program() const
{
    return QStringLiteral("atelier ") + (m_mirror ? QStringLiteral("--host ") + shellQuoted(m_mirror->host().text()) + QLatin1Char(' ') : QString());
}

QString Draft::editCommandLine(const QString& run, const contract::Experiment& before) const
{
    return program() + QStringLiteral("queue edit ") + run + QLatin1Char(' ') + settingWords(settingsBetween(before, m_experiment));
}

/// What is wrong with the first field that is not valid; empty when all are.
QString Draft::invalidField() const
{
    for (const contract::Option& option : contract::options()) {
        const auto invalid = m_invalidReasons.find(QString::fromUtf8(option.key.data(), qsizetype(option.key.size())));
        if (invalid != m_invalidReasons.end())
            return invalid->second;
    }
    return {};
}

QString Draft::commandProblem() const
{
    if (const QString problem = invalidField(); !problem.isEmpty())
        return problem;
    return m_textProblems.empty() ? QString() : translatedSentence(m_textProblems.front().message);
}

// `atelier run` starts from a file, so the line names the ready experiment from which the fewest settings lead to this one.
QString Draft::commandLine() const
{
    std::string name = "digits";
    std::optional<std::vector<std::string>> settings;
    for (const Ready& ready : m_ready) {
        std::vector<std::string> needed = settingsBetween(ready.experiment, m_experiment);
        if (!settings || needed.size() < settings->size()) {
            name = ready.name;
            settings = std::move(needed);
        }
    }
    QStringList words = {program() + QStringLiteral("run ") + QString::fromStdString(name)};
    std::vector<std::string> chosen = settings.value_or(settingsBetween({}, m_experiment));
    std::erase_if(chosen, [this](const std::string& setting) { return m_lists.contains(QString::fromStdString(setting.substr(0, setting.find('=')))); });
    for (const launcher::ListedOption& list : lists())
        chosen.push_back(list.key + "=" + withCommas(list.values));
    if (!chosen.empty())
        words << settingWords(chosen);
    if (!m_lists.empty())
        words << QStringLiteral("--queue");
    return words.join(QLatin1Char(' '));
}

}  // namespace ui
