#include "ui/launch/launch_window.h"

#include "launcher/home/other_home.h"
#include "launcher/home/ready_experiments.h"
#include "ui/base/background.h"
#include "ui/base/icons.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"
#include "ui/launch/draft_keeper.h"
#include "ui/launch/launch_side.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/launch/option_words.h"
#include "ui/launch/preset_menu.h"
#include "ui/launch/start_bar.h"

#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QSplitter>
#include <QVBoxLayout>

#include <utility>

namespace ui {

LaunchWindow::LaunchWindow(
    const launcher::DataHome& home, RunControl& control, Settings& settings, const std::optional<DraftOrigin>& queued, QWidget* parent)
    : QWidget(parent, Qt::Window)
    , m_home(home)
    , m_control(control)
    , m_settings(settings)
    , m_queued(queued)
    , m_draft(new Draft(home, this, control.mirror()))
    , m_keeper(new DraftKeeper(*m_draft, settings, queued ? queued->name : QString(), this))
    , m_form(new OptionForm(*m_draft))
    , m_presets(new PresetMenu(home, *m_draft, this))
    , m_side(new LaunchSide(home, *m_draft, nullptr))
    , m_bar(new StartBar(queued.has_value(), nullptr))
{
    setWindowTitle(m_queued ? tr("%1 in the queue – Atelier").arg(m_queued->name) : tr("New experiment – Atelier"));
    setObjectName(QStringLiteral("launchWindow"));
    // Tab goes through the parts in the order in which they get this as parent.
    auto* const top = makeTop();
    auto* const splitter = new QSplitter(this);
    splitter->addWidget(m_form);
    splitter->addWidget(m_side);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({620, 440});
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(top);
    if (m_draft->mirror())
        layout->addWidget(makeHostNote());
    layout->addWidget(splitter, 1);
    layout->addWidget(m_bar);
    setupActions();

    connect(m_draft, &Draft::fieldsChanged, this, &LaunchWindow::update);
    connect(m_presets, &PresetMenu::chosen, this, &LaunchWindow::load);
    connect(m_presets, &PresetMenu::chosenThere, this,
        [this](const QString& file, const QString& toml) { replaceDraft([this, file, toml] { m_draft->loadThere(file, toml); }); });
    connect(m_presets, &PresetMenu::reported, m_bar, &StartBar::setMessage);
    connect(m_form, &OptionForm::textProblemRequested, this, [this] {
        if (const auto& problems = m_draft->textProblems(); !problems.empty())
            m_side->goToText(problems.front().line);
    });
    connect(m_side, &LaunchSide::optionActivated, m_form, &OptionForm::goTo);
    connect(m_side, &LaunchSide::fixRequested, this, &LaunchWindow::applyFix);
    connect(m_bar, &StartBar::startRequested, this, &LaunchWindow::start);
    connect(m_bar, &StartBar::queueRequested, this, &LaunchWindow::addToQueue);
    connect(m_draft, &Draft::checked, this, [this] {
        if (!m_isStartPending)
            return;
        setStartPending(false);
        startIfValid();
    });
    connect(m_bar, &StartBar::cancelRequested, this, [this] { setStartPending(false); });
    connectControl();
    resize(sizeOnScreen(*this, QSize(1060, 760)));
    restoreOnScreen(*this, m_settings.geometry(objectName()));
    restoreDraft();
}

QWidget* LaunchWindow::makeTop()
{
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    const auto addButton = [&](const QString& text, const char* iconName, auto run) {
        auto* button = new QPushButton(icon(QLatin1String(iconName)), text, row);
        connect(button, &QPushButton::clicked, this, run);
        layout->addWidget(button);
        return button;
    };
    auto* const ready = m_ready = new QMenu(this);
    ready->setObjectName(QStringLiteral("readyExperiments"));
    ready->setToolTipsVisible(true);
    for (const launcher::ReadyExperiment& experiment : launcher::readyExperiments()) {
        const QString name = QString::fromStdString(experiment.name);
        ready->addAction(name, this, [this, name] { loadReady(name); })->setToolTip(translatedText(experiment.about));
    }
    addButton(tr("Ready experiments"), "play-demo", [] { })->setMenu(ready);
    addButton(tr("Presets"), "save", [] { })->setMenu(m_presets);
    addButton(tr("Open…"), "open", [this] { openFile(); });
    addButton(tr("Save as a file…"), "folder", [this] { saveFile(); });
    if (m_queued)
        addButton(tr("As it is in the queue"), "revert", [this] { setExperiment(*m_queued); });
    else
        addButton(tr("All defaults"), "revert", [this] { setExperiment(DraftOrigin()); });
    layout->addStretch();
    return row;
}

QWidget* LaunchWindow::makeHostNote()
{
    const QString host = QString::fromStdString(m_draft->mirror()->host().text());
    auto* const note = new QLabel(tr("The run is checked and started on %1. Paths are those of files there: type them. The menu Presets has those of both machines; experiment files are this one's.").arg(host), this);
    note->setObjectName(QStringLiteral("hostNote"));
    note->setWordWrap(true);
    note->setTextFormat(Qt::PlainText);
    setWindowTitle(m_queued ? tr("%1 in the queue on %2 – Atelier").arg(m_queued->name, host) : tr("New experiment on %1 – Atelier").arg(host));
    return note;
}

void LaunchWindow::restoreDraft()
{
    if (m_queued)
        m_draft->setExperiment(*m_queued);
    const bool isRestored = m_keeper->restore();
    if (!m_queued && !isRestored)
        loadReady(QStringLiteral("digits"));
    update();
    if (m_queued && isRestored)
        m_bar->setMessage(tr("Your changes from before are here. The queue does not have them yet."));
}

void LaunchWindow::replaceDraft(std::function<void()> replace)
{
    delete m_question;
    if (!m_draft->isEdited()) {
        replace();
        return;
    }
    m_question = new QMessageBox(QMessageBox::Question, tr("Replace the experiment"),
        tr("The experiment in this window has changes that are not saved. Replace it?"), QMessageBox::NoButton, this);
    m_question->setObjectName(QStringLiteral("replaceQuestion"));
    m_question->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const yes = m_question->addButton(tr("Replace"), QMessageBox::DestructiveRole);
    m_question->setDefaultButton(m_question->addButton(tr("Keep my changes"), QMessageBox::RejectRole));
    connect(yes, &QPushButton::clicked, this, [replace = std::move(replace)] { replace(); });
    m_question->open();
}

void LaunchWindow::load(const QString& file)
{
    inBackground(this, [home = m_home, file] { return Draft::read(home, file); },
        [this, wanted = ++m_wantedFile](const Draft::File& read) {
            if (wanted == m_wantedFile)
                replaceDraft([this, read] { m_draft->load(read); });
        });
}

void LaunchWindow::loadReady(const QString& name)
{
    ++m_wantedFile;
    const auto file = launcher::resourcesFolder() / "experiments" / (name.toStdString() + ".toml");
    replaceDraft([this, file = QString::fromStdString(file.string())] { m_draft->load(file); });
}

void LaunchWindow::setExperiment(const DraftOrigin& origin)
{
    ++m_wantedFile;
    replaceDraft([this, origin] { m_draft->setExperiment(origin); });
}

void LaunchWindow::openFile()
{
    auto* dialog = new QFileDialog(this, tr("Open an experiment"), QString(), tr("Experiments (*.toml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, &LaunchWindow::load);
    dialog->open();
}

void LaunchWindow::saveFile()
{
    if (const QString refusal = m_draft->saveRefusal(); !refusal.isEmpty())
        return m_bar->setMessage(refusal);
    auto* dialog = new QFileDialog(this, tr("Save the experiment"), QString(), tr("Experiments (*.toml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("atelier.toml"));  // which file managers open with Atelier
    connect(dialog, &QFileDialog::fileSelected, this, &LaunchWindow::saveAs);
    dialog->open();
}

void LaunchWindow::applyFix(const launcher::PreflightFix& fix)
{
    using Kind = launcher::PreflightFix::Kind;
    const QString key = QString::fromStdString(fix.key);
    switch (fix.kind) {
    case Kind::SetOptions:
        for (const auto& [option, value] : fix.values)
            m_draft->setField(QString::fromStdString(option), QString::fromStdString(value));
        m_draft->finishField();
        break;
    case Kind::ChoosePath:
        m_form->goTo(key);
        m_form->field(key)->choosePath();
        break;
    case Kind::ShowOption:
        m_form->goTo(key);
        break;
    case Kind::OpenTrash:
        Q_EMIT trashRequested();
        break;
    case Kind::MoveHome:
        chooseHome();
        break;
    }
}

void LaunchWindow::chooseHome()
{
    auto* dialog = new QFileDialog(this, tr("Choose a folder for runs, on a disk with space"));
    dialog->setObjectName(QStringLiteral("homeDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        const auto work = [folder = folder.toStdString(), toml = m_draft->experiment().toToml(contract::Experiment::Write::ChangedOnly)] {
            try {
                launcher::openOnHome(folder, toml);
                return QString();
            } catch (const std::exception& error) {
                return translatedSentence(error.what());
            }
        };
        inBackground(this, work, [this, folder](const QString& error) {
            m_bar->setMessage(error.isEmpty()
                    ? tr("Another window opens, whose runs are in %1. To come back to them later, start Atelier with ATELIER_HOME=%1.").arg(folder)
                    : error);
        });
    });
    dialog->open();
}

void LaunchWindow::saveAs(const QString& name)
{
    m_draft->moveTo(QFileInfo(name).absolutePath().toStdString());
    struct Saved {
        QString error;
        DraftOrigin origin;
    };
    const auto work = [home = m_home, name, toml = m_draft->toml(), experiment = m_draft->experiment()] {
        QSaveFile file(name);
        const bool isSaved = file.open(QIODevice::WriteOnly) && file.write(toml.toUtf8()) >= 0 && file.commit();
        return isSaved ? Saved {{}, DraftOrigin::ofFile(home, name, experiment)} : Saved {file.errorString(), {}};
    };
    const QString message = m_draft->savedMessage(tr("Saved as %1.").arg(name));
    inBackground(this, work, [this, name, message, toml = m_draft->toml()](const Saved& saved) {
        if (saved.error.isEmpty())
            m_draft->setOrigin(saved.origin);
        if (saved.error.isEmpty() && m_draft->toml() == toml)
            m_draft->markKept();
        m_bar->setMessage(saved.error.isEmpty() ? message : tr("%1 cannot be written: %2.").arg(name, saved.error));
    });
}

void LaunchWindow::update()
{
    m_bar->setCounts(m_draft->problems().size() + m_draft->refusals().size(), m_draft->runCount());
    showCommandLine();
    Q_EMIT actionsChanged();
    if (m_isProblemShown)
        showProblem(firstProblem());
    else if (m_draft->isChecking() && !m_isBusy && !m_isStartPending)
        m_bar->setMessage(QString());  // it was about the draft before this change
}

void LaunchWindow::showCommandLine()
{
    QString problem = m_draft->commandProblem();
    if (problem.isEmpty() && m_queued && m_draft->experiment() == m_queued->experiment)
        problem = tr("Nothing differs from what is in the queue.");
    const QString line = m_queued ? m_draft->editCommandLine(m_queued->name, m_queued->experiment) : m_draft->commandLine();
    m_bar->setCommandLine(line, withLabels(problem));
}

void LaunchWindow::closeEvent(QCloseEvent* event)
{
    m_settings.setGeometry(objectName(), saveGeometry());
    if (m_isStartPending)
        setStartPending(false);
    QWidget::closeEvent(event);
}

}  // namespace ui
