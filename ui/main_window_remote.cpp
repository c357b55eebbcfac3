// What the main window does about other machines: it opens a window on one, and is such a window.
#include "launcher/home/other_home.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/main_window.h"
#include "ui/manual/manual_page.h"
#include "ui/remote/host_dialog.h"
#include "ui/remote/recent_hosts.h"
#include "ui/remote/remote_label.h"
#include "ui/remote/remote_watch.h"
#include "ui/run_commands.h"
#include "ui/runs/runs_view.h"
#include "ui/status_strip.h"

#include <QStatusBar>
#include <QTabWidget>

namespace ui {
namespace {

/// What is about files or programs of the machine that the window runs on.
constexpr const char* kOnlyHere[] = {"app.import", "app.unpack", "app.disk", "app.webhook", "run.pack", "run.debug"};

}  // namespace

void MainWindow::openMachine()
{
    if (auto* const open = findChild<HostDialog*>())
        return open->raise();
    auto* dialog = new HostDialog(recentHosts(launcher::DataHome::locate()), this);
    setManualPage(*dialog, QStringLiteral("remote"));
    connect(dialog, &HostDialog::chosen, this, [this, dialog](const launcher::RemoteHost& host) {
        try {
            launcher::openOnHost(host.text(), host.program);
            rememberHost(launcher::DataHome::locate(), host);
            dialog->close();
            showStatus(tr("Opening a window on %1…").arg(QString::fromStdString(host.text())));
        } catch (const std::exception& error) {
            dialog->showProblem(QString::fromUtf8(error.what()));
        }
    });
    dialog->show();
}

void MainWindow::setupRemote()
{
    Workbench& bench = *m_workbench;
    if (!bench.mirror)
        return;
    m_remote = new RemoteWatch(*bench.mirror, bench.store, bench.runs, bench.watch, bench.selection, this);
    statusBar()->findChild<StatusStrip*>()->setDiskHere();
    statusBar()->addPermanentWidget(new RemoteLabel(*bench.mirror, statusBar()));
    connect(m_remote, &RemoteWatch::inspectedCopied, m_gallery, &GalleryView::readAgain);
    connect(m_remote, &RemoteWatch::linkChanged, m_commands, &RunCommands::refresh);
    const auto showSamples = [this] { m_remote->setSamplesShown(m_tabs->currentWidget() == m_gallery); };
    connect(m_tabs, &QTabWidget::currentChanged, m_remote, showSamples);
    showSamples();
    const QString host = QString::fromStdString(bench.mirror->host().text());
    const QString reason = tr("This window shows the runs of %1. Do this there, or in a window on this machine's runs.").arg(host);
    const auto sayWhyEmpty = [this, host] {
        m_runsView->setEmptySentence(m_workbench->mirror->link().isListed ? tr("There are no runs on %1 yet.").arg(host)
                                                                          : tr("The runs of %1 have not been read yet.").arg(host));
    };
    connect(m_remote, &RemoteWatch::linkChanged, m_runsView, sayWhyEmpty);
    sayWhyEmpty();
    for (const char* id : kOnlyHere)
        bench.actions.setEnabled(QLatin1String(id), false, reason);
    m_checkpoints->setFilesElsewhere(*bench.mirror);
    bench.actions.setEnabled(QStringLiteral("queue.plan"), false, reason);
}

}  // namespace ui
