// Runs long work on threads other than the GUI thread.
//
// [Note: the pool of background work]
// Background work does not use Qt's global thread pool: the raster painter splits tall gradients (those of
// scroll bars, for example) over that pool's threads and waits for them, so a job of ours that waits there for
// a disk or another process would block the painting of the window.
#pragma once
#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <type_traits>
#include <utility>

namespace ui {

/// The pool for background work. The application waits for its jobs before it ends.
/// See [Note: the pool of background work].
QThreadPool& backgroundPool();

/// Runs @p work (T()) on a thread of @p pool, by default the one of background work, then @p done (void(T)) on the GUI thread, unless @p context has been
/// deleted by then. @p work must not throw.
template <typename Work, typename Done>
void inBackground(QObject* context, Work work, Done done, QThreadPool& pool = backgroundPool())
{
    using Result = std::invoke_result_t<Work>;
    pool.start(
        [context = QPointer<QObject>(context), work = std::move(work), done = std::move(done)]() mutable {
            auto result = std::make_shared<Result>(work());
            // The application outlives the pool's jobs. The context may not, and only the GUI thread may
            // check whether it still exists.
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [context, result, done = std::move(done)]() mutable {
                    if (context)
                        done(std::move(*result));
                },
                Qt::QueuedConnection);
        });
}

}  // namespace ui
