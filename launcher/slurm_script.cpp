#include "launcher/slurm/slurm_script.h"

#include "engine/contract/experiment/options.h"
#include "engine/contract/run/run_folder.h"
#include "engine/contract/variables/variable_list.h"
#include "launcher/base/shell_word.h"

#include <chrono>

namespace launcher {
namespace {

constexpr char kBody[] = R"sh(
latest_checkpoint() { (cd "$run/checkpoints" 2>/dev/null && printf '%s\n' step-*) | sed -n 's/^step-\([0-9]*\)$/\1/p' | sort -n | tail -n 1; }
begun_from=$(latest_checkpoint)
journal=$run/journal/rank-0.jsonl
size_of() { stat -c %s "$1" 2>/dev/null || echo 0; }
recorded=$(size_of "$journal")
asked=$(size_of "$run/control.jsonl")
echo "$recorded" >"$run/slurm/begun"

# Near the time limit the ranks write a checkpoint and leave.
near_limit=
trap 'near_limit=1; scancel --signal=TERM "$SLURM_JOB_ID"' USR1

)sh";

constexpr char kEnd[] = R"sh( &
step=$!
while kill -0 "$step" 2>/dev/null; do wait "$step"; done

outcome=$(tail -c +$((recorded + 1)) "$journal" 2>/dev/null | tail -n 1 | sed -n 's/^{"type":"end",.*"outcome":"\([a-z]*\)".*/\1/p')
[ "$outcome" != finished ] || exit 0
[ "$outcome" != stopped ] || [ -n "$near_limit" ] || exit 0
tail -c +$((asked + 1)) "$run/control.jsonl" 2>/dev/null | grep -q '"cmd":"stop"' && exit 0 # the user wants no more

count=$(cat "$run/slurm/restarts" 2>/dev/null || echo 0)
reached=$(latest_checkpoint)
[ "$reached" = "$begun_from" ] || count=0
if [ -z "$near_limit" ] || [ "$reached" = "$begun_from" ]; then
    count=$((count + 1))
    if [ "$count" -gt "$most" ]; then
        echo "not started again: launch.restarts = $most, and the ranks have ended too early ${count} times without a later checkpoint" >&2
        exit 1
    fi
fi
echo "$count" >"$run/slurm/restarts"
echo "goes on from ${reached:+step }${reached:-the beginning}: the job is requeued" >&2
scontrol requeue "$SLURM_JOB_ID" && sleep 600 # Slurm ends this script
exit 1
)sh";

class BatchHeader {
public:
    void add(const std::string& option) { m_lines += "#SBATCH " + option + "\n"; }
    void addIfSet(const char* option, const std::string& value)
    {
        if (!value.empty())
            add(std::string(option) + value);
    }
    const std::string& lines() const { return m_lines; }

private:
    std::string m_lines;
};

/// A value of sbatch with quotes where it needs them; sbatch knows double quotes and a backslash before them.
std::string batchValue(const std::string& text)
{
    if (shellWord(text) == text)
        return text;
    std::string result = "\"";
    for (const char each : text)
        result += each == '"' || each == '\\' ? std::string("\\") + each : std::string(1, each);
    return result + "\"";
}

/// Slurm replaces %j and the like in names of files.
std::string withoutPatterns(const std::string& file)
{
    std::string result;
    for (const char each : file)
        result += each == '%' ? std::string("%%") : std::string(1, each);
    return result;
}

std::string header(const contract::Experiment& experiment, const std::filesystem::path& run)
{
    const std::int64_t ranks = experiment.integer("launch.ranks"), nodes = experiment.integer("slurm.nodes");
    const auto number = [&](const char* key) { return std::to_string(experiment.integer(key)); };
    BatchHeader header;
    header.add("--job-name=" + batchValue("atelier " + experiment.text("run.name")));
    header.add("--output=" + batchValue(withoutPatterns((run / "logs" / "slurm.log").string())));
    header.add("--open-mode=append");
    header.add("--nodes=" + std::to_string(nodes));
    header.add("--ntasks=" + std::to_string(ranks));
    header.add("--ntasks-per-node=" + std::to_string(ranks / nodes));
    header.add("--cpus-per-task=" + number("slurm.cpus_per_rank"));
    if (experiment.integer("slurm.gpus_per_node") > 0)
        header.add("--gpus-per-node=" + number("slurm.gpus_per_node"));
    header.addIfSet("--partition=", experiment.text("slurm.partition"));
    header.addIfSet("--account=", experiment.text("slurm.account"));
    header.addIfSet("--time=", experiment.text("slurm.time"));
    header.add("--requeue");
    header.add("--signal=B:USR1@" + number("slurm.checkpoint_before"));
    header.addIfSet("", experiment.text("slurm.options"));
    return header.lines();
}

/// What a container needs to see: the folder of the runs, whose caches lie beside it, and what the experiment names.
std::string mounts(const contract::Experiment& experiment, const std::filesystem::path& run)
{
    const std::filesystem::path home = run.parent_path().parent_path();
    std::string list = home.string() + ":" + home.string();
    for (const contract::Option& option : contract::options()) {
        if (!contract::isPath(option.type))
            continue;
        if (const std::string& path = experiment.text(option.key); std::filesystem::path(path).is_absolute())
            list += "," + path + ":" + path;
    }
    return list;
}

std::string srun(const contract::Experiment& experiment, const std::filesystem::path& run, const std::string& worker)
{
    // Slurm's own variables say where each rank is; those of an MPI say less.
    std::string line = "srun --mpi=none --kill-on-bad-exit=1 --cpus-per-task=" + std::to_string(experiment.integer("slurm.cpus_per_rank"));
    if (const std::string& image = experiment.text("slurm.container"); !image.empty())
        line += " --container-image=" + shellWord(image) + " --container-mounts=" + shellWord(mounts(experiment, run));
    return line + " " + shellWord(worker) + " --run \"$run\"";
}

}  // namespace

std::string slurmScript(const contract::Experiment& experiment, const std::filesystem::path& run, const std::string& worker)
{
    std::string text = "#!/bin/bash\n# The job of run " + run.filename().string() + ", written by Atelier.\n" + header(experiment, run);
    text += "\nrun=" + shellWord(run.string()) + "\nmost=" + std::to_string(experiment.integer("launch.restarts")) + " # launch.restarts\n";
    const std::int64_t threads = experiment.integer("run.threads");
    text += "export OMP_NUM_THREADS=" + std::to_string(threads > 0 ? threads : experiment.integer("slurm.cpus_per_rank")) + "\n";
    for (const auto& [name, value] : contract::parseVariables(experiment.text("launch.environment")).variables)
        text += "export " + name + "=" + shellWord(value) + "\n";
    if (const std::string& variables = experiment.text("slurm.environment"); !variables.empty())
        text += "export " + variables + "\n";
    if (const std::string& commands = experiment.text("slurm.setup"); !commands.empty())
        text += commands + "\n";
    return text + kBody + srun(experiment, run, worker) + kEnd;
}

std::filesystem::path exampleFolder(const DataHome& home, const contract::Experiment& experiment)
{
    const std::string id = contract::makeRunId(experiment.text("run.name"), std::chrono::system_clock::now());
    return home.runs() / (id.substr(0, id.size() - 4) + "XXXX");
}

}  // namespace launcher
