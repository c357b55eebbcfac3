#include "ui/desktop.h"

#include "ui/base/appearance.h"
#include "ui/base/icons.h"
#include "ui/base/watchdog.h"
#include "ui/launch/launch_window.h"
#include "ui/main_window.h"
#include "ui/single_instance.h"

#include <QMessageBox>

#include <exception>

namespace ui {
namespace {

// What one start may ask of the window that is open already: a word, a space, an argument.
constexpr char kRaise[] = "raise";
constexpr char kDemo[] = "demo";
constexpr char kRun[] = "run";
constexpr char kExperiment[] = "experiment";

QString request(const DesktopOptions& options)
{
    const auto with = [](const char* word, const std::string& argument) {
        return QStringLiteral("%1 %2").arg(QLatin1String(word), QString::fromStdString(argument));
    };
    if (!options.openRun.empty())
        return with(kRun, options.openRun);
    if (!options.experiment.empty())
        return with(kExperiment, std::filesystem::absolute(options.experiment).string());
    return QLatin1String(options.startDemo ? kDemo : kRaise);
}

void obey(MainWindow& window, const QString& message)
{
    const QString word = message.section(QLatin1Char(' '), 0, 0);
    const QString argument = message.section(QLatin1Char(' '), 1);
    window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
    window.show();
    window.raise();
    window.activateWindow();
    if (word == QLatin1String(kDemo))
        window.startDemo(QStringLiteral("digits"));
    else if (word == QLatin1String(kRun))
        window.openRun(argument);
    else if (word == QLatin1String(kExperiment))
        window.openLaunchWindow().load(argument);
}

/// Empty, or why nothing can be kept there.
QString createHome(const launcher::DataHome& home)
{
    try {
        home.create();
        return {};
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
}

}  // namespace

int runDesktop(int& argc, char** argv, const DesktopOptions& options)
{
    QApplication::setApplicationName(QStringLiteral("atelier"));
    QApplication::setApplicationDisplayName(QStringLiteral("Atelier"));
    QApplication::setApplicationVersion(QStringLiteral(ATELIER_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("atelier"));
    WatchedApplication application(argc, argv);
    QApplication::setWindowIcon(applicationIcon());

    const launcher::DataHome home = launcher::DataHome::locate();
    const QString problem = createHome(home);
    SingleInstance instance(home);
    if (instance.tell(request(options)))
        return 0;
    instance.listen();

    applyAppearance(Settings(home).appearance());
    MainWindow window(home);
    QObject::connect(&instance, &SingleInstance::told, &window,
        [&window](const QString& message) { obey(window, message); });
    obey(window, request(options));
    if (!problem.isEmpty()) {
        auto* box = new QMessageBox(QMessageBox::Warning, QStringLiteral("Atelier"), problem, QMessageBox::Close, &window);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    }
    return QApplication::exec();
}

}  // namespace ui
