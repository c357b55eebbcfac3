// Keeps which sample is current from one session to the next (E5).
#pragma once
#include "ui/gallery/gallery_grid.h"

#include <QObject>

#include <cstdint>
#include <optional>

namespace ui {

class Settings;

/// Keeps the current cell of a grid, unless it is in the newest row: the grid follows that one by itself.
class KeptPlace : public QObject {
public:
    /// @p settings and @p grid must outlive this. The kept cell becomes current once the grid has the samples of its run.
    KeptPlace(Settings& settings, GalleryGrid& grid, QObject* parent);

private:
    struct Place {
        QString runId;
        std::int64_t step = 0;
        int column = 0;
    };
    void follow();

    Settings& m_settings;
    GalleryGrid& m_grid;
    std::optional<Place> m_wanted;  ///< until the samples of its run are there
};

}  // namespace ui
