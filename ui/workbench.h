// The objects that all parts of the window share; the program has one of each.
#pragma once
#include "launcher/remote/mirror.h"
#include "ui/base/action_registry.h"
#include "ui/base/selection.h"
#include "ui/base/settings.h"
#include "ui/control/run_control.h"
#include "ui/control/trash_watch.h"
#include "ui/inspector/run_facts.h"
#include "ui/queue/queue_watch.h"
#include "ui/runs/field_reader.h"
#include "ui/runs/run_watch.h"
#include "ui/runs/runs_model.h"
#include "ui/store/store_service.h"

#include <memory>
#include <optional>

namespace ui {

struct Workbench {
    /// @param host the machine of which @p dataHome is a mirror
    explicit Workbench(const launcher::DataHome& dataHome, const std::optional<launcher::RemoteHost>& host = {})
        : home(dataHome)
        , mirror(host ? std::make_unique<launcher::Mirror>(home, *host) : nullptr)
        , settings(home)
        , store(home)
        , runs(selection)
        , watch(store, runs)
        , fields(store, runs)
        , control(home, mirror.get())
        , trash(home, mirror.get())
        , queue(home, mirror.get())
        , facts(store, selection)
    {
    }

    launcher::DataHome home;
    std::unique_ptr<launcher::Mirror> mirror;  ///< null: the window shows this machine's own runs
    Settings settings;
    Selection selection;
    StoreService store;
    RunsModel runs;
    RunWatch watch;
    FieldReader fields;
    RunControl control;
    TrashWatch trash;
    QueueWatch queue;
    FactsLoader facts;
    ActionRegistry actions;
};

}  // namespace ui
