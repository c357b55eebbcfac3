// Holds up what views wait for, so that a test sees them while they wait.
#pragma once
#include "ui/base/background.h"
#include "ui/store/store_service.h"

#include <QObject>
#include <QSemaphore>

#include <memory>

namespace ui_test {

/// Where others wait until the test lets them go on.
struct Gate {
    QSemaphore begun, end;

    void wait()
    {
        begun.release();
        end.acquire();
    }
};

/// As long as it lives, no background work starts that was not running before.
class HeldPool {
public:
    HeldPool()
    {
        for (int thread = 0; thread < m_threads; ++thread)
            ui::backgroundPool().start([gate = m_gate] { gate->wait(); }, 1);
        m_gate->begun.acquire(m_threads);
    }
    ~HeldPool() { m_gate->end.release(m_threads); }

private:
    int m_threads = ui::backgroundPool().maxThreadCount();
    std::shared_ptr<Gate> m_gate = std::make_shared<Gate>();
};

/// As long as it lives, the database answers no view.
class HeldReader {
public:
    explicit HeldReader(ui::StoreService& service)
    {
        service.query(
            &m_context,
            [gate = m_gate](const storage::Store&) {
                gate->wait();
                return 0;
            },
            [](int) {});
        m_gate->begun.acquire();
    }
    ~HeldReader() { m_gate->end.release(); }

private:
    QObject m_context;
    std::shared_ptr<Gate> m_gate = std::make_shared<Gate>();
};

}  // namespace ui_test
