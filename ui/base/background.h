// Work that may take long, off the GUI thread.
#pragma once
#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <type_traits>
#include <utility>

namespace ui {

/// Runs @p work (T()) on a pool thread, then @p done (void(T)) on the GUI thread unless @p context is gone.
/// @p work must not throw.
template <typename Work, typename Done>
void inBackground(QObject* context, Work work, Done done)
{
    using Result = std::invoke_result_t<Work>;
    QThreadPool::globalInstance()->start(
        [context = QPointer<QObject>(context), work = std::move(work), done = std::move(done)]() mutable {
            auto result = std::make_shared<Result>(work());
            // The application outlives the pool's threads; the context may not, and only the GUI
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
