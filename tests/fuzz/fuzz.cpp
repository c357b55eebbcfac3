// fuzz FORMAT [--seconds N] [--inputs N] [--seed N] [--from N]: lets a reader read damaged files, see targets.h. Without a bound it
// ends after $ATELIER_FUZZ_SECONDS, or two minutes; $ATELIER_FUZZ_SEED replaces a seed drawn anew each time.
//
// An input follows from the seed and its number, so that `--seed S --from N --inputs 1` repeats one. The reader runs in a child
// process. Found are: the end of that process (by a signal or a sanitizer), an input that takes too long or too much memory, and
// broken promises (verdict.h). Each is printed, its files are kept in ./fuzz-findings, and the next input follows.
#include "tests/fuzz/targets.h"
#include "tests/fuzz/verdict.h"
#include "tests/paths.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>

// A report of either sanitizer ends the process; a failed allocation throws, as without sanitizers.
extern "C" const char* __asan_default_options();
extern "C" const char* __ubsan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1:max_allocation_size_mb=2048:quarantine_size_mb=16"; }
extern "C" const char* __ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kMostFindings = 5;
// Two limits: a busy machine makes an input take longer, but not more processor time, and a reader that waits takes none.
constexpr std::chrono::seconds kMostProcessorTimePerInput {20};
constexpr std::chrono::seconds kMostTimePerInput {120};
constexpr std::uint64_t kMostInputsPerProcess = 2000;  // the address sanitizer's own records of a process only grow

struct Settings {
    const fuzz::Format* format = nullptr;
    std::optional<std::uint64_t> seconds;
    std::optional<std::uint64_t> inputs;
    std::optional<std::uint64_t> seed;
    std::uint64_t from = 0;
};

/// What the child tells its parent, in memory of both.
struct Progress {
    std::atomic<std::uint64_t> index;      ///< of the input that is being read
    std::atomic<Clock::rep> started;       ///< when, in ticks of the clock
    std::atomic<std::int64_t> processorNs; ///< that the process had used then
    char finding[4096];                    ///< a broken promise; empty when there is none
};

std::uint64_t residentBytes(pid_t process)
{
    std::uint64_t pages = 0;
    std::ifstream("/proc/" + std::to_string(process) + "/statm") >> pages >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t peakBytes()
{
    rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::int64_t processorNs(clockid_t clock)
{
    timespec time {};
    ::clock_gettime(clock, &time);
    return std::int64_t {time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string asMebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

class Fuzzer {
public:
    explicit Fuzzer(const Settings& settings)
        : m_settings(settings)
        , m_seed(settings.seed.value_or(static_cast<std::uint64_t>(std::random_device()())))
        , m_cases(fuzz::readCases(fs::path(ATELIER_SOURCE_DIR) / "tests/fixtures" / settings.format->corpus))
        , m_target(settings.format->make())
        , m_inputs(m_cases, m_seed, [this](const std::string& path) { return m_target->damages(path); }, repair())
        , m_progress(static_cast<Progress*>(
              ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
    {
        std::string pattern = fs::temp_directory_path() / "atelier-fuzz-XXXXXX";
        if (m_progress == MAP_FAILED || !::mkdtemp(pattern.data()))
            throw std::runtime_error(std::string("cannot begin: ") + std::strerror(errno));
        m_scratch = pattern;
    }
    ~Fuzzer()
    {
        std::error_code ignored;
        fs::remove_all(m_scratch, ignored);
    }
    Fuzzer(const Fuzzer&) = delete;
    Fuzzer& operator=(const Fuzzer&) = delete;

    /// @return the number of findings
    int run()
    {
        std::printf("fuzz %s: seed %llu\n", m_settings.format->name, ull(m_seed));
        int findings = 0;
        std::uint64_t from = m_settings.from;
        while (findings < kMostFindings && isWanted(from)) {
            const std::string finding = inputsFrom(from);
            from = m_progress->index + 1;
            if (finding.empty())
                continue;
            report(finding);
            ++findings;
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - m_start).count();
        std::printf("fuzz %s: seed %llu, %llu inputs in %.0f s, %d findings\n", m_settings.format->name, ull(m_seed),
            ull(from - m_settings.from), seconds, findings);
        return findings;
    }

private:
    static unsigned long long ull(std::uint64_t number) { return number; }

    std::function<std::string(const std::string& path, std::string content)> repair() const
    {
        if (!m_target->canRepair())
            return {};
        return [this](const std::string& path, std::string content) { return m_target->repaired(path, std::move(content)); };
    }

    bool isWanted(std::uint64_t index) const
    {
        const bool isInTime = !m_settings.seconds || Clock::now() - m_start < std::chrono::seconds(*m_settings.seconds);
        return isInTime && (!m_settings.inputs || index - m_settings.from < *m_settings.inputs);
    }

    /// Reads inputs in a child process until it is time for another process or to end, or until there is a finding.
    /// @return the finding, or an empty text
    std::string inputsFrom(std::uint64_t first)
    {
        m_progress->finding[0] = '\0';
        m_progress->index = first;
        startsInput(0);
        std::fflush(nullptr);
        const pid_t child = ::fork();
        if (child < 0)
            throw std::runtime_error(std::string("cannot fork: ") + std::strerror(errno));
        if (child == 0) {
            readFrom(first);
            std::exit(m_progress->finding[0] == '\0' ? 0 : 1);  // the leak sanitizer has its word here
        }
        return endOf(child);
    }

    void startsInput(std::int64_t usedNs)
    {
        m_progress->processorNs = usedNs;
        m_progress->started = Clock::now().time_since_epoch().count();
    }

    /// In the child.
    void readFrom(std::uint64_t first)
    {
        try {
            // What was right before it was damaged is known to the target from the undamaged cases.
            for (std::uint64_t index = 0; first > 0 && index < m_cases.size(); ++index)
                read(index);
            for (std::uint64_t index = first; isWanted(index) && index - first < kMostInputsPerProcess; ++index) {
                m_progress->index = index;
                read(index);
            }
        } catch (const std::exception& error) {
            std::snprintf(m_progress->finding, sizeof(Progress::finding), "%s", error.what());
        }
    }

    void read(std::uint64_t index)
    {
        const fuzz::Input input = m_inputs.input(index);
        const fs::path folder = m_scratch / "case";
        fuzz::writeInput(input, folder);
        startsInput(processorNs(CLOCK_PROCESS_CPUTIME_ID));
        m_target->read(folder, input);
        fuzz::require(peakBytes() <= m_target->mostBytes(), "takes " + asMebibytes(peakBytes()) + " of memory");
    }

    std::string endOf(pid_t child) const
    {
        constexpr timespec kPause {.tv_sec = 0, .tv_nsec = 10'000'000};
        std::string finding;
        clockid_t childClock {};
        ::clock_getcpuclockid(child, &childClock);
        int status = 0;
        while (::waitpid(child, &status, WNOHANG) == 0) {
            const Clock::duration taken = Clock::now().time_since_epoch() - Clock::duration(m_progress->started.load());
            const std::uint64_t bytes = residentBytes(child);
            const std::chrono::nanoseconds computed(processorNs(childClock) - m_progress->processorNs);
            if (finding.empty() && (computed > kMostProcessorTimePerInput || taken > kMostTimePerInput))
                finding = "takes more than " + std::to_string(kMostProcessorTimePerInput.count()) + " s of a processor, or waits";
            if (finding.empty() && bytes > 2 * m_target->mostBytes())
                finding = "takes " + asMebibytes(bytes) + " of memory";
            if (!finding.empty())
                ::kill(child, SIGKILL);
            ::nanosleep(&kPause, nullptr);
        }
        if (!finding.empty())
            return finding;
        if (m_progress->finding[0] != '\0')
            return m_progress->finding;
        if (WIFSIGNALED(status))
            return std::string("ends by signal ") + ::strsignal(WTERMSIG(status));
        return WEXITSTATUS(status) == 0 ? "" : "ends with code " + std::to_string(WEXITSTATUS(status)) + ": see the report above";
    }

    void report(const std::string& finding) const
    {
        const std::uint64_t index = m_progress->index;
        const fuzz::Input input = m_inputs.input(index);
        const fs::path kept = fs::path("fuzz-findings")
            / (std::string(m_settings.format->name) + "-" + std::to_string(m_seed) + "-" + std::to_string(index));
        fuzz::writeInput(input, kept);
        std::printf("FINDING in input %llu (%s of %s): %s\n  kept in %s; again: fuzz %s --seed %llu --from %llu --inputs 1\n", ull(index),
            input.damaged.empty() ? "undamaged" : input.damaged.c_str(), input.origin->name.c_str(), finding.c_str(),
            fs::absolute(kept).c_str(), m_settings.format->name, ull(m_seed), ull(index));
    }

    Settings m_settings;
    std::uint64_t m_seed;
    std::vector<fuzz::Case> m_cases;
    std::unique_ptr<fuzz::Target> m_target;
    fuzz::InputMaker m_inputs;
    Progress* m_progress;
    fs::path m_scratch;
    Clock::time_point m_start = Clock::now();
};

std::optional<Settings> settingsFrom(const std::vector<std::string>& arguments)
{
    Settings settings;
    for (const fuzz::Format& format : fuzz::formats()) {
        if (!arguments.empty() && arguments.front() == format.name)
            settings.format = &format;
    }
    for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
        char* end = nullptr;
        const std::uint64_t number = std::strtoull(arguments[i + 1].c_str(), &end, 10);
        if (arguments[i + 1].empty() || *end != '\0')
            return std::nullopt;
        if (arguments[i] == "--seconds")
            settings.seconds = number;
        else if (arguments[i] == "--inputs")
            settings.inputs = number;
        else if (arguments[i] == "--seed")
            settings.seed = number;
        else if (arguments[i] == "--from")
            settings.from = number;
        else
            return std::nullopt;
    }
    if (const char* const seed = std::getenv("ATELIER_FUZZ_SEED"); seed && std::ranges::find(arguments, "--seed") == arguments.end())
        settings.seed = std::strtoull(seed, nullptr, 10);
    if (const char* const seconds = std::getenv("ATELIER_FUZZ_SECONDS"); !settings.seconds && !settings.inputs)
        settings.seconds = seconds ? std::strtoull(seconds, nullptr, 10) : 120;
    return settings.format && arguments.size() % 2 == 1 ? std::optional(settings) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv)
{
    const auto settings = settingsFrom({argv + 1, argv + argc});
    if (!settings) {
        std::fprintf(stderr, "usage: fuzz FORMAT [--seconds N] [--inputs N] [--seed N] [--from N]\nformats:");
        for (const fuzz::Format& format : fuzz::formats())
            std::fprintf(stderr, " %s", format.name);
        std::fprintf(stderr, "\n");
        return 2;
    }
    try {
        return Fuzzer(*settings).run() == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fuzz %s: %s\n", settings->format->name, error.what());
        return 2;
    }
}
