#include "ui/launch/option_words.h"

#include "ui/language/outside_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

namespace ui {
namespace {

QString translated(const char* source)
{
    return QCoreApplication::translate("ui::OptionWords", source);
}

QString asText(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

QString quoted(const QString& label)
{
    return translated(QT_TRANSLATE_NOOP("ui::OptionWords", "“%1”")).arg(label);
}

QString quotedLabel(const contract::Option& option) { return quoted(translatedText(option.label)); }

QString switchWord(bool isOn)
{
    return isOn ? translated(QT_TRANSLATE_NOOP("ui::OptionWords", "on")) : translated(QT_TRANSLATE_NOOP("ui::OptionWords", "off"));
}

}  // namespace

QString withLabels(const QString& text)
{
    // Not inside of paths and longer words.
    static const QRegularExpression key(QStringLiteral("(?<![\\w./-])[a-z]+(\\.[a-z0-9_]+)+(?![\\w/])"));
    QString result;
    qsizetype end = 0;
    for (auto matches = key.globalMatch(text); matches.hasNext();) {
        const auto match = matches.next();
        const contract::Option* const option = contract::findOption(match.captured().toStdString());
        result += text.mid(end, match.capturedStart() - end) + (option ? quotedLabel(*option) : match.captured());
        end = match.capturedEnd();
    }
    return result + text.mid(end);
}

QString withChoiceLabels(const contract::Option& option, const QString& text)
{
    if (option.type != contract::OptionType::Choice)
        return text;
    QStringList choices;
    for (const std::string_view choice : option.choices)
        choices << QRegularExpression::escape(asText(choice));
    const QRegularExpression choice(QStringLiteral("(?<=^|; |: )(%1)(?=[ :,])").arg(choices.join(QLatin1Char('|'))));
    QString result;
    qsizetype end = 0;
    for (auto matches = choice.globalMatch(text); matches.hasNext();) {
        const auto match = matches.next();
        result += text.mid(end, match.capturedStart() - end) + quoted(translatedText(contract::choiceLabel(option, match.captured().toStdString())));
        end = match.capturedEnd();
    }
    return result + text.mid(end);
}

QString conditionSentence(std::string_view condition)
{
    const contract::Option& option = *contract::findOption(condition.substr(0, condition.find('=')));
    QStringList values = asText(condition.substr(condition.find('=') + 1)).split(QLatin1Char('|'));
    if (option.type == contract::OptionType::Boolean)
        values = {switchWord(values.front() == QLatin1String("true"))};
    for (QString& value : values) {
        if (option.type == contract::OptionType::Choice)
            value = quoted(translatedText(contract::choiceLabel(option, value.toStdString())));
    }
    return translated(QT_TRANSLATE_NOOP("ui::OptionWords", "Only has an effect if %1 is %2"))
        .arg(quotedLabel(option), values.join(translated(QT_TRANSLATE_NOOP("ui::OptionWords", " or "))));
}

QString valueWords(const contract::Option& option, const contract::OptionValue& value)
{
    const std::string text = contract::toText(value);
    if (option.type == contract::OptionType::Boolean)
        return switchWord(text == "true");
    if (option.type == contract::OptionType::Choice)
        return translatedText(contract::choiceLabel(option, text));
    return text.empty() ? translated(QT_TRANSLATE_NOOP("ui::OptionWords", "(empty)")) : QString::fromStdString(text);
}

}  // namespace ui
