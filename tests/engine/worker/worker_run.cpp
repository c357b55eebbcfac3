#include "tests/engine/worker/worker_run.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/safetensors_header.h"
#include "tests/engine/test_device.h"
#include "tests/paths.h"

#include <ATen/ops/empty.h>

#include <QtTest>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tests {
namespace {

namespace fs = std::filesystem;

/// A listening socket on a free port, handed to rank 0: nobody can take the port in between.
std::pair<int, int> listenSomewhere()
{
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(descriptor, generic, size) != 0 || ::listen(descriptor, 64) != 0
        || ::getsockname(descriptor, generic, &size) != 0)
        qFatal("no port on the loopback interface");
    return {descriptor, ntohs(address.sin_port)};
}

/// The runs of one program share a data home, so that they share its cache.
fs::path runsOfThisProgram()
{
    static const QTemporaryDir home;
    const fs::path runs = fs::path(home.path().toStdString()) / "runs";
    fs::create_directories(runs);
    return runs;
}

template <typename OnLine>
void forEachLine(const fs::path& file, int attempt, OnLine onLine)
{
    contract::JournalParser parser;
    std::ifstream stream(file);
    int current = 0;
    for (std::string text; std::getline(stream, text);) {
        const contract::JournalLine& line = parser.parse(text);
        if (line.kind == contract::JournalLine::Kind::Header)
            current = line.header.attempt;
        else if (line.kind == contract::JournalLine::Kind::Record && current == attempt)
            onLine(line);
    }
}

}  // namespace

contract::Experiment with(contract::Experiment experiment, const Options& options)
{
    for (const auto& [key, value] : options) {
        if (const auto problem = experiment.set(key, value))
            qFatal("%s", problem->message.c_str());
    }
    return experiment;
}

contract::Experiment smallExperiment(int ranks)
{
    contract::Experiment experiment;
    const auto set = [&](const char* key, const contract::OptionValue& value) {
        if (const auto problem = experiment.set(key, value))
            qFatal("%s", problem->message.c_str());
    };
    set("run.total_steps", std::int64_t {20});
    set("launch.ranks", std::int64_t {ranks});
    set("launch.timeout", std::int64_t {60});
    set("run.device", std::string(accelerator() ? "cuda" : "cpu"));
    set("run.threads", std::int64_t {1});
    set("data.path", std::string(ATELIER_SOURCE_DIR "/resources/digits.csv.gz"));
    set("model.width", std::int64_t {32});
    set("model.depth", std::int64_t {3});
    set("model.heads", std::int64_t {4});
    set("engine.compute_dtype", std::string("fp32"));
    set("batch.micro", std::int64_t {24 / ranks});
    set("optim.weight_decay", 1.0);  // large enough that a wrongly decayed bias shows
    set("sample.judge", std::int64_t {0});
    set("sample.per_label", std::int64_t {1});
    set("sample.steps", std::int64_t {2});
    set("validation.every", std::int64_t {0});
    return experiment;
}

WorkerRun::WorkerRun(const contract::Experiment& experiment)
    : m_directory(QString::fromStdString((runsOfThisProgram() / "run-20261121-XXXXXX").string()))
    , m_folder(m_directory.path().toStdString())
{
    prepareAttempt(experiment);
}

WorkerRun::~WorkerRun()
{
    m_ranks.clear();
    if (m_masterDescriptor >= 0)
        ::close(m_masterDescriptor);
}

void WorkerRun::prepareAttempt(const contract::Experiment& asked, std::int64_t parentStep)
{
    // Ranks share the GPU.
    const contract::Experiment experiment = accelerator() ? with(asked, {{"engine.exchange", std::string("gloo")}}) : asked;
    ++m_attempt;
    m_rankCount = static_cast<int>(experiment.integer("launch.ranks"));
    fs::create_directories(m_folder.attempt(m_attempt));
    fs::create_directories(m_folder.journals());
    std::ofstream(m_folder.config(m_attempt))
        << experiment.toToml(contract::Experiment::Write::Everything);
    contract::AttemptStart start;
    start.attempt = m_attempt;
    start.ranks = m_rankCount;
    std::error_code error;
    const auto controlBytes = fs::file_size(m_folder.control(), error);
    start.controlOffset = error ? 0 : static_cast<std::int64_t>(controlBytes);
    if (parentStep >= 0) {
        start.parentCheckpoint = "checkpoints/step-" + std::to_string(parentStep);
        start.parentStep = parentStep;
    }
    m_folder.writeStart(start);
}

void WorkerRun::start() { startRanks({"--run", m_folder.root().string(), "--attempt", std::to_string(m_attempt)}, m_rankCount); }

void WorkerRun::startGenerating(const fs::path& request) { startRanks({"--generate", request.string()}, 1); }

void WorkerRun::startRanks(const std::vector<std::string>& arguments, int ranksPerHost)
{
    m_ranks.clear();
    if (m_masterDescriptor >= 0)
        ::close(m_masterDescriptor);
    const auto [descriptor, port] = listenSomewhere();
    m_masterDescriptor = descriptor;
    for (int rank = 0; rank < m_rankCount; ++rank) {
        WorkerStart start {.arguments = arguments,
            .variables = {{"RANK", std::to_string(rank)}, {"LOCAL_RANK", std::to_string(rank % ranksPerHost)},
                {"WORLD_SIZE", std::to_string(m_rankCount)}, {"LOCAL_WORLD_SIZE", std::to_string(ranksPerHost)},
                {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", std::to_string(port)}},
            .memoryLimit = m_memoryLimit,
            .isProgram = s_isProgram || m_memoryLimit > 0 || accelerator()};  // who has used a GPU may not fork
        if (accelerator() && m_memoryLimit > 0) {  // CUDA reserves more addresses than a limit would leave
            start.memoryLimit = 0;
            start.variables.emplace_back("PYTORCH_CUDA_ALLOC_CONF", "per_process_memory_fraction:0.02");
        }
        if (rank == 0) {
            start.variables.emplace_back("ATELIER_MASTER_FD", std::to_string(descriptor));
            start.inherited = descriptor;
        }
        m_ranks.push_back(std::make_unique<WorkerProcess>(start));
    }
}

std::vector<int> WorkerRun::wait()
{
    std::vector<int> codes;
    for (auto& rank : m_ranks) {
        constexpr int kLongestMs = 400'000;  // on a busy machine
        if (!rank->waitForFinished(kLongestMs))
            qFatal("a rank hangs:\n%s", rank->readAll().constData());
        codes.push_back(rank->exitCode());
        if (codes.back() != 0)
            qInfo("%s", rank->readAll().constData());
    }
    return codes;
}

std::map<std::int64_t, double> WorkerRun::metric(const std::string& name, int rank) const
{
    std::map<std::int64_t, double> values;
    forEachLine(m_folder.journal(rank), m_attempt, [&](const contract::JournalLine& line) {
        if (const auto* field = line.field(name); field && field->isNumber)
            values[line.step] = field->number;
    });
    return values;
}

std::vector<double> WorkerRun::series(const std::string& name) const
{
    std::vector<double> values;
    for (const auto& [step, value] : metric(name))
        values.push_back(value);
    return values;
}

std::string WorkerRun::lastText(
    const std::string& type, const std::string& field, int rank) const
{
    std::string text;
    forEachLine(m_folder.journal(rank), m_attempt, [&](const contract::JournalLine& line) {
        if (line.type == type)
            text = line.text(field);
    });
    return text;
}

std::string WorkerRun::lastEvent(const std::string& kind, int rank) const
{
    std::string message;
    forEachLine(m_folder.journal(rank), m_attempt, [&](const contract::JournalLine& line) {
        if (line.type == contract::record::kEvent && line.text("kind") == kind)
            message = line.text("message");
    });
    return message;
}

int WorkerRun::countOf(const std::string& type, const std::string& field, const std::string& part, int rank) const
{
    int count = 0;
    forEachLine(m_folder.journal(rank), m_attempt, [&](const contract::JournalLine& line) {
        count += line.type == type && line.text(field).find(part) != std::string::npos ? 1 : 0;
    });
    return count;
}

std::map<std::string, at::Tensor> WorkerRun::checkpoint(std::int64_t step) const
{
    std::map<std::string, at::Tensor> tensors;
    const fs::path folder = m_folder.checkpoint(step);
    for (const auto& entry : contract::readManifest(folder).tensors) {
        at::Tensor tensor = at::empty(entry.shape, entry.dtype == "U8" ? at::kByte : at::kFloat);
        const std::uint64_t elementSize = contract::dtypeBytes(entry.dtype);
        for (const auto& piece : entry.pieces) {
            std::ifstream file(folder / piece.file, std::ios::binary);
            file.seekg(static_cast<std::streamoff>(piece.offset));
            file.read(static_cast<char*>(tensor.data_ptr()) + piece.begin * elementSize,
                static_cast<std::streamsize>(piece.count * elementSize));
        }
        tensors[entry.name] = tensor;
    }
    return tensors;
}

}  // namespace tests
