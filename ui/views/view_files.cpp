#include "ui/views/view_files.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "ui/language/outside_text.h"

#include <QCollator>
#include <QCoreApplication>
#include <QFile>
#include <QUrl>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ui {
namespace {

namespace fs = std::filesystem;

constexpr qsizetype kLongestFileName = 240;  // bytes; the file system allows 255
constexpr qint64 kLargestFile = 1 << 20;

QString viewsText(const char* text)
{
    return QCoreApplication::translate("ui::SavedViews", text);
}

fs::path folderOf(const launcher::DataHome& home)
{
    return home.state / "views";
}

/// Percent signs stand for what a file's name cannot have, so that a view may have any name.
fs::path fileOf(const launcher::DataHome& home, const QString& name)
{
    return folderOf(home) / (QUrl::toPercentEncoding(name, " ", ".").toStdString() + ".json");
}

QString nameProblem(const QString& name)
{
    if (name.trimmed().isEmpty())
        return viewsText(QT_TRANSLATE_NOOP("ui::SavedViews", "A view needs a name."));
    return QUrl::toPercentEncoding(name, " ", ".").size() > kLongestFileName ? viewsText(QT_TRANSLATE_NOOP("ui::SavedViews", "This name is too long for a view.")) : QString();
}

QString failure(const char* verb, const fs::path& file, int error)
{
    return translatedSentence(contract::cannotBe(verb, file, error)) + QLatin1Char('.');
}

}  // namespace

QStringList savedViews(const launcher::DataHome& home)
{
    QStringList names;
    for (const fs::path& entry : contract::entriesOf(folderOf(home))) {
        if (entry.extension() == ".json")
            names << QUrl::fromPercentEncoding(QByteArray::fromStdString(entry.stem().string()));
    }
    std::ranges::sort(names, QCollator());
    return names;
}

std::variant<SavedView, QString> readView(const launcher::DataHome& home, const QString& name)
{
    const fs::path path = fileOf(home, name);
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly))
        return viewsText(QT_TRANSLATE_NOOP("ui::SavedViews", "The view “%1” cannot be read: %2.")).arg(name, file.errorString());
    auto view = file.size() > kLargestFile ? std::variant<SavedView, QString>(viewsText(QT_TRANSLATE_NOOP("ui::SavedViews", "is damaged"))) : savedViewFromJson(file.readAll());
    if (const QString* const problem = std::get_if<QString>(&view))
        return viewsText(QT_TRANSLATE_NOOP("ui::SavedViews", "The view “%1” cannot be opened: its file %2 %3. Nothing was changed.")).arg(name, file.fileName(), *problem);
    return view;
}

QString writeView(const launcher::DataHome& home, const QString& name, const SavedView& view)
{
    if (const QString problem = nameProblem(name); !problem.isEmpty())
        return problem;
    try {
        fs::create_directories(folderOf(home));
        contract::writeFileAtomically(fileOf(home, name), toJson(view).toStdString());
    } catch (const std::system_error& error) {
        return failure("written", fileOf(home, name), error.code().value());
    }
    return {};
}

QString renameView(const launcher::DataHome& home, const QString& from, const QString& to)
{
    if (const QString problem = nameProblem(to); !problem.isEmpty())
        return problem;
    // A link fails where a file of that name exists, which a rename would replace.
    std::error_code error;
    fs::create_hard_link(fileOf(home, from), fileOf(home, to), error);
    if (error == std::errc::file_exists)
        return viewsText(QT_TRANSLATE_NOOP("ui::SavedViews", "There is a view “%1” already. Choose another name.")).arg(to);
    if (!error)
        fs::remove(fileOf(home, from), error);
    return error ? failure("renamed", fileOf(home, from), error.value()) : QString();
}

QString deleteView(const launcher::DataHome& home, const QString& name)
{
    std::error_code error;
    fs::remove(fileOf(home, name), error);
    return error ? failure("deleted", fileOf(home, name), error.value()) : QString();
}

}  // namespace ui
