// The tools that only read.
#include "app/mcp/tool_arguments.h"

#include <cstdint>

namespace app {
namespace {

using Use = ToolArgument::Use;

std::vector<Tool> toolsOfRuns()
{
    return {
        paged({"list_runs", "List training runs, newest first: id, name, project, tags, state, step, last loss. The state comes from the run's processes and files.",
                  {"list", "--json"},
                  {{"filter", Use::Option, "--filter",
                       schema::text("Typed filter, such as: loss < 0.2 and tag:lora; state:failed; optim.lr >= 1e-4 or min(loss) < 0.1; a word is looked for in name, tags and note")},
                      {"include_archived", Use::Flag, "--all", schema::yesNo("List archived runs, too")}}},
            {}),
        paged({"search", "Find a text in the names, projects, notes, tags, options, causes of failures, events and logs of all runs; of each log the newest 100 lines with it.",
                  {"search", "--json"},
                  {{"text", Use::Positional, "", schema::text("What to find, in upper or lower case"), true},
                      {"regex", Use::Flag, "--regex", schema::yesNo("The text is a regular expression")},
                      {"without_logs", Use::Flag, "--no-logs", schema::yesNo("Leave out the logs, which may take long")}}},
            {.key = "found"}),
        {"show_run", "Show a run: state and cause, attempts, every option, the last value of each metric, checkpoints and the last events.",
            {"show", "--json", "--events", "100"}, {argument::run()}, false, false, {"samples"}},
        {"report_failure", "What went wrong in a run that failed: which rank went first and how, its memory and last log lines, and what the other ranks did.",
            {"report", "--json"},
            {argument::run(), {"attempt", Use::Option, "--attempt", schema::integer("This attempt instead of the last one that failed", 1, 1'000'000)}}},
        {"get_metrics",
            "Values of a run's metrics; without metrics, their names. Series of more than `points` values are summarised by their lowest, highest and last "
            "value over consecutive steps, which \"exact\": false says; ask for fewer steps or for exact values to see each.",
            {"metrics", "--json"},
            {argument::run(), {"metrics", Use::Positional, "", schema::texts("Names, such as loss, grad_norm, validation/loss")},
                {"rank", Use::Option, "--rank", schema::integer("Of this rank; otherwise of the lowest that has the metric", 0, 1'000'000)},
                argument::step("first_step", "--from", "From this step on"), argument::step("last_step", "--to", "To this step"),
                {"points", Use::Option, "--points", schema::integer("Default 200", 8, 10'000)},
                {"exact", Use::Flag, "--exact", schema::yesNo("Every value; choose a range of steps for long runs")}}},
        {"compare_runs", "What differs between runs: options, and metrics by their last, lowest and highest value and at the last common step, with differences from the first run.",
            {"compare", "--json"},
            {argument::runs(), {"ignore", Use::Option, "--ignore", schema::texts("Options or metrics to leave out; * stands for any characters")},
                {"include_equal", Use::Flag, "--all", schema::yesNo("Show what is equal, too")}}},
        paged({"try_rules", "At which steps of a run its rules fired, or other rules would have.", {"rules", "--json"},
                  {argument::run(),
                      {"rules", Use::Option, "--rules", schema::text("Rules to try instead of the run's own: loss is not finite: stop | grad_norm > 100 for 5 steps: notify, checkpoint")}}},
            {.key = "firings"}),
        {"read_logs", "The last lines of a run's logs, those of all ranks merged by time, or those that match a search.", {"logs", "--json"},
            {argument::run(), {"rank", Use::Option, "--rank", schema::integer("Only this rank; -1: the supervisor", -1, 1'000'000)},
                {"lines", Use::Option, "--lines", schema::integer("Default 100", 1, 5000)},
                {"level", Use::Option, "--level", schema::choice("Only lines of this level or a graver one", {"debug", "info", "warning", "error"})},
                {"search", Use::Option, "--search", schema::text("Only lines that contain this text")},
                {"regex", Use::Flag, "--regex", schema::yesNo("The text is a regular expression")}}},
    };
}

std::vector<Tool> toolsOfFiles()
{
    return {
        paged({"look_at_data",
                  "What a run is trained on: how many images or videos of each kind, the sizes at which they are trained on, and the entries with their captions, or "
                  "why they were left out.",
                  {"data", "list", "--json"},
                  {argument::run(),
                      {"kind", Use::Option, "--kind",
                          schema::choice("Only entries of this kind", {"all", "training", "validation", "prior", "left-out", "no-caption", "masked", "enlarged"})},
                      {"text", Use::Option, "--text", schema::text("Only entries whose caption, file or reason contains this text")}}},
            {.key = "entries", .usualLimit = 20}),
        paged({"list_checkpoints", "A run's checkpoints by step: size, metrics at that step, whether it is the latest, the best, pinned or damaged.", {"checkpoints", "list", "--json"}, {argument::run()}},
            {.isNewestLast = true}),
        paged({"list_tensors", "The tensors of a checkpoint: name, shape, type, bytes, and of how many pieces it is made.", {"checkpoints", "tensors", "--json"},
                  {argument::run(), argument::step("step", "--step", "Step of the checkpoint; the latest otherwise"),
                      {"text", Use::Option, "--text", schema::text("Only those whose name contains this text")}}},
            {.key = "tensors", .usualLimit = 100}),
        paged({"compare_checkpoints", "How the weights of two checkpoints differ, by layer: the part that changed, the largest and the mean difference.",
                  {"checkpoints", "diff", "--json"},
                  {argument::run(), argument::step("first_step", "--from", "Step of the first; the oldest otherwise, of two runs the latest"),
                      argument::step("second_step", "--to", "Step of the second; the latest otherwise"),
                      {"second_run", Use::Option, "--to-run", schema::text("Run of the second; the same otherwise")}},
                  false, false, {"tensors"}},
            {.key = "layers"}),
        patient({"verify_checkpoints", "Read every byte of a run's checkpoints and compare checksums, manifests and ranges. Takes minutes when they are large.",
            {"checkpoints", "verify"}, {argument::run(), argument::step("step", "--step", "Only the checkpoint of this step")}}),
        paged({"list_samples", "The images that a run has drawn, by step: prompt, seed, guidance, file.", {"samples", "--json"},
                  {argument::run(), argument::step("step", "--step", "Only those of this step"),
                      {"prompt", Use::Option, "--prompt", schema::text("Only those whose prompt contains this text")}}},
            {.key = "samples", .isNewestLast = true}),
        {"get_sample", "A sample image of a run, to look at.", {},
            {{"run", Use::Own, "", argument::run().schema, true}, {"file", Use::Own, "", schema::text("\"file\" as list_samples says it"), true}}},
        paged({"disk_usage", "What occupies the disk: bytes by run, the largest first, and kind of file, the database, caches, the trash, and what is free.",
                  {"disk", "--json"}, {}},
            {.key = "runs", .usualLimit = 20}),
        paged({"list_trash", "Runs and checkpoints in the trash, newest first, with their bytes.", {"trash", "list", "--json"}, {}}, {}),
    };
}

std::vector<Tool> otherTools()
{
    return {
        paged({"list_queue", "The queue: what waits, in which order and for what.", {"queue", "list", "--json"}, {}}, {.key = "waiting"}),
        paged({"plan_queue", "When the active and the waiting runs will start and end, in seconds from now, as far as that is known, and by what it is estimated.",
                  {"queue", "--plan", "--json"}, {}},
            {}),
        paged({"list_presets", "Experiments that are kept by name, with their files.", {"presets", "list", "--json"}, {}}, {}),
        {"show_preset", "A preset's experiment, as TOML.", {"presets", "show", "--json"}, {{"name", Use::Positional, "", schema::text("Name of the preset"), true}}},
        paged({"list_options", "The options of experiments: key, type, default, range and meaning.", {"options", "--json"},
                  {{"search", Use::Option, "--search", schema::text("Only options whose key, label or meaning contains this text"), true}}},
            {}),
    };
}

}  // namespace

std::vector<Tool> readingTools()
{
    std::vector<Tool> all = toolsOfRuns();
    for (auto& part : {toolsOfFiles(), otherTools()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace app
