// The command line that does what the launch form describes.
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

}  // namespace

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
    const QString host = m_mirror ? QStringLiteral("--host ") + shellQuoted(m_mirror->host().text()) + QLatin1Char(' ') : QString();
    QStringList words = {QStringLiteral("atelier ") + host + QStringLiteral("run ") + QString::fromStdString(name)};
    for (const std::string& setting : settings.value_or(settingsBetween({}, m_experiment))) {
        if (!m_lists.contains(QString::fromStdString(setting.substr(0, setting.find('=')))))
            words << QStringLiteral("--set ") + shellQuoted(setting);
    }
    for (const launcher::ListedOption& list : lists())
        words << QStringLiteral("--set ") + shellQuoted(list.key + "=" + withCommas(list.values));
    if (!m_lists.empty())
        words << QStringLiteral("--queue");
    return words.join(QLatin1Char(' '));
}

}  // namespace ui
