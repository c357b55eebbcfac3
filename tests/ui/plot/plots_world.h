// A data home with a run of real journals, and the tab Plots on it.
#pragma once
#include "engine/contract/run/journal.h"
#include "launcher/base/data_home.h"
#include "storage/ingest.h"
#include "synthetic_run.h"
#include "ui/base/selection.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"
#include "ui/store/store_service.h"

#include <QTemporaryDir>

#include <memory>
#include <optional>

/// A data home with one run of two ranks, and the view on it.
struct PlotsWorld {
    QTemporaryDir folder;
    launcher::DataHome home;
    contract::RunFolder run;
    synthetic::Attempt first;
    std::optional<storage::Store> store;
    std::unique_ptr<ui::StoreService> service;
    ui::Selection selection;
    std::unique_ptr<ui::PlotsView> view;

    static launcher::DataHome homeIn(const QString& path)
    {
        launcher::DataHome home;
        home.data = home.index = home.config = home.state = home.cache = home.runtime = path.toStdString();
        home.create();
        return home;
    }

    PlotsWorld()
        : home(homeIn(folder.path()))
        , run(home.runs() / "digits-20261121-101500-abcd")
        , first(run, 1, 2, 0)
    {
        first.steps(1, 451);
        store.emplace(home.database());
        ingest();
    }
    ~PlotsWorld()
    {
        view.reset();
        service.reset();
    }

    void ingest()
    {
        storage::Ingest(*store).catchUp(run);
    }
    void open(const ui::PlotFeed::Limits& limits = {})
    {
        service = std::make_unique<ui::StoreService>(home);
        view = std::make_unique<ui::PlotsView>(*service, selection, nullptr, limits);
        view->resize(1100, 700);
        view->show();
    }
    void draw() { selection.setDrawn(QString::fromStdString(run.id()), true); }

    ui::PlotPanel* panel(const char* id) const
    {
        for (ui::PlotPanel* panel : view->panels())
            if (panel->group().id == id)
                return panel;
        return nullptr;
    }
    std::size_t points(const char* id) const
    {
        ui::PlotPanel* found = panel(id);
        if (!found || found->canvas().lines().empty())
            return 0;
        return found->canvas().lines().front().data->points.size();
    }
};
