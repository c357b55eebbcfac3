#include "ui/store/index_error.h"

#include <QCoreApplication>

#include <utility>

namespace ui {
namespace {

QString indexText(const char* text)
{
    return QCoreApplication::translate("ui::IndexError", text);
}

}  // namespace

ViewError indexError(const launcher::DataHome& home, const QString& sentence, std::function<void()> retry)
{
    return {sentence,
        indexText(QT_TRANSLATE_NOOP("ui::IndexError",
            "The index of runs is the file %1. It holds nothing that the folders of the runs do not hold: `atelier reindex` makes it anew from them."))
            .arg(QString::fromStdString(home.database().string())),
        QString::fromStdString(home.index.string()), {{indexText(QT_TRANSLATE_NOOP("ui::IndexError", "Retry")), std::move(retry)}}};
}

}  // namespace ui
