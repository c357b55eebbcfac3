// The window in which an experiment is filled in and started. Non-modal: runs can be read meanwhile.
#pragma once
#include "ui/base/settings.h"
#include "ui/control/run_control.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSplitter;

namespace ui {

class Draft;
class OptionForm;
class PreflightList;
class TomlEdit;

class LaunchWindow : public QWidget {
    Q_OBJECT
public:
    /// Begins with the draft that was left behind, or with the digits experiment.
    LaunchWindow(const launcher::DataHome& home, RunControl& control, Settings& settings,
        QWidget* parent = nullptr);

    void load(const QString& file);
    /// One of the ready experiments: "digits", "emoji".
    void loadReady(const QString& name);
    void setExperiment(const contract::Experiment& experiment);
    /// As if the button were pressed. Waits for the checks, then starts or shows what is to mend.
    void start();

    Draft& draft() const { return *m_draft; }
    OptionForm& form() const { return *m_form; }

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    QWidget* makeTop();
    QWidget* makeSide();
    QWidget* makeBottom();
    void setupShortcuts();
    void restoreDraft();
    void update();
    void startIfRight();
    void setBusy(bool isBusy);
    void openFile();
    void saveFile();

    RunControl& m_control;
    Settings& m_settings;
    Draft* m_draft;
    OptionForm* m_form;
    TomlEdit* m_text;
    QLabel* m_textNote;
    PreflightList* m_preflight;
    QLineEdit* m_command;
    QLabel* m_message;
    QPushButton* m_start;
    QSplitter* m_splitter;
    bool m_isStartWanted = false;  ///< pressed while checks were under way
    bool m_isBusy = false;         ///< a start is under way
};

}  // namespace ui
