// Tries a few steps of the draft, and says how long the run will take.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/plan/estimate.h"
#include "launcher/plan/forecast.h"

#include <QThreadPool>
#include <QWidget>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

class QLabel;
class QProgressBar;
class QPushButton;

namespace ui {

class Draft;

/// A trial lasts until it ends, the user cancels it, or the window is closed. What it has measured is kept for runs of such an experiment.
class TrialView : public QWidget {
    Q_OBJECT
public:
    /// @param draft must outlive this.
    TrialView(const launcher::DataHome& home, Draft& draft, QWidget* parent = nullptr);
    ~TrialView() override;  ///< cancels the trial

    /// A forecast of the draft is being made; setForecast() follows. A trial waits for it, to compare.
    void awaitForecast();
    /// The forecast of the draft, nullopt when there is none, and what is known of earlier trials of such an experiment.
    void setForecast(const std::optional<launcher::Forecast>& forecast, const std::optional<launcher::Estimate>& known);

    bool isTrying() const { return m_isTrying; }
    void start();
    void cancel();

Q_SIGNALS:
    void ended();

protected:
    void hideEvent(QHideEvent* event) override;

private:
    void refresh();
    void showProgress(const launcher::TrialProgress& progress);
    void finish(const std::optional<launcher::Estimate>& estimate, const QString& problem);
    QString resultText() const;

    launcher::DataHome m_home;
    Draft& m_draft;
    QPushButton* m_try;
    QPushButton* m_cancel;
    QProgressBar* m_progress;
    QLabel* m_note;
    QLabel* m_result;
    std::optional<launcher::Forecast> m_forecast;
    std::optional<launcher::Estimate> m_estimate;
    std::string m_tried;  ///< paceKey() of the experiment that m_estimate is about
    bool m_isTrying = false;
    bool m_isForecastAwaited = false;
    std::shared_ptr<std::atomic<bool>> m_isCancelled;  ///< of the trial that runs
    QThreadPool m_thread;  ///< one, that lives as long as the ranks; declared last, since its destructor waits for the trial
};

}  // namespace ui
