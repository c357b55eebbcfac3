// The tools that change runs, or write files.
#include "app/mcp/tool_arguments.h"

namespace app {
namespace {

using Use = ToolArgument::Use;

ToolArgument target(const char* name, const char* flag, const char* description)
{
    return {name, flag[0] == '\0' ? Use::Positional : Use::Option, flag, schema::text(description), true};
}

std::vector<Tool> toolsThatControl()
{
    return {
        paged({"start_run", "Start an experiment in the background, or queue it.", {"run", "--json"},
                  {argument::experiment(), {"name", Use::Option, "--name", schema::text("Name of the run")},
                      {"settings", Use::Settings, "--set",
                          {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number", "boolean"}}}},
                              {"description",
                                  "Options of the experiment to change, such as {\"optim.lr\": 1e-4}; list_options names them. With queue, numbers and choices "
                                  "may be listed, {\"optim.lr\": \"1e-4,3e-4\"}, which makes a run for every combination"}}},
                      argument::queued(),
                      {"dry_run", Use::Flag, "--dry-run", schema::yesNo("Start nothing: say which runs there would be, and what stands against each of them")}}},
            {}),
        {"plan_experiment", "What an experiment would need, memory of a rank by part and disk, and what stands against it, without starting it.", {"plan", "--json"},
            {argument::experiment(), argument::settings()}},
        {"resume_run", "Continue a run from a checkpoint, in the background.", {"resume", "--json"},
            {argument::run(), argument::step("from_step", "--from", "Step of the checkpoint; the latest otherwise"), argument::settings(), argument::queued()}},
        {"stop_run", "Stop a run.", {"stop"},
            {argument::run(),
                {"how", Use::Choice, "now=--now kill=--kill",
                    schema::choice("checkpoint (default): after this step, with a checkpoint; now: without one; kill: every rank at once", {"checkpoint", "now", "kill"})}},
            false, true},
        {"write_checkpoint", "Make a run write a checkpoint after this step.", {"checkpoint"}, {argument::run()}},
        {"draw_samples", "Make a run draw its sample images after this step.", {"sample"}, {argument::run()}},
        {"hold_queued", "Keep queued runs from starting.", {"queue", "hold"}, {argument::runs()}},
        {"release_queued", "Let held runs start when their turn has come.", {"queue", "release"}, {argument::runs()}},
        {"start_queued", "Start queued runs now, whatever is free.", {"queue", "start"}, {argument::runs()}},
        {"move_queued", "Change the place of queued runs.", {"queue", "move"},
            {argument::runs(), {"place", Use::Option, "--to", schema::integer("The first is 1", 1, 1'000'000), true}}},
        {"edit_queued", "Change options of a run that waits in the queue; it keeps its place.", {"queue", "edit"}, {argument::run(), argument::settings()}},
        {"remove_queued", "Take runs out of the queue.", {"queue", "remove"}, {argument::runs()}},
    };
}

std::vector<Tool> toolsThatEdit()
{
    return {
        {"rename_run", "Give a run another name.", {"rename"}, {argument::run(), {"name", Use::Positional, "", schema::text("The new name"), true}}},
        {"tag_runs", "Add tags to runs, or remove them.", {"tag"},
            {argument::runs(), {"add", Use::Option, "--add", schema::texts("Tags to add")}, {"remove", Use::Option, "--remove", schema::texts("Tags to remove")}}},
        {"set_project", "Give runs another project.", {"project"}, {argument::runs(), target("project", "--to", "The project")}},
        {"set_note", "Write a note about runs, in place of the one before.", {"note"}, {argument::runs(), target("note", "--text", "The note")}, false, true},
        {"archive_runs", "Hide runs from lists, or show them again.", {"archive"}, {argument::runs(), {"restore", Use::Flag, "--restore", schema::yesNo("Show them again")}}},
        {"pin_checkpoint", "Keep a checkpoint from rotation and deletion.", {"checkpoints", "pin"}, {argument::run(), argument::checkpointStep()}},
        {"unpin_checkpoint", "Let a checkpoint be rotated and deleted again.", {"checkpoints", "unpin"}, {argument::run(), argument::checkpointStep()}},
        {"remove_runs", "Move runs to the trash, from which restore_from_trash brings them back.", {"rm", "--yes"}, {argument::runs()}},
        {"remove_checkpoint", "Move a checkpoint to the trash, from which restore_from_trash brings it back.", {"checkpoints", "remove"},
            {argument::run(), argument::checkpointStep()}},
        {"restore_from_trash", "Bring runs or checkpoints back from the trash.", {"trash", "restore"},
            {{"names", Use::Positional, "", schema::texts("Ids of runs, or RUN/step-N"), true}}},
        {"save_preset", "Keep an experiment by name, in place of a preset of that name.", {"presets", "save"},
            {target("name", "", "Name of the preset"), argument::experiment(), argument::settings()}, false, true},
        {"rename_preset", "Give a preset another name.", {"presets", "rename"}, {target("name", "", "The preset"), target("new_name", "", "Its new name")}},
    };
}

/// Paths are those of this machine. No tool replaces a file.
std::vector<Tool> toolsThatWrite()
{
    return {
        patient({"export_metrics", "Write every value of a run's metrics to a new file.", {"export"},
            {argument::run(), {"format", Use::Choice, "csv=--csv json=--json", schema::choice("Format of the file", {"csv", "json"}), true},
                target("file", "--output", "Path of the file, which must not exist")}}),
        patient({"export_tensorboard", "Write a run's metrics, samples and options as event files for TensorBoard.", {"export"},
            {argument::run(), target("folder", "--tensorboard", "Folder in which a folder with the run's id is made")}}),
        patient({"export_weights", "Write the weights of a checkpoint as safetensors.", {"checkpoints", "export"},
            {argument::run(), target("folder", "--to", "Folder for the files, which must be empty or not exist"),
                argument::step("step", "--step", "Step of the checkpoint; the latest otherwise"),
                {"weights", Use::Option, "--weights", schema::choice("model (default): the trained weights; ema: their moving average", {"model", "ema"})}}}),
        patient({"pack_run", "Write a run with all its files to one archive, a tar file, which unpack_run or another machine's Atelier brings in.", {"pack", "--json"},
            {argument::run(), target("file", "", "Path of the archive, which must not exist"),
                {"checkpoints", Use::Option, "--checkpoints", schema::choice("Which checkpoints are packed; default all", {"all", "last", "none"})}}}),
        patient({"unpack_run", "Bring a packed run into the data home.", {"unpack", "--json"}, {target("file", "", "An archive that pack_run has written")}}),
        patient(paged({"import_runs", "Bring runs of TensorBoard, Weights & Biases or trackio into the data home; importing again adds what is new.", {"import", "--json"},
                          {{"paths", Use::Positional, "", schema::texts("Folders with event files, offline runs or databases of trackio in or below them; or such files"), true}}},
            {.key = "runs"})),
    };
}

}  // namespace

std::vector<Tool> actingTools()
{
    std::vector<Tool> all = toolsThatControl();
    for (auto& part : {toolsThatEdit(), toolsThatWrite()})
        all.insert(all.end(), part.begin(), part.end());
    for (Tool& tool : all)
        tool.isActing = true;
    return all;
}

}  // namespace app
