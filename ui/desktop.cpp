#include "ui/desktop.h"

#include "ui/base/appearance.h"
#include "ui/base/icons.h"
#include "ui/base/motion.h"
#include "ui/base/watchdog.h"
#include "ui/language/language.h"
#include "ui/language/outside_text.h"
#include "ui/launch/launch_window.h"
#include "ui/main_window.h"
#include "ui/remote/recent_hosts.h"
#include "ui/single_instance.h"

#include <QMessageBox>

#include <exception>

namespace ui {
namespace {

// The requests that a second start, or a command, sends to the window that is already open: "WORD" or "WORD ARGUMENT".
constexpr char kRaise[] = "raise";
constexpr char kDemo[] = "demo";
constexpr char kRun[] = "run";
constexpr char kExperiment[] = "experiment";
constexpr char kReadAlerts[] = "read-alerts";  // of `atelier alerts --read`

QString requestFor(const DesktopOptions& options)
{
    const auto compose = [](const char* word, const std::string& argument) {
        return QStringLiteral("%1 %2").arg(QLatin1String(word), QString::fromStdString(argument));
    };
    if (!options.openRun.empty())
        return compose(kRun, options.openRun);
    if (!options.experiment.empty())
        return compose(kExperiment, std::filesystem::absolute(options.experiment).string());
    return QLatin1String(options.startDemo ? kDemo : kRaise);
}

void handleRequest(MainWindow& window, const QString& request)
{
    const QString word = request.section(QLatin1Char(' '), 0, 0);
    const QString argument = request.section(QLatin1Char(' '), 1);
    if (word == QLatin1String(kReadAlerts))
        return window.markAlertsRead();
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

/// Creates the data home's folders. Returns the error message, or an empty string on success.
QString createHome(const launcher::DataHome& home)
{
    try {
        home.create();
        return {};
    } catch (const std::exception& error) {
        return translatedSentence(error.what());
    }
}

}  // namespace

bool readAlertsInWindow(const launcher::DataHome& home)
{
    return SingleInstance(home).sendMessage(QLatin1String(kReadAlerts));
}

int runDesktop(int& argc, char** argv, const DesktopOptions& options)
{
    QApplication::setApplicationName(QStringLiteral("atelier"));
    QApplication::setApplicationVersion(QStringLiteral(ATELIER_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("atelier"));
    WatchedApplication application(argc, argv);
    QApplication::setWindowIcon(applicationIcon());

    const launcher::DataHome own = launcher::DataHome::locate();
    const launcher::DataHome home = options.host ? launcher::mirrorHome(own, *options.host) : own;
    const QString problem = createHome(home);
    SingleInstance instance(home);
    if (instance.sendMessage(requestFor(options)))
        return 0;
    instance.listen();

    const Settings settings(home);
    speakLanguage(settings.language());
    applyAppearance(settings.appearance());
    const MotionSetting motion;
    if (options.host)
        rememberHost(own, *options.host);
    MainWindow window(home, options.host);
    QObject::connect(&instance, &SingleInstance::messageReceived, &window,
        [&window](const QString& message) { handleRequest(window, message); });
    // The destructors below may wait for the database, and another start must not hand over to a window that is gone.
    QObject::connect(&application, &QGuiApplication::lastWindowClosed, &instance, &SingleInstance::close);
    QObject::connect(&application, &QCoreApplication::aboutToQuit, &instance, &SingleInstance::close);
    handleRequest(window, requestFor(options));
    if (!problem.isEmpty()) {
        auto* box = new QMessageBox(QMessageBox::Warning, QStringLiteral("Atelier"), problem, QMessageBox::Close, &window);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    }
    return QApplication::exec();
}

}  // namespace ui
