#include "ui/launch/launch_window.h"

#include "launcher/ready_experiments.h"
#include "ui/base/icons.h"
#include "ui/launch/draft.h"
#include "ui/launch/option_form.h"
#include "ui/launch/preflight_list.h"
#include "ui/launch/toml_edit.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QShortcut>
#include <QSplitter>
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
    , m_control(control)
    , m_settings(settings)
    , m_draft(new Draft(home, this))
    , m_form(new OptionForm(*m_draft, this))
    , m_text(new TomlEdit(*m_draft, this))
    , m_textNote(new QLabel(this))
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
    layout->addWidget(m_splitter, 1);
    layout->addWidget(makeBottom());
    setupShortcuts();

    connect(m_draft, &Draft::fieldsChanged, this, &LaunchWindow::update);
    connect(m_draft, &Draft::checked, this, [this] {
        m_preflight->setItems(m_draft->preflight());
        if (std::exchange(m_isStartWanted, false))
            startIfRight();
    });
    connect(&m_control, &RunControl::started, this, [this] {
        if (std::exchange(m_isBusy, false))
            close();
    });
    connect(&m_control, &RunControl::startFailed, this, [this](const QString& message) {
        setBusy(false);
        m_message->setText(message);
    });
    resize(1060, 760);
    restoreGeometry(m_settings.geometry(objectName()));
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
    for (const launcher::ReadyExperiment& ready : launcher::readyExperiments()) {
        const QString name = QString::fromStdString(ready.name);
        addButton(tr("%1 demo").arg(name.at(0).toUpper() + name.mid(1)), "play-demo", [this, name] { loadReady(name); })
            ->setToolTip(QString::fromStdString(ready.about));
    }
    addButton(tr("Open…"), "open", [this] { openFile(); });
    addButton(tr("Save as…"), "save", [this] { saveFile(); });
    addButton(tr("All defaults"), "revert", [this] { setExperiment({}); });
    layout->addStretch();
    return row;
}

QWidget* LaunchWindow::makeSide()
{
    auto* side = new QWidget(this);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(6, 0, 0, 0);
    m_textNote->setWordWrap(true);
    layout->addWidget(makeTitle(tr("As text"), side));
    layout->addWidget(m_text, 1);
    layout->addWidget(m_textNote);
    layout->addSpacing(6);
    layout->addWidget(makeTitle(tr("Before the start"), side));
    layout->addWidget(m_preflight);
    return side;
}

QWidget* LaunchWindow::makeBottom()
{
    auto* bottom = new QWidget(this);
    auto* layout = new QVBoxLayout(bottom);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* commandRow = new QHBoxLayout;
    auto* label = new QLabel(tr("The same in a terminal:"), bottom);
    label->setBuddy(m_command);
    m_command->setReadOnly(true);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setAccessibleName(tr("Equal command line"));
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
    m_message->setObjectName(QStringLiteral("launchMessage"));
    m_start->setObjectName(QStringLiteral("startButton"));
    m_start->setDefault(true);
    m_start->setMinimumWidth(140);
    connect(m_start, &QPushButton::clicked, this, &LaunchWindow::start);
    startRow->addWidget(m_message, 1);
    startRow->addWidget(m_start);
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
    on(QKeySequence(QKeySequence::Save), [this] { saveFile(); });
    on(QKeySequence(QKeySequence::Close), [this] { close(); });
}

void LaunchWindow::restoreDraft()
{
    if (m_settings.draft().isEmpty()) {
        loadReady(QStringLiteral("digits"));
        return;
    }
    m_draft->setBaseFolder(m_settings.draftFolder().toStdString());
    m_draft->setToml(m_settings.draft());
    Q_EMIT m_draft->textChanged();
}

void LaunchWindow::load(const QString& file)
{
    m_draft->load(file);
}

void LaunchWindow::loadReady(const QString& name)
{
    const auto file = launcher::resourcesFolder() / "experiments" / (name.toStdString() + ".toml");
    load(QString::fromStdString(file.string()));
}

void LaunchWindow::setExperiment(const contract::Experiment& experiment)
{
    m_draft->setExperiment(experiment);
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
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& name) {
        QSaveFile file(name);
        const bool isSaved = file.open(QIODevice::WriteOnly)
            && file.write(m_draft->toml().toUtf8()) >= 0 && file.commit();
        m_message->setText(isSaved ? tr("Saved as %1.").arg(name)
                                   : tr("%1 cannot be written: %2.").arg(name, file.errorString()));
    });
    dialog->open();
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
            tr("The text is kept as it is; the form shows what could be read of it. %1")
                .arg(QString::fromStdString(textProblems.front().message)));
    m_command->setText(m_draft->commandLine());
    m_command->setCursorPosition(0);
    m_settings.setDraft(m_draft->toml(), QString::fromStdString(m_draft->baseFolder()));
}

void LaunchWindow::start()
{
    if (m_isBusy)
        return;
    if (m_draft->isChecking())
        m_isStartWanted = true;
    else
        startIfRight();
}

void LaunchWindow::startIfRight()
{
    const auto problems = m_draft->problems();
    if (problems.empty()) {
        setBusy(true);
        m_message->setText(tr("Starting…"));
        m_control.start(m_draft->experiment());
        return;
    }
    const contract::Problem& first = problems.front();
    m_message->setText(QString::fromStdString(first.message));
    if (contract::findOption(first.key))
        m_form->goTo(QString::fromStdString(first.key));
    else if (first.line > 0)
        m_text->goToLine(first.line);
    else
        m_text->setFocus(Qt::OtherFocusReason);
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
