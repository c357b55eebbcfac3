#include "tests/ui/screenshots/album.h"

#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/output_file.h"
#include "storage/store.h"
#include "tests/ui/screenshots/page_check.h"
#include "ui/base/appearance.h"

#include <QDateTime>
#include <QTimer>
#include <QWindow>

#include <cstdio>

namespace screenshots {

Album::Album(QString folder, int scale)
    : m_folder(std::move(folder))
    , m_suffix(scale == 1 ? QString() : QStringLiteral("-%1x").arg(scale))
{
}

void Album::keep(QWidget& widget, const QString& name)
{
    const QString file = QStringLiteral("%1/%2%3.png").arg(m_folder, name, m_suffix);
    const QImage picture = widget.grab().toImage();
    constexpr int kFast = 80;  // compressed a little
    if (!picture.save(file, nullptr, kFast))
        qFatal("%s cannot be written", qPrintable(file));
    ++m_kept;
    for (const QString& sentence : unreadable(widget, picture)) {
        std::fprintf(stderr, "FAIL!  : %s%s: %s\n", qPrintable(name), qPrintable(m_suffix), qPrintable(sentence));
        ++m_unreadable;
    }
}

void Album::setAppearance(ui::Appearance appearance)
{
    ui::applyAppearance(appearance);
    m_appearance = appearance == ui::Appearance::Light ? QStringLiteral("light") : QStringLiteral("dark");
}

void Album::keepBoth(QWidget& widget, const QString& name)
{
    keep(widget, QStringLiteral("%1-%2").arg(name, m_appearance));
}

std::unique_ptr<ui::MainWindow> openWindow(const launcher::DataHome& home, QSize size, const std::optional<launcher::RemoteHost>& host)
{
    auto window = std::make_unique<ui::MainWindow>(home, host);
    window->resize(size);
    window->show();
    waitFor([&] { return window->windowHandle()->isExposed(); });
    return window;
}

void setFacts(const contract::RunFolder& run, const std::string& name, int steps)
{
    contract::Experiment experiment = contract::loadExperiment(run.config(1)).experiment;
    experiment.setText("run.name", name);
    experiment.setText("run.total_steps", std::to_string(steps));
    contract::writeFileAtomically(run.config(1), experiment.toToml(contract::Experiment::Write::Everything));
    contract::AttemptStart start = run.readStart(1);
    start.startUnixMs = QDateTime::currentMSecsSinceEpoch();
    run.writeStart(start);
}

void settle(ui::MainWindow& window)
{
    for (int round = 0; round < 8; ++round) {
        bool isAnswered = false;
        window.workbench().store.query(
            &window, [](const storage::Store& store) { return store.changeCounter(); },
            [&](std::int64_t) { isAnswered = true; },
            [&](storage::StoreError::Kind, const QString&) { isAnswered = true; });
        waitFor([&] { return isAnswered; });
        // Queued replots come at thirty a second at most.
        bool isPainted = false;
        QTimer::singleShot(40, &window, [&] { isPainted = true; });
        waitFor([&] { return isPainted; });
    }
}

}  // namespace screenshots
