#include "app/plot/offscreen_plots.h"

#include "app/cli/failure.h"
#include "engine/contract/formats/text.h"
#include "ui/base/appearance.h"
#include "ui/language/language.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plot_image.h"
#include "ui/plot/plots_view.h"

#include <QApplication>
#include <QEventLoop>

#include <cstdio>

namespace app {
namespace {

/// Qt's warnings are about the desktop that is not there.
void printOnlyErrors(QtMsgType type, const QMessageLogContext&, const QString& message)
{
    if (type == QtCriticalMsg || type == QtFatalMsg)
        std::fprintf(stderr, "%s\n", qPrintable(message));
}

}  // namespace

struct OffscreenPlots::Parts {
    /// Shows no window, whatever display there is.
    struct OffscreenApplication {
        char name[8] = "atelier", option[10] = "-platform", platform[10] = "offscreen";
        char* arguments[4] = {name, option, platform, nullptr};
        int count = 3;
        QApplication application {count, arguments};
    };

    explicit Parts(const launcher::DataHome& home)
        : settings(home)
        , service(home)
        , view(service, selection)
    {
        selection.restoreLooks(settings.looks());
        ui::speakLanguage(QStringLiteral("en"));  // as all that the command line writes
        ui::applyAppearance(ui::Appearance::Light);
    }

    void waitForLines()
    {
        QEventLoop loop;
        const auto isDone = [this] { return view.isUpToDate() || !view.error().isEmpty(); };
        QObject::connect(&view, &ui::PlotsView::linesShown, &loop, [&] {
            if (isDone())
                loop.quit();
        });
        loop.exec();
        if (!view.error().isEmpty())
            throw Failure("plot: " + view.error().toStdString());
    }

    OffscreenApplication application;
    ui::Settings settings;
    ui::StoreService service;
    ui::Selection selection;
    ui::PlotsView view;
};

OffscreenPlots::OffscreenPlots(const launcher::DataHome& home, const WantedPlots& wanted)
{
    qInstallMessageHandler(printOnlyErrors);
    m_parts = std::make_unique<Parts>(home);
    ui::PlotsView& view = m_parts->view;
    m_parts->selection.setAllDrawn(wanted.runs);
    m_parts->selection.setBaseline(wanted.baseline);
    view.setChoices(wanted.choices);
    view.show();
    m_parts->waitForLines();
    if (!wanted.from && !wanted.to)
        return;
    ui::PlotViewState& state = view.viewState();
    const ui::Interval range {wanted.from.value_or(state.x().lower), wanted.to.value_or(state.x().upper)};
    if (range.isEmpty())
        throw Failure("plot: the range from " + contract::shortestText(range.lower) + " to " + contract::shortestText(range.upper) + " is empty", kWrongUsage);
    state.setX(range);
}

OffscreenPlots::~OffscreenPlots() = default;

const std::vector<ui::PlotPanel*>& OffscreenPlots::panels() const
{
    return m_parts->view.panels();
}

void OffscreenPlots::write(const std::string& file, QSize size, int columns)
{
    for (ui::PlotPanel* panel : panels())
        panel->canvas().setFixedSize(size);
    QEventLoop loop;
    QString problem;
    ui::writeImage({panels(), columns}, QString::fromStdString(file), &loop, [&](const QString& error) {
        problem = error;
        loop.quit();
    });
    loop.exec();
    if (!problem.isEmpty())
        throw Failure("plot: " + problem.toStdString());
}

}  // namespace app
