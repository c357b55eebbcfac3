// One GPU as a small bar: above, the memory that is used, by the runs of this window and by others; below, the load.
#pragma once
#include "launcher/machine/gpus.h"

#include <QAbstractButton>

#include <cstdint>

namespace ui {

/// How a GPU's memory is divided, as far as the driver tells; in bytes.
struct GpuShares {
    std::int64_t ours = 0;
    std::int64_t others = 0;
    std::int64_t total = 0;
};

class GpuBar : public QAbstractButton {
    Q_OBJECT
public:
    explicit GpuBar(QWidget* parent = nullptr);

    void setGpu(const launcher::Gpu& gpu, const GpuShares& shares);
    /// @p sentence says since when nothing is known: the bar then has no fill. Empty: it shows the GPU.
    void setSilence(const QString& sentence);

    int index() const { return m_gpu.index; }
    const GpuShares& shares() const { return m_shares; }
    bool isSilent() const { return !m_silence.isEmpty(); }

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    void showTexts();
    void paintFill(QPainter& painter, const QRectF& memory, const QRectF& load) const;

    launcher::Gpu m_gpu;
    GpuShares m_shares;
    QString m_silence;
};

}  // namespace ui
