// Asks the driver for the machine's GPUs while somebody looks: NVML here, in the background, or `atelier gpus` on another machine.
#pragma once
#include "launcher/machine/gpus.h"
#include "launcher/remote/mirror.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace ui {

class GpuWatch : public QObject {
    Q_OBJECT
public:
    /// @param mirror of the machine that is asked, and must outlive this; null: this one
    explicit GpuWatch(launcher::Mirror* mirror, QObject* parent = nullptr);
    ~GpuWatch() override;

    /// Asks now, and again every two seconds (another machine: ten), until it is no longer active. Then the driver is closed, too.
    void setActive(bool isActive);
    bool isActive() const { return m_timer.isActive(); }
    /// Is active while @p window is shown and not minimised.
    void follow(QWidget& window);

    /// The last answer.
    const launcher::GpuList& list() const { return m_list; }
    qint64 answeredUnixMs() const { return m_answeredUnixMs; }  ///< when it came; 0: there was none yet
    /// Why list() may not be so any more, in one sentence without a full stop; empty while answers come in time.
    QString silence() const;
    bool isOfOtherMachine() const { return m_mirror != nullptr; }

Q_SIGNALS:
    void answered();  ///< list() is new
    void late();      ///< an answer was due and has not come, or says that there is none; repeated

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void ask();
    void askThere();
    void take(launcher::GpuList list);
    void fail(const QString& problem);

    struct Driver;
    launcher::Mirror* m_mirror;
    std::shared_ptr<Driver> m_driver;  ///< open while this is active; used by the background work only
    launcher::RemoteLink::Phase m_phase = launcher::RemoteLink::Phase::Connecting;
    QTimer m_timer;
    launcher::GpuList m_list;
    qint64 m_answeredUnixMs = 0;
    qint64 m_askedUnixMs = 0;  ///< when the question was asked that is not answered yet; 0: there is none
    QString m_problem;         ///< why the last question was not answered; empty: it was
};

}  // namespace ui
