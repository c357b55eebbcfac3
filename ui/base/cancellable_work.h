// Background work of a view for which its user may stop waiting.
#pragma once
#include "ui/base/background.h"

#include <stop_token>

namespace ui {

/// A member of the object that is given as context. Only the newest work counts: what an earlier or a cancelled one finds is dropped. The
/// work is told by its token; one that waits for a disk and cannot look at it ends unheard.
class CancellableWork {
public:
    CancellableWork() = default;
    CancellableWork(const CancellableWork&) = delete;
    CancellableWork& operator=(const CancellableWork&) = delete;
    ~CancellableWork() { m_stop.request_stop(); }

    /// Like inBackground(), with @p work (T(const std::stop_token&)).
    template <typename Work, typename Done>
    void start(QObject* context, Work work, Done done)
    {
        m_stop.request_stop();
        m_stop = std::stop_source();
        m_isRunning = true;
        inBackground(
            context, [token = m_stop.get_token(), work = std::move(work)] { return work(token); },
            [this, token = m_stop.get_token(), done = std::move(done)](auto result) {
                if (token.stop_requested())
                    return;
                m_isRunning = false;
                done(std::move(result));
            });
    }
    void cancel()
    {
        m_stop.request_stop();
        m_isRunning = false;
    }
    bool isRunning() const { return m_isRunning; }

private:
    std::stop_source m_stop;
    bool m_isRunning = false;
};

}  // namespace ui
