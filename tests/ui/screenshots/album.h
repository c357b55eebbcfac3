// Keeps images of the window, each taken when everything in it has been answered and painted.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"
#include "ui/base/settings.h"
#include "ui/main_window.h"

#include <QString>
#include <QTest>

#include <memory>
#include <optional>
#include <source_location>

namespace screenshots {

class Album {
public:
    /// @param scale 1 or the factor that Qt draws with, for the files' names
    Album(QString folder, int scale);

    /// Says on standard error which texts of the page cannot be read; see page_check.h.
    void keep(QWidget& widget, const QString& name);
    /// Sets the window's colours and, for the names of the images to come, "light" or "dark".
    void setAppearance(ui::Appearance appearance);
    /// Keeps NAME-light or NAME-dark.
    void keepBoth(QWidget& widget, const QString& name);
    /// How many images were made.
    int kept() const { return m_kept; }
    /// How many texts could not be read, on all pages.
    int unreadableTexts() const { return m_unreadable; }

private:
    QString m_folder;
    QString m_suffix;
    QString m_appearance;
    int m_kept = 0;
    int m_unreadable = 0;
};

/// Ends the program, naming the caller's line as tests do, if it does not become true within a minute.
template <typename Condition>
void waitFor(Condition isTrue, std::source_location caller = std::source_location::current())
{
    if (!QTest::qWaitFor(isTrue, 60'000))
        qFatal("FAIL!  : the window did not get ready for its image: what %s waits for in line %u did not happen", caller.file_name(), caller.line());
}

std::unique_ptr<ui::MainWindow> openWindow(const launcher::DataHome& home, QSize size = QSize(1600, 920), const std::optional<launcher::RemoteHost>& host = {});

/// Gives a run of TestHome::writeRun() another name and another number of steps to train, and lets it begin now.
void setFacts(const contract::RunFolder& run, const std::string& name, int steps);

/// Until everything that was asked of the database has been answered and painted.
void settle(ui::MainWindow& window);

}  // namespace screenshots
