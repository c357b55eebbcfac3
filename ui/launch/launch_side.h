// The right side of the launch window: the experiment's text, changes, forecast and Slurm script in tabs, and below them its GPUs and
// the preflight checks.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/plan/preflight.h"

#include <QWidget>

class QLabel;
class QTabWidget;

namespace ui {

class DifferenceList;
class Draft;
class ForecastView;
class GpuChoice;
class PreflightList;
class ScriptView;
class TomlEdit;

class LaunchSide : public QWidget {
    Q_OBJECT
public:
    /// @p draft must outlive this.
    LaunchSide(const launcher::DataHome& home, Draft& draft, QWidget* parent);

    /// Shows the text and moves the focus to it; to that line of it, from 1, when @p line is not 0.
    void goToText(int line);
    /// Scrolls to a result of the checks, and moves the focus to the button that mends it, if there is one.
    void goToCheck(const launcher::PreflightItem& item);
    /// Shows the forecast and moves the focus to it.
    void showForecast();

Q_SIGNALS:
    /// A change was chosen; its option is to be shown.
    void optionActivated(const QString& key);
    void fixRequested(const launcher::PreflightFix& fix);

private:
    QWidget* makeText();
    void showChangeCount();
    /// Shows the Slurm script instead of the GPUs when that is how the run starts.
    void showTarget();
    void showTextProblem();

    Draft& m_draft;
    TomlEdit* m_text;
    QLabel* m_textNote;
    QTabWidget* m_tabs;
    DifferenceList* m_differences;
    ForecastView* m_forecast;
    ScriptView* m_script;
    QLabel* m_gpuTitle;
    GpuChoice* m_gpus;
    PreflightList* m_preflight;
};

}  // namespace ui
