// Pictures in memory, loaded and scaled on other threads, the ones in sight first.
#pragma once
#include "ui/gallery/picture_loader.h"

#include <QCache>
#include <QObject>
#include <QSet>
#include <QThreadPool>

#include <vector>

namespace ui {

class PictureCache : public QObject {
    Q_OBJECT
public:
    /// @param bound pictures are scaled down to fit it; empty: kept whole.
    explicit PictureCache(const QSize& bound, qint64 bytes, QObject* parent = nullptr);
    ~PictureCache() override;

    /// The picture, or nullptr: it is then loaded, and loaded() emitted.
    const LoadedPicture* find(const QString& file);
    /// Forgets which pictures were asked for and are not being loaded: others are in sight now.
    void dropWaiting();

    void setBound(const QSize& bound);
    int waiting() const { return static_cast<int>(m_waiting.size()); }

Q_SIGNALS:
    void loaded(const QString& file);

private:
    void startNext();
    void take(const QString& file, int generation, const LoadedPicture& picture);

    QSize m_bound;
    QCache<QString, LoadedPicture> m_cache;
    std::vector<QString> m_waiting;  ///< the last one is loaded first
    QSet<QString> m_loading;
    QThreadPool m_pool;
    int m_generation = 0;
};

}  // namespace ui
