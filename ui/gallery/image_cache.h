// A cache of images in memory, loaded and scaled on other threads, the most recently requested first. A file that has been
// replaced is loaded again.
#pragma once
#include "ui/gallery/image_loader.h"

#include <QCache>
#include <QObject>
#include <QSet>
#include <QThreadPool>

#include <optional>
#include <stop_token>
#include <vector>

namespace ui {

class ImageCache : public QObject {
    Q_OBJECT
public:
    /// @param bound images larger than this are scaled down to fit; invalid: images keep their size.
    /// @param bytes the capacity of the cache.
    explicit ImageCache(const QSize& bound, qint64 bytes, QObject* parent = nullptr, const ImageLimits& limits = {});
    ~ImageCache() override;

    /// Returns the image if it is in memory. Otherwise returns nullptr and requests it; loaded() is emitted when it
    /// has been loaded (or could not be: see LoadedImage::error), unless dropWaiting() drops the request. An image from before
    /// the last call of recheck() is compared with its file, and loaded() is emitted if the file is another one by now.
    /// The pointer is valid until control returns to the event loop or setBound() is called.
    const LoadedImage* find(const QString& file);
    /// Drops the requests whose loading has not started, for example because other images are visible now.
    void dropWaiting();

    /// Files may have been replaced: see find().
    void recheck() { ++m_checks; }

    /// Sets the bound of the constructor. A change empties the cache.
    void setBound(const QSize& bound);
    int waiting() const { return static_cast<int>(m_waiting.size()); }

Q_SIGNALS:
    void loaded(const QString& file);

private:
    struct Entry {
        LoadedImage image;
        int check = 0;  ///< the value of m_checks when it was last compared with its file
    };
    struct Request;
    void startNext();
    void finish(const Request& request, const std::optional<LoadedImage>& image);

    QSize m_bound;
    ImageLimits m_limits;
    QCache<QString, Entry> m_cache;
    std::vector<QString> m_waiting;  ///< the last one is loaded first
    QSet<QString> m_loading;
    QThreadPool m_pool;
    std::stop_source m_stop;  ///< a hostile video must not keep a window open
    int m_generation = 0;  ///< grows when the cache is emptied
    int m_checks = 0;      ///< grows with recheck()
};

}  // namespace ui
