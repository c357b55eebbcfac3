#include "ui/base/background.h"

namespace ui {
namespace {

class BackgroundPool : public QThreadPool {
public:
    BackgroundPool()
    {
        // The jobs wait for disks and processes more than they compute.
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
