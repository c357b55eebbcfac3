// `atelier supervise FOLDER` without the database.
#include "launcher/base/data_home.h"
#include "launcher/supervisor/supervisor.h"

#include <QCoreApplication>

#include <cstdio>

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc != 3)
        return 2;
    launcher::Supervisor supervisor(launcher::DataHome::locate(), contract::RunFolder(argv[2]));
    QObject::connect(&supervisor, &launcher::Supervisor::finished, &application,
        [](const QString& outcome) { QCoreApplication::exit(outcome == QLatin1String("failed")); });
    if (const std::string problem = supervisor.start(); !problem.empty()) {
        std::fprintf(stderr, "error: %s\n", problem.c_str());
        return 1;
    }
    return QCoreApplication::exec();
}
