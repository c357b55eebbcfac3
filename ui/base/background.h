// Work that may take long, off the GUI thread.
//
// [Note: the pool of background work]
// It is not Qt's global pool: the raster painter shares out the rows of tall gradients (a scroll bar's, for
// one) over the threads of that pool and waits for them, so that every job of ours there, however long it
// waits for a disk or another process, would stop the painting of the window.
#pragma once
#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <type_traits>
#include <utility>

namespace ui {

/// Finishes its jobs before the application ends. See [Note: the pool of background work].
QThreadPool& backgroundPool();

/// Runs @p work (T()) on a pool thread, then @p done (void(T)) on the GUI thread unless @p context is gone.
/// @p work must not throw.
template <typename Work, typename Done>
void inBackground(QObject* context, Work work, Done done)
{
    using Result = std::invoke_result_t<Work>;
    backgroundPool().start(
        [context = QPointer<QObject>(context), work = std::move(work), done = std::move(done)]() mutable {
            auto result = std::make_shared<Result>(work());
            // The application outlives the pool's jobs; the context may not, and only the GUI
            // thread may look whether it does.
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
