// `atelier supervise FOLDER` without the database. What it does at the end takes as long as the folder has a file "at-the-end".
#include "launcher/base/data_home.h"
#include "launcher/supervisor/supervisor.h"

#include <QCoreApplication>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc != 3)
        return 2;
    launcher::Supervisor supervisor(launcher::DataHome::locate(), contract::RunFolder(argv[2]));
    QObject::connect(&supervisor, &launcher::Supervisor::ending, &application, [file = std::filesystem::path(argv[2]) / "at-the-end"] {
        if (std::filesystem::exists(file))
            std::ofstream(file) << "reached" << std::flush;
        while (std::filesystem::exists(file))
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
    QObject::connect(&supervisor, &launcher::Supervisor::finished, &application,
        [](const QString& outcome) { QCoreApplication::exit(outcome == QLatin1String("failed")); });
    if (const std::string problem = supervisor.start(); !problem.empty()) {
        std::fprintf(stderr, "error: %s\n", problem.c_str());
        return 1;
    }
    return QCoreApplication::exec();
}
