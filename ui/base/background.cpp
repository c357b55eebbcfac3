#include "ui/base/background.h"

namespace ui {
namespace {

class BackgroundPool : public QThreadPool {
public:
    BackgroundPool()
    {
        // A fixed number, independent of the processor count: the jobs mostly wait for disks and processes.
        constexpr int kThreads = 6;
        setMaxThreadCount(kThreads);
        qAddPostRoutine([] { backgroundPool().waitForDone(); });
    }
};

}  // namespace

QThreadPool& backgroundPool()
{
    static BackgroundPool pool;
    return pool;
}

}  // namespace ui
