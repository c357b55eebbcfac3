#include "ui/language/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include <clocale>

void initTranslations() { Q_INIT_RESOURCE(translations); }  // outside the namespace, as the macro wants

namespace ui {
namespace {

const QString kFolder = QStringLiteral(":/translations");

QString& spoken()
{
    static QString code = QStringLiteral("en");
    return code;
}

void install(const QString& name, const QString& folder)
{
    auto* translator = new QTranslator(QCoreApplication::instance());
    if (translator->load(name, folder))
        QCoreApplication::installTranslator(translator);
    else
        delete translator;
}

QString codeOf(const QLocale& locale) { return locale.language() == QLocale::C ? QStringLiteral("en") : locale.name().section(QLatin1Char('_'), 0, 0); }

}  // namespace

QStringList languages()
{
    initTranslations();
    QStringList codes {QStringLiteral("en")};
    for (const QString& file : QDir(kFolder).entryList({QStringLiteral("atelier_*.qm")}, QDir::Files, QDir::Name))
        codes << file.section(QLatin1Char('_'), 1).section(QLatin1Char('.'), 0, 0);
    return codes;
}

QString systemLanguage()
{
    const QStringList known = languages();
    for (const QString& wanted : QLocale::system().uiLanguages()) {
        if (const QString code = codeOf(QLocale(wanted)); known.contains(code))
            return code;
    }
    return known.front();
}

void speakLanguage(const QString& language)
{
    // QCoreApplication has set the locale of the C library, too. There, numbers are for files.
    std::setlocale(LC_NUMERIC, "C");
    const bool isChosen = languages().contains(language);
    const QString code = isChosen ? language : systemLanguage();
    spoken() = code;
    if (isChosen && codeOf(QLocale::system()) != code)
        QLocale::setDefault(QLocale(code));
    if (code == QLatin1String("en"))
        return;
    install(QStringLiteral("qtbase_") + code, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(QStringLiteral("atelier_") + code, kFolder);
}

QString spokenLanguage() { return spoken(); }

}  // namespace ui
