#include "ui/gallery/picture_cache.h"

#include <algorithm>

namespace ui {

PictureCache::PictureCache(const QSize& bound, qint64 bytes, QObject* parent)
    : QObject(parent)
    , m_bound(bound)
    , m_cache(static_cast<qsizetype>(bytes / 1024))
{
    m_pool.setMaxThreadCount(2);
}

PictureCache::~PictureCache()
{
    m_waiting.clear();
    m_pool.waitForDone();
}

const LoadedPicture* PictureCache::find(const QString& file)
{
    if (const LoadedPicture* picture = m_cache.object(file))
        return picture;
    const bool isWaiting = std::find(m_waiting.begin(), m_waiting.end(), file) != m_waiting.end();
    if (!isWaiting && !m_loading.contains(file)) {
        m_waiting.push_back(file);
        startNext();
    }
    return nullptr;
}

void PictureCache::dropWaiting()
{
    m_waiting.clear();
}

void PictureCache::setBound(const QSize& bound)
{
    if (m_bound == bound)
        return;
    m_bound = bound;
    ++m_generation;
    m_cache.clear();
    m_waiting.clear();
}

void PictureCache::startNext()
{
    if (m_waiting.empty() || m_loading.size() >= m_pool.maxThreadCount())
        return;
    const QString file = m_waiting.back();
    m_waiting.pop_back();
    m_loading.insert(file);
    m_pool.start([this, file, bound = m_bound, generation = m_generation] {
        const LoadedPicture picture = loadPicture(file, bound);
        QMetaObject::invokeMethod(this, [this, file, generation, picture] { take(file, generation, picture); });
    });
}

void PictureCache::take(const QString& file, int generation, const LoadedPicture& picture)
{
    m_loading.remove(file);
    if (generation == m_generation) {
        const auto cost = static_cast<qsizetype>(picture.image.sizeInBytes() / 1024 + 1);
        // One that is larger than all room is still shown, alone.
        m_cache.insert(file, new LoadedPicture(picture), std::min(cost, m_cache.maxCost()));
        Q_EMIT loaded(file);
    }
    startNext();
}

}  // namespace ui
