// Options of the run as a whole, and of where it runs.
#include "engine/contract/experiment/option_tables.h"

namespace contract {
namespace {

using enum OptionType;

constexpr std::string_view kOnSlurm = "launch.target=slurm";

}  // namespace

std::vector<Option> runOptions()
{
    return {
        {.key = "run.name", .label = "Name", .type = Text, .defaultValue = "run",
            .help = "Name of the run; its folder's name starts with it"},
        {.key = "run.project", .label = "Project", .type = Text, .defaultValue = "",
            .help = "Project that the run belongs to in the runs table"},
        {.key = "run.total_steps", .label = "Training steps", .type = Integer, .defaultValue = std::int64_t{1000},
            .help = "Optimizer steps to train for, skipped ones included", .unit = "steps",
            .minimum = 1, .maximum = 1e12},
        {.key = "run.seed", .label = "Random seed", .type = Integer, .defaultValue = std::int64_t{42},
            .help = "Seed of initial weights, data order, noise and samples", .minimum = 0, .maximum = 2147483647},
        {.key = "run.deterministic", .label = "Bitwise reproducible", .type = Boolean, .defaultValue = false,
            .help = "Make runs of the same experiment bitwise identical"},
        {.key = "run.device", .label = "Device", .type = Choice, .defaultValue = "auto",
            .help = "Device of the ranks; auto uses CUDA when there is a GPU for every rank",
            .choices = {"auto", "cpu", "cuda"},
            .choiceLabels = {{"auto", "Automatic"}, {"cpu", "CPU"}, {"cuda", "GPU (CUDA)"}}},
        {.key = "run.threads", .label = "CPU threads per process", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "CPU threads per rank; 0 divides the cores among the ranks", .unit = "threads",
            .minimum = 0, .maximum = 1024, .isAdvanced = true},
        {.key = "run.profile_steps", .label = "Steps to profile", .type = Text, .defaultValue = "",
            .help = "Steps to profile, as in 10..15; each rank writes a Chrome trace to the run's profile folder",
            .isAdvanced = true},
        {.key = "run.rules", .label = "Rules that act", .type = Text,
            .defaultValue = "loss is not finite: notify | grad_norm is not finite for 50 steps: notify",
            .help = "What to do when a metric meets a condition: \"loss is not finite: stop | grad_norm > 100 for 5 steps: notify, checkpoint\"; "
                    "actions are notify, checkpoint, sample and stop", .isAdvanced = true},
        {.key = "run.peak_tflops", .label = "Peak throughput", .type = Real, .defaultValue = 0.0,
            .help = "Peak throughput of a rank's device in the compute dtype, for MFU; 0 uses the data sheet value of known "
                    "GPUs", .unit = "TFLOP/s", .minimum = 0, .maximum = 1e6, .isAdvanced = true},

        {.key = "launch.target", .label = "Where it runs", .type = Choice, .defaultValue = "local",
            .help = "local: processes of this machine; slurm: a job of a Slurm cluster, which sees the folder of the runs",
            .choices = {"local", "slurm"}, .choiceLabels = {{"local", "This machine"}, {"slurm", "Slurm cluster"}}},
        {.key = "launch.ranks", .label = "Processes (ranks)", .type = Integer, .defaultValue = std::int64_t{2},
            .help = "Training processes to start", .unit = "processes", .minimum = 1, .maximum = 1024},
        {.key = "launch.gpus", .label = "GPUs", .type = Text, .defaultValue = "",
            .help = "GPUs that the ranks get, comma-separated, one for each: indices as in nvidia-smi, UUIDs, or the beginnings of UUIDs; free: as many "
                    "as there are ranks, on which nobody computes at the start; empty: any, in CUDA's order",
            .appliesTo = "run.device=auto|cuda", .isAdvanced = true},
        {.key = "launch.environment", .label = "Environment of the processes", .type = Text, .defaultValue = "",
            .help = "Variables for the ranks wherever they run, comma-separated, as in NCCL_SOCKET_IFNAME=ib0, NCCL_IB_HCA=mlx5_0,mlx5_1: a comma "
                    "belongs to the value unless NAME= follows. They are kept with the run", .isAdvanced = true},
        {.key = "launch.timeout", .label = "Communication timeout", .type = Integer, .defaultValue = std::int64_t{600},
            .help = "The run fails when a collective waits longer than this", .unit = "s",
            .minimum = 5, .maximum = 86400, .isAdvanced = true},
        {.key = "launch.stall_after", .label = "Shown as stalled after",
            .type = Integer, .defaultValue = std::int64_t{60},
            .help = "A run that journals nothing for this long, and for ten median steps, is shown as stalled",
            .unit = "s", .minimum = 5, .maximum = 86400, .isAdvanced = true},
        {.key = "launch.restarts", .label = "Restarts after failures", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "How often in a row ranks that died or hang are started again from the last checkpoint; a later checkpoint than "
                    "before begins the count anew; 0: never", .unit = "times", .minimum = 0, .maximum = 1000, .isAdvanced = true},
        {.key = "launch.min_ranks", .label = "Fewest after a lost GPU", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "A restart may go on with fewer ranks, at least this many, on the GPUs that are left, if the samples of a step stay the "
                    "same; 0: it needs a GPU for each of launch.ranks", .unit = "processes", .minimum = 0, .maximum = 1024,
            .appliesTo = "run.device=auto|cuda", .isAdvanced = true},

        {.key = "slurm.partition", .label = "Partition", .type = Text, .defaultValue = "",
            .help = "Partition of the cluster; empty: its default one", .appliesTo = kOnSlurm},
        {.key = "slurm.nodes", .label = "Nodes", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Nodes among which the ranks are divided evenly", .unit = "nodes", .minimum = 1, .maximum = 1024, .appliesTo = kOnSlurm},
        {.key = "slurm.gpus_per_node", .label = "GPUs per node", .type = Integer, .defaultValue = std::int64_t{0},
            .help = "GPUs to ask for on each node, one for each of its ranks; 0: none", .unit = "GPUs", .minimum = 0, .maximum = 1024,
            .appliesTo = kOnSlurm},
        {.key = "slurm.cpus_per_rank", .label = "Processor cores per process", .type = Integer, .defaultValue = std::int64_t{1},
            .help = "Cores to ask for each rank", .unit = "cores", .minimum = 1, .maximum = 1024, .appliesTo = kOnSlurm},
        {.key = "slurm.time", .label = "Time limit", .type = Text, .defaultValue = "",
            .help = "Slurm's time limit, as in 90 (minutes), 8:00:00 or 2-12:00:00; empty: the partition's. A run that needs longer "
                    "writes a checkpoint before it, and goes on in the queue's next turn", .appliesTo = kOnSlurm},
        {.key = "slurm.checkpoint_before", .label = "Checkpoint before the limit", .type = Integer, .defaultValue = std::int64_t{120},
            .help = "How long before the time limit the ranks write a checkpoint and leave; Slurm may be a minute early", .unit = "s",
            .minimum = 10, .maximum = 86400, .appliesTo = kOnSlurm, .isAdvanced = true},
        {.key = "slurm.account", .label = "Account", .type = Text, .defaultValue = "",
            .help = "Account that the time is charged to; empty: the user's default", .appliesTo = kOnSlurm},
        {.key = "slurm.container", .label = "Container image", .type = Text, .defaultValue = "",
            .help = "Image in which the ranks run, as Slurm's plugin pyxis takes it; it has atelier-worker under the same path, and sees "
                    "the folders of the runs and those that the experiment names", .appliesTo = kOnSlurm, .isAdvanced = true},
        {.key = "slurm.options", .label = "More options of sbatch", .type = Text, .defaultValue = "",
            .help = "Further options of sbatch, as in --qos=high --exclusive", .appliesTo = kOnSlurm, .isAdvanced = true},
        {.key = "slurm.environment", .label = "Environment variables", .type = Text, .defaultValue = "",
            .help = "Variables for the ranks, as in NCCL_SOCKET_IFNAME=eth0 NCCL_DEBUG=INFO", .appliesTo = kOnSlurm, .isAdvanced = true},
        {.key = "slurm.setup", .label = "Commands before the start", .type = Text, .defaultValue = "",
            .help = "Shell commands that the job runs first, as in module load cuda; export A=1", .appliesTo = kOnSlurm, .isAdvanced = true},
    };
}

}  // namespace contract
