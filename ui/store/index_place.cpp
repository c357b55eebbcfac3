#include "ui/store/index_place.h"

#include <QCoreApplication>

namespace ui {

QString indexPlace(const launcher::DataHome& home)
{
    if (home.index == home.data)
        return {};
    const auto text = [](const char* words) { return QCoreApplication::translate("ui::IndexPlace", words); };
    const QString index = QString::fromStdString(home.index.string());
    const std::string network = launcher::networkFileSystem(home.data);
    if (network.empty())
        return text(QT_TRANSLATE_NOOP("ui::IndexPlace", "The index of runs is kept in %1.")).arg(index);
    return text(QT_TRANSLATE_NOOP("ui::IndexPlace",
        "The data home is on a network disk (%1), where a database is not safe, so the index of runs is kept on this machine, in %2."))
        .arg(QString::fromStdString(network), index);
}

}  // namespace ui
