// The dialogs that ask for something, and the menus that are made at run time.
#include "tests/ui/screenshots/pages.h"
#include "tests/ui/support/test_home.h"
#include "ui/archive/unpack_dialog.h"
#include "ui/more_steps_dialog.h"
#include "ui/notify/webhook_dialog.h"
#include "ui/rules_dialog.h"
#include "ui/view_keeper.h"
#include "ui/views/view_files.h"
#include "ui/views_menu.h"

#include <QAction>
#include <QLineEdit>
#include <QMessageBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTreeWidget>

#include <fstream>

namespace screenshots {
namespace {

constexpr char kRun[] = "sd3-lora-20261121-100000-aaaa";

/// Triggers the action when it can be, and returns the dialog that it opens.
template <typename Dialog>
Dialog& openBy(ui::MainWindow& window, const char* action)
{
    QAction* const opens = window.workbench().actions.action(QLatin1String(action));
    waitFor([&] { return opens->isEnabled(); });
    opens->trigger();
    waitFor([&] { return window.findChild<Dialog*>() != nullptr; });
    return *window.findChild<Dialog*>();
}

void showRules(ui::MainWindow& window, Album& album)
{
    auto& dialog = openBy<ui::RulesDialog>(window, "run.rules");
    auto& rules = *dialog.findChild<QLineEdit*>();
    rules.setText(QStringLiteral("grad_norm < 0.1 for 5 steps: notify, checkpoint | loss > 99: stop | reward < 0.5: notify"));
    waitFor([&] { return dialog.firings().topLevelItemCount() == 3; });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("rules"));
    rules.setText(QStringLiteral("grad_norm < 0.1"));
    settle(window);
    album.keepBoth(dialog, QStringLiteral("rules-mistake"));
    dialog.close();
}

void showUnpack(ui::MainWindow& window, Album& album)
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("run.tar"));
    std::ofstream(file.toStdString()) << "This is no packed run.";
    window.unpackRun(file);
    auto& dialog = *window.findChild<ui::UnpackDialog*>();
    const QString before = dialog.note();
    waitFor([&] { return dialog.note() != before; });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("unpack-problem"));
    dialog.close();
}

void showWebhook(ui::MainWindow& window, Album& album)
{
    auto& dialog = openBy<ui::WebhookDialog>(window, "app.webhook");
    settle(window);
    album.keepBoth(dialog, QStringLiteral("webhook"));
    dialog.address().setText(QStringLiteral("http://127.0.0.1:1/"));
    dialog.test();
    const QString sending = dialog.note();
    waitFor([&] { return dialog.note() != sending; });
    settle(window);
    album.keepBoth(dialog, QStringLiteral("webhook-problem"));
    dialog.close();
}

void showMoreSteps(ui::MainWindow& window, Album& album)
{
    auto& dialog = openBy<ui::MoreStepsDialog>(window, "run.resume");
    settle(window);
    album.keepBoth(dialog, QStringLiteral("more-steps"));
    dialog.close();
}

void showSavedViews(ui::MainWindow& window, Album& album)
{
    for (const char* name : {"Loss of all runs", "Memory by rank"})
        window.view().saveAs(QLatin1String(name));
    waitFor([&] { return ui::savedViews(window.workbench().home).size() == 2; });
    auto& menu = *window.findChild<ui::ViewsMenu*>();
    menu.popup(window.mapToGlobal(QPoint(100, 100)));
    settle(window);
    album.keepBoth(menu, QStringLiteral("saved-views"));
    menu.close();
}

void showAbout(ui::MainWindow& window, Album& album)
{
    auto& box = openBy<QMessageBox>(window, "help.about");
    settle(window);
    album.keepBoth(box, QStringLiteral("about"));
    box.close();
}

}  // namespace

void showQuestions(Album& album)
{
    const ui_test::TestHome home;
    setFacts(home.writeRun(kRun, 100, "finished"), "sd3-lora", 100);
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.openRun(QLatin1String(kRun));
    settle(window);
    showRules(window, album);
    showUnpack(window, album);
    showWebhook(window, album);
    showMoreSteps(window, album);
    showSavedViews(window, album);
    showAbout(window, album);
}

}  // namespace screenshots
