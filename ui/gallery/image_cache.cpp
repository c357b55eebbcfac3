#include "ui/gallery/image_cache.h"

#include <algorithm>

namespace ui {

struct ImageCache::Request {
    QString file;
    QSize bound;
    ImageLimits limits;
    std::optional<FileStamp> known;  ///< of the image in memory, if there is one
    int generation = 0;
    int check = 0;
};

ImageCache::ImageCache(const QSize& bound, qint64 bytes, QObject* parent, const ImageLimits& limits)
    : QObject(parent)
    , m_bound(bound)
    , m_limits(limits)
    , m_cache(static_cast<qsizetype>(bytes / 1024))
{
    m_limits.stop = m_stop.get_token();
    m_pool.setMaxThreadCount(2);
}

ImageCache::~ImageCache()
{
    m_waiting.clear();
    m_stop.request_stop();
    m_pool.waitForDone();
}

const LoadedImage* ImageCache::find(const QString& file)
{
    const Entry* const entry = m_cache.object(file);
    const bool isWaiting = std::find(m_waiting.begin(), m_waiting.end(), file) != m_waiting.end();
    if ((!entry || entry->check != m_checks) && !isWaiting && !m_loading.contains(file)) {
        m_waiting.push_back(file);
        startNext();
    }
    return entry ? &entry->image : nullptr;
}

void ImageCache::dropWaiting()
{
    m_waiting.clear();
}

void ImageCache::setBound(const QSize& bound)
{
    if (m_bound == bound)
        return;
    m_bound = bound;
    ++m_generation;
    m_cache.clear();
    m_waiting.clear();
}

void ImageCache::startNext()
{
    if (m_waiting.empty() || m_loading.size() >= m_pool.maxThreadCount())
        return;
    const QString file = m_waiting.back();
    m_waiting.pop_back();
    m_loading.insert(file);
    Request request {.file = file, .bound = m_bound, .limits = m_limits, .known = {}, .generation = m_generation, .check = m_checks};
    if (const Entry* const entry = m_cache.object(file))
        request.known = entry->image.stamp;
    m_pool.start([this, request] {
        std::optional<LoadedImage> image;
        if (!request.known || stampOf(request.file, request.limits.links) != *request.known)
            image = loadImage(request.file, request.bound, request.limits);
        QMetaObject::invokeMethod(this, [this, request, image] { finish(request, image); });
    });
}

/// @param image nullopt when the one in memory is that of the file
void ImageCache::finish(const Request& request, const std::optional<LoadedImage>& image)
{
    m_loading.remove(request.file);
    Entry* const entry = m_cache.object(request.file);
    if (request.generation == m_generation && image) {
        const auto cost = static_cast<qsizetype>(image->pixels.sizeInBytes() / 1024 + 1);
        // An image larger than the whole cache is still kept, as the only one.
        m_cache.insert(request.file, new Entry {*image, request.check}, std::min(cost, m_cache.maxCost()));
        Q_EMIT loaded(request.file);
    } else if (request.generation == m_generation && entry) {
        entry->check = request.check;
    }
    if (request.check != m_checks && m_cache.contains(request.file))
        m_waiting.push_back(request.file);  // recheck() was called meanwhile
    startNext();
}

}  // namespace ui
