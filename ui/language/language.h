// The language that the window speaks: texts, numbers and dates. What is written to files does not depend on it.
#pragma once
#include <QString>
#include <QStringList>

namespace ui {

/// The codes of the languages that the window can speak, "en" first.
QStringList languages();

/// The language of languages() that comes first among those that the user's locale names; "en" if none does.
QString systemLanguage();

/// Makes texts that are created from now on appear in @p language, one of languages(), or in the system's if it is empty. Numbers and
/// dates follow the user's locale, unless that is of another language than the one asked for.
void speakLanguage(const QString& language);

/// The one of languages() that speakLanguage() has chosen; "en" before that.
QString spokenLanguage();

}  // namespace ui
