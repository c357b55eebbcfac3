// atelier generate: draws images or videos from prompts with the model in a folder
#include "app/cli/checks.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/live_line.h"
#include "app/cli/output.h"
#include "engine/contract/adapters/adapter_file.h"
#include "engine/contract/experiment/options.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/image_request.h"
#include "launcher/base/program_path.h"
#include "launcher/ranks/worker_job.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

namespace app {
namespace {

namespace fs = std::filesystem;

struct GenerateRequest {
    contract::ImageRequest images;
    std::string size;  ///< argument of --size; empty: the pipeline's default
    std::string to = ".";
    int ranks = 1;
    bool isJson = false;
};

void readSize(GenerateRequest& request)
{
    if (request.size.empty())
        return;
    char rest = 0;
    long long width = 0, height = 0;
    if (std::sscanf(request.size.c_str(), "%lldx%lld%c", &width, &height, &rest) != 2 || width < 1 || height < 1)
        throw Failure("--size " + request.size + ": must be width x height in pixels, as in 1024x768", kWrongUsage);
    request.images.width = width;
    request.images.height = height;
}

/// A temporary folder with the request file for the ranks; the destructor removes it.
class RequestFolder {
public:
    RequestFolder()
        : m_folder((fs::temp_directory_path() / "atelier-generate-XXXXXX").string())
    {
        if (!::mkdtemp(m_folder.data()))
            throw std::system_error(errno, std::generic_category(), m_folder + " cannot be created");
    }
    ~RequestFolder()
    {
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
    }
    RequestFolder(const RequestFolder&) = delete;
    RequestFolder& operator=(const RequestFolder&) = delete;

    fs::path file() const { return fs::path(m_folder) / "request.json"; }

private:
    std::string m_folder;
};

/// Returns the number after the highest one in the names of @p folder's images and videos, so that none is overwritten.
std::int64_t nextNumber(const fs::path& folder)
{
    constexpr std::int64_t kMost = 1'000'000'000;
    std::int64_t highest = 0;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().stem().string();
        const std::size_t begin = name.starts_with("image-") ? 6 : name.starts_with("clip-") ? 5 : name.size();
        const auto number = contract::parseInteger(std::string_view(name).substr(begin));
        if (number && *number < kMost)
            highest = std::max(highest, *number);
    }
    if (error)
        throw Failure(folder.string() + " cannot be read: " + error.message());
    return highest + 1;
}

/// Keeps other `atelier generate` commands from writing to a folder, whose numbers would then be the same.
class FolderClaim {
public:
    explicit FolderClaim(const fs::path& folder)
        : m_descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    {
        if (m_descriptor >= 0 && ::flock(m_descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            ::close(m_descriptor);
            throw Failure(folder.string() + ": another `atelier generate` writes to this folder; wait for its end or choose another one with --to");
        }
    }
    ~FolderClaim()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    FolderClaim(const FolderClaim&) = delete;
    FolderClaim& operator=(const FolderClaim&) = delete;

private:
    int m_descriptor;
};

/// Before anything is loaded and drawn. @throws Failure when no file can be made in @p folder.
void requireWritable(const fs::path& folder)
{
    std::string name = (folder / ".atelier-XXXXXX").string();
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0)
        throw Failure("generate: " + contract::cannotBe("written", folder, errno) + "; choose another folder with --to");
    ::close(descriptor);
    ::unlink(name.c_str());
}

ExitCode generate(GenerateRequest& request)
{
    readSize(request);
    fs::create_directories(request.to);
    requireWritable(request.to);
    const FolderClaim claim(request.to);
    request.images.firstNumber = nextNumber(request.to);
    request.images.folder = fs::absolute(request.to).string();
    request.images.model = fs::absolute(request.images.model).string();
    for (std::string* path : {&request.images.transformer, &request.images.secondTransformer, &request.images.adapter, &request.images.secondAdapter}) {
        if (!path->empty())
            *path = fs::absolute(*path).string();
    }
    for (const std::string& adapter : {request.images.adapter, request.images.secondAdapter}) {
        if (!adapter.empty())
            contract::openAdapter(adapter);  // the model may take minutes to load
    }
    const RequestFolder folder;
    contract::writeImageRequest(folder.file(), request.images);

    std::vector<std::string> files;
    std::string problem;
    {
        LiveLine live(stderr);
        problem = launcher::runWorkers({.worker = launcher::programPath("atelier-worker"), .arguments = {"--generate", folder.file().string()}, .ranks = request.ranks},
            [&](const std::string& line) {
                if (line.starts_with("file "))
                    files.push_back(line.substr(5));
                else if (line.starts_with("progress "))
                    live.show(line.substr(9));
                else if (line.starts_with("warning "))
                    live.addMessage("warning: " + line.substr(8));
            });
    }
    if (!problem.empty())
        throw Failure(problem);
    if (request.isJson) {
        printJson({{"files", files}});
    } else {
        for (const std::string& file : files)
            printText(file + "\n");
    }
    return kSuccess;
}

}  // namespace

void addGenerateCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<GenerateRequest>();
    contract::ImageRequest& images = request->images;
    CLI::App* command = app.add_subcommand("generate", "Draw images or videos from prompts with a diffusers model");
    command->add_option("--model", images.model, "Folder of a diffusers pipeline")
        ->required()->type_name("DIR")->check(CLI::ExistingDirectory);
    command->add_option("--prompt", images.prompts, "What to draw; give it once for each image or video")
        ->required()->type_name("TEXT")->allow_extra_args(false);
    command->add_option("--transformer", images.transformer,
        "Transformer to use in place of the pipeline's, for example a merged export of `atelier checkpoints export`")
        ->type_name("DIR")->check(CLI::ExistingDirectory);
    command->add_option("--transformer-2", images.secondTransformer, "The same for transformer_2 (Wan 2.2)")
        ->type_name("DIR")->check(CLI::ExistingDirectory);
    command->add_option("--lora", images.adapter, "Adapter: a file or folder in the format of PEFT, diffusers or Kohya")
        ->type_name("PATH")->check(CLI::ExistingPath);
    command->add_option("--lora-2", images.secondAdapter,
        "Adapter for transformer_2, which computes the steps with little noise (Wan 2.2)")
        ->type_name("PATH")->check(CLI::ExistingPath);
    command->add_option("--lora-weight", images.adapterWeight, "Factor by which the adapters are scaled")
        ->check(numberBetween(-1000, 1000))->capture_default_str();
    command->add_option("--negative", images.negative, "Negative prompt: what guidance leads away from")->type_name("TEXT");
    command->add_option("--size", request->size, "Width and height in pixels; the pipeline's default if not given")
        ->type_name("WxH");
    command->add_option("--frames", images.frames, "Frames of a video; 0: the pipeline's default")
        ->check(CLI::Range(0, 100000))->capture_default_str();
    command->add_option("--steps", images.steps, "Steps from noise to image; 0: the pipeline's default")
        ->check(CLI::Range(0, 1000))->capture_default_str();
    command->add_option("--guidance", images.guidance, "Guidance scale; the pipeline's default if not given")
        ->check(numberBetween(0, 100));
    command->add_option("--seed", images.seed, "Seed of the initial noise")
        ->check(CLI::Range(0, 2147483647))->capture_default_str();
    command->add_option("--dtype", images.dtype, "dtype in which transformer and text encoders compute")
        ->check(CLI::IsMember({"fp32", "bf16", "fp16"}))->capture_default_str();
    const auto& kernels = contract::findOption("engine.attention")->choices;
    command->add_option("--attention", images.attention, "Attention kernel; see engine.attention in `atelier options`")
        ->check(CLI::IsMember(std::vector<std::string>(kernels.begin(), kernels.end())))->capture_default_str();
    command->add_option("--device", images.device, "auto uses CUDA when there is a GPU for every rank")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))->capture_default_str();
    command->add_option("--ranks", request->ranks,
        "Number of processes that shard the transformer and divide the images among them")
        ->check(CLI::Range(1, 1024))->capture_default_str();
    command->add_option("--to", request->to, "Folder for the images, or for the videos and the folders of their frames; their numbers go on after those that are there")
        ->capture_default_str()->type_name("DIR");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return generate(*request); }; });
}

}  // namespace app
