#include "ui/gallery/kept_place.h"

#include "ui/base/settings.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <utility>

namespace ui {

static const QString kName = QStringLiteral("sample");

KeptPlace::KeptPlace(Settings& settings, GalleryGrid& grid, QObject* parent)
    : QObject(parent)
    , m_settings(settings)
    , m_grid(grid)
{
    const QJsonObject kept = QJsonDocument::fromJson(settings.viewState(kName)).object();
    if (const QString run = kept.value(QStringLiteral("run")).toString(); !run.isEmpty())
        m_wanted = {run, kept.value(QStringLiteral("step")).toInteger(), kept.value(QStringLiteral("column")).toInt()};
    connect(&grid, &GalleryGrid::currentChanged, this, &KeptPlace::follow);
}

void KeptPlace::follow()
{
    const SampleGrid& samples = m_grid.grid();
    if (samples.isEmpty())
        return;
    if (m_wanted && m_wanted->runId == m_grid.runId()) {
        const Place place = *std::exchange(m_wanted, {});
        if (const auto row = samples.rowOf(place.step))
            m_grid.setCurrent(*row, place.column);
        return;
    }
    m_wanted.reset();
    const int row = m_grid.currentRow();
    if (row < 0 || row + 1 >= samples.rows())
        m_settings.setViewState(kName, {});
    else
        m_settings.setViewState(kName,
            QJsonDocument(QJsonObject {{QStringLiteral("run"), m_grid.runId()}, {QStringLiteral("step"), qint64(samples.step(row))},
                              {QStringLiteral("column"), m_grid.currentColumn()}})
                .toJson(QJsonDocument::Compact));
}

}  // namespace ui
