#include "ui/metric_export.h"

#include "storage/exports/export_metrics.h"
#include "storage/exports/tensorboard_export.h"
#include "ui/language/outside_text.h"

#include <QCoreApplication>
#include <QSaveFile>

namespace ui {

QString writeMetrics(const std::filesystem::path& database, const std::string& runId, const QString& file)
{
    if (file.endsWith(QLatin1String(".tensorboard"), Qt::CaseInsensitive)) {
        try {
            storage::exportTensorBoard(storage::Store(database, storage::Store::Open::ReadOnly), runId, file.toStdString());
            return {};
        } catch (const std::exception& error) {
            return translatedSentence(error.what());
        }
    }
    QSaveFile target(file);
    if (target.open(QIODevice::WriteOnly)) {
        try {
            const storage::Store store(database, storage::Store::Open::ReadOnly);
            const auto write = [&](std::string_view text) { target.write(text.data(), qint64(text.size())); };
            if (file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))
                storage::exportJson(store, runId, write);
            else
                storage::exportCsv(store, runId, write);
        } catch (const std::exception& error) {
            return translatedSentence(error.what());
        }
        if (target.commit())
            return {};
    }
    return QCoreApplication::translate("ui::MetricExport", "%1 cannot be written: %2").arg(file, target.errorString());
}

}  // namespace ui
