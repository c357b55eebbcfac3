// What the draft will need: memory of a rank by part, as a stacked bar against what is free, disk at the end, and time by a trial.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/plan/forecast.h"
#include "launcher/remote/mirror_connection.h"

#include <QWidget>

#include <array>
#include <optional>

class QLabel;
class QTreeWidget;

namespace ui {

class Draft;
class MemoryBar;
class TrialView;

/// While it is visible, a worker program plans the draft in the background whenever it has been checked without problems.
class ForecastView : public QWidget {
    Q_OBJECT
public:
    /// @param draft must outlive this.
    ForecastView(const launcher::DataHome& home, Draft& draft, QWidget* parent = nullptr);

Q_SIGNALS:
    void forecastShown();

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void ask();
    void showForecast(const launcher::Forecast& forecast);
    void setNote(const QString& note);
    /// Whether what is shown is of the draft as it is now; it is dimmed when not.
    void setCurrent(bool isCurrent);
    std::array<QWidget*, 4> shownParts() const;

    launcher::DataHome m_home;
    Draft& m_draft;
    QLabel* m_note;
    QLabel* m_memory;
    MemoryBar* m_bar;
    QTreeWidget* m_parts;
    QLabel* m_disk;
    TrialView* m_trial;
    std::optional<launcher::Forecast> m_forecast;
    std::optional<contract::Experiment> m_planned;  ///< the experiment that was planned last, or is being planned
    QString m_planError;  ///< why that could not be planned
    bool m_isAsking = false;
    launcher::CommandId m_command = 0;  ///< by which the other machine plans; 0: it does not
};

}  // namespace ui
