#include "ui/launch/launch_window.h"

#include "launcher/home/other_home.h"
#include "launcher/home/ready_experiments.h"
#include "ui/base/background.h"
#include "ui/base/icons.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"
#include "ui/launch/difference_list.h"
#include "ui/launch/draft.h"
#include "ui/launch/forecast_view.h"
#include "ui/launch/gpu_choice.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/launch/option_words.h"
#include "ui/launch/preflight_list.h"
#include "ui/launch/preset_menu.h"
#include "ui/launch/script_view.h"
#include "ui/launch/toml_edit.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QScreen>
#include <QShortcut>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {
namespace {

QLabel* makeTitle(const QString& text, QWidget* parent)
{
    auto* title = new QLabel(text, parent);
    QFont font = title->font();
    font.setBold(true);
    title->setFont(font);
    return title;
}

}  // namespace

LaunchWindow::LaunchWindow(
    const launcher::DataHome& home, RunControl& control, Settings& settings, QWidget* parent)
    : QWidget(parent, Qt::Window)
    , m_home(home)
    , m_control(control)
    , m_settings(settings)
    , m_draft(new Draft(home, this, control.mirror()))
    , m_form(new OptionForm(*m_draft, this))
    , m_text(new TomlEdit(*m_draft, this))
    , m_textNote(new QLabel(this))
    , m_differences(new DifferenceList(*m_draft, this))
    , m_presets(new PresetMenu(home, *m_draft, this))
    , m_gpus(new GpuChoice(*m_draft, this))
    , m_preflight(new PreflightList(this))
    , m_command(new QLineEdit(this))
    , m_message(new QLabel(this))
    , m_start(new QPushButton(icon(QStringLiteral("start")), tr("Start"), this))
    , m_splitter(new QSplitter(this))
{
    setWindowTitle(tr("New experiment – Atelier"));
    setObjectName(QStringLiteral("launchWindow"));
    m_splitter->addWidget(m_form);
    m_splitter->addWidget(makeSide());
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setSizes({620, 440});
    m_splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeTop());
    if (m_draft->mirror())
        layout->addWidget(makeHostNote());
    layout->addWidget(m_splitter, 1);
    layout->addWidget(makeBottom());
    setupShortcuts();

    connect(m_draft, &Draft::fieldsChanged, this, &LaunchWindow::update);
    connect(m_draft, &Draft::originChanged, this, [this] { m_settings.setDraftOrigin(m_draft->origin().toStrings()); });
    connect(m_presets, &PresetMenu::chosen, this, &LaunchWindow::load);
    connect(m_presets, &PresetMenu::chosenThere, this,
        [this](const QString& file, const QString& toml) { replaceDraft([this, file, toml] { m_draft->loadThere(file, toml); }); });
    connect(m_presets, &PresetMenu::reported, this, [this](const QString& sentence) { m_message->setText(sentence); });
    connect(m_differences, &DifferenceList::optionActivated, m_form, &OptionForm::goTo);
    connect(m_preflight, &PreflightList::fixRequested, this, &LaunchWindow::applyFix);
    connect(m_draft, &Draft::checked, this, [this] {
        m_preflight->setItems(m_draft->preflight());
        if (std::exchange(m_isStartPending, false))
            startIfValid();
    });
    connect(&m_control, &RunControl::started, this, &LaunchWindow::finishStart);
    connect(&m_control, &RunControl::queued, this, &LaunchWindow::finishStart);
    connect(&m_control, &RunControl::startFailed, this, [this](const QString& message) {
        if (!m_isBusy)
            return;
        setBusy(false);
        m_message->setText(message);
    });
    resize(sizeOnScreen(*this, QSize(1060, 760)));
    restoreGeometry(m_settings.geometry(objectName()));
    restoreDraft();
}

void LaunchWindow::finishStart()
{
    if (!m_isBusy)
        return;  // another view has started it
    setBusy(false);
    m_message->clear();
    m_form->clearSearch();
    if (m_draft->toml() == m_startedToml)
        m_draft->markKept();
    close();
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
    auto* const ready = new QMenu(this);
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
    setWindowTitle(tr("New experiment on %1 – Atelier").arg(host));
    return note;
}

QWidget* LaunchWindow::makeSide()
{
    auto* side = new QWidget(this);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(6, 0, 0, 0);
    m_textNote->setWordWrap(true);
    m_textNote->setTextFormat(Qt::PlainText);
    auto* const text = new QWidget(side);
    auto* const textLayout = new QVBoxLayout(text);
    textLayout->setContentsMargins(0, 6, 0, 0);
    textLayout->addWidget(m_text, 1);
    textLayout->addWidget(m_textNote);
    auto* const tabs = new QTabWidget(side);
    tabs->setObjectName(QStringLiteral("launchTabs"));
    tabs->setDocumentMode(true);
    tabs->addTab(text, tr("TOML text"));
    tabs->addTab(m_differences, QString());
    tabs->addTab(new ForecastView(m_home, *m_draft, tabs), tr("Forecast"));
    auto* const script = new ScriptView(m_home, *m_draft, tabs);
    const int scriptTab = tabs->addTab(script, tr("Slurm script"));
    const auto showCount = [this, tabs] { tabs->setTabText(tabs->indexOf(m_differences), tr("Changes (%1)").arg(m_differences->count())); };
    connect(m_differences, &DifferenceList::countChanged, this, showCount);
    showCount();
    layout->addWidget(tabs, 1);
    layout->addSpacing(6);
    auto* const gpuTitle = makeTitle(tr("GPUs"), side);
    layout->addWidget(gpuTitle);
    layout->addWidget(m_gpus);
    tabs->setTabVisible(scriptTab, false);
    const auto showTarget = [this, tabs, script, scriptTab, gpuTitle] {
        const bool isForSlurm = script->isWanted();
        if (isForSlurm == gpuTitle->isHidden())
            return;
        const bool isScriptShown = isForSlurm && !m_draft->mirror();  // it would name this machine's folders
        tabs->setTabVisible(scriptTab, isScriptShown);
        if (isScriptShown)
            tabs->setCurrentIndex(scriptTab);
        gpuTitle->setVisible(!isForSlurm);
        m_gpus->setVisible(!isForSlurm);
    };
    connect(m_draft, &Draft::fieldsChanged, this, showTarget);
    showTarget();
    layout->addSpacing(6);
    layout->addWidget(makeTitle(tr("Preflight checks"), side));
    layout->addWidget(m_preflight);
    return side;
}

QWidget* LaunchWindow::makeBottom()
{
    auto* bottom = new QWidget(this);
    auto* layout = new QVBoxLayout(bottom);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* commandRow = new QHBoxLayout;
    auto* label = new QLabel(tr("Command line:"), bottom);
    label->setBuddy(m_command);
    m_command->setReadOnly(true);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setAccessibleName(tr("Equivalent command line"));
    auto* copy = new QToolButton(bottom);
    copy->setIcon(icon(QStringLiteral("copy")));
    copy->setToolTip(tr("Copy the command line"));
    copy->setAccessibleName(tr("Copy the command line"));
    connect(copy, &QToolButton::clicked, this,
        [this] { QApplication::clipboard()->setText(m_command->text()); });
    commandRow->addWidget(label);
    commandRow->addWidget(m_command, 1);
    commandRow->addWidget(copy);

    auto* startRow = new QHBoxLayout;
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setObjectName(QStringLiteral("launchMessage"));
    m_start->setObjectName(QStringLiteral("startButton"));
    m_start->setDefault(true);
    m_start->setMinimumWidth(140);
    connect(m_start, &QPushButton::clicked, this, &LaunchWindow::start);
    auto* more = new QToolButton(bottom);
    more->setObjectName(QStringLiteral("startMenu"));
    more->setIcon(icon(QStringLiteral("chevron-down")));
    more->setToolTip(tr("Other ways to start"));
    more->setAccessibleName(tr("Other ways to start"));
    auto* menu = new QMenu(more);
    QAction* const queue = menu->addAction(icon(QStringLiteral("queue")), tr("Add to &queue"), this, &LaunchWindow::addToQueue);
    queue->setObjectName(QStringLiteral("addToQueue"));
    queue->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return));
    addAction(queue);
    // Not setMenu(), which would draw a second arrow.
    connect(more, &QToolButton::clicked, menu, [more, menu] { menu->popup(more->mapToGlobal(QPoint(0, more->height()))); });
    startRow->addWidget(m_message, 1);
    startRow->addWidget(m_start);
    startRow->addWidget(more);
    more->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    layout->addLayout(commandRow);
    layout->addLayout(startRow);
    return bottom;
}

void LaunchWindow::setupShortcuts()
{
    const auto on = [this](const QKeySequence& key, auto run) {
        connect(new QShortcut(key, this), &QShortcut::activated, this, run);
    };
    on(QKeySequence(Qt::CTRL | Qt::Key_Return), [this] { start(); });
    on(QKeySequence(QKeySequence::Find), [this] { m_form->focusSearch(); });
    on(QKeySequence(QKeySequence::Open), [this] { openFile(); });
    on(QKeySequence(QKeySequence::Close), [this] { close(); });
}

void LaunchWindow::restoreDraft()
{
    if (m_settings.draft().isEmpty()) {
        loadReady(QStringLiteral("digits"));
        return;
    }
    m_draft->setBaseFolder(m_settings.draftFolder().toStdString());
    const bool isEdited = m_settings.isDraftEdited();
    m_draft->setToml(m_settings.draft());
    m_draft->setOrigin(DraftOrigin::restored(m_settings.draftOrigin()));
    Q_EMIT m_draft->textChanged();
    if (!isEdited)
        m_draft->markKept();
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
    replaceDraft([this, file] { m_draft->load(file); });
}

void LaunchWindow::loadReady(const QString& name)
{
    const auto file = launcher::resourcesFolder() / "experiments" / (name.toStdString() + ".toml");
    load(QString::fromStdString(file.string()));
}

void LaunchWindow::setExperiment(const DraftOrigin& origin)
{
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
    auto* dialog = new QFileDialog(this, tr("Save the experiment"), QString(), tr("Experiments (*.toml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("toml"));
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
            m_message->setText(error.isEmpty()
                    ? tr("Another window opens, whose runs are in %1. To come back to them later, start Atelier with ATELIER_HOME=%1.").arg(folder)
                    : error);
        });
    });
    dialog->open();
}

void LaunchWindow::saveAs(const QString& name)
{
    m_draft->moveTo(QFileInfo(name).absolutePath().toStdString());
    QSaveFile file(name);
    const bool isSaved = file.open(QIODevice::WriteOnly)
        && file.write(m_draft->toml().toUtf8()) >= 0 && file.commit();
    if (isSaved) {
        m_draft->setOrigin(DraftOrigin::ofFile(m_home, name, m_draft->experiment()));
        m_draft->markKept();
    }
    m_message->setText(isSaved ? tr("Saved as %1.").arg(name)
                               : tr("%1 cannot be written: %2.").arg(name, file.errorString()));
}

void LaunchWindow::update()
{
    const auto problems = m_draft->problems();
    m_start->setText(problems.empty() ? tr("Start")
            : problems.size() == 1    ? tr("Start – 1 problem left")
                                      : tr("Start – %1 problems left").arg(problems.size()));
    m_start->setEnabled(!m_isBusy);
    const auto& textProblems = m_draft->textProblems();
    m_textNote->setVisible(!textProblems.empty());
    if (!textProblems.empty())
        m_textNote->setText(
            tr("The text has errors and is kept as typed; the form shows the values that could be read. %1")
                .arg(translatedSentence(textProblems.front().message)));
    m_command->setText(m_draft->commandLine());
    m_command->setCursorPosition(0);
    if (m_isProblemShown)
        showProblem(problems.empty() ? QString() : translatedSentence(problems.front().message));
    else if (m_draft->isChecking() && !m_isBusy)
        m_message->clear();  // it was about the draft before this change
    m_settings.setDraft(m_draft->toml(), QString::fromStdString(m_draft->baseFolder()));
    m_settings.setDraftEdited(m_draft->isEdited());
}

void LaunchWindow::start() { request(false); }

void LaunchWindow::addToQueue() { request(true); }

void LaunchWindow::request(bool isForQueue)
{
    if (m_isBusy)
        return;
    m_isForQueue = isForQueue;
    if (m_draft->isChecking())
        m_isStartPending = true;
    else
        startIfValid();
}

void LaunchWindow::startIfValid()
{
    const auto problems = m_draft->problems();
    if (problems.empty()) {
        setBusy(true);
        m_isProblemShown = false;
        m_startedToml = m_draft->toml();
        m_message->setText(m_isForQueue ? tr("Adding to the queue…") : tr("Starting…"));
        if (m_isForQueue)
            m_control.queue(m_draft->experiment());
        else
            m_control.start(m_draft->experiment());
        return;
    }
    const contract::Problem& first = problems.front();
    showProblem(translatedSentence(first.message));
    if (contract::findOption(first.key))
        m_form->goTo(QString::fromStdString(first.key));
    else if (first.line > 0)
        m_text->goToLine(first.line);
    else
        m_text->setFocus(Qt::OtherFocusReason);
}

void LaunchWindow::showProblem(const QString& message)
{
    m_isProblemShown = !message.isEmpty();
    m_message->setText(withLabels(message));
}

void LaunchWindow::setBusy(bool isBusy)
{
    m_isBusy = isBusy;
    m_start->setEnabled(!isBusy);
}

void LaunchWindow::closeEvent(QCloseEvent* event)
{
    m_settings.setGeometry(objectName(), saveGeometry());
    QWidget::closeEvent(event);
}

}  // namespace ui
