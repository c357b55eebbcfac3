// atelier generate: pictures or clips of prompts from a model's folder
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/live_line.h"
#include "app/cli/output.h"
#include "engine/contract/image_request.h"
#include "engine/contract/options.h"
#include "launcher/launch.h"
#include "launcher/worker_job.h"

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
    std::string size;  ///< empty: the pipeline's own
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

/// A folder for the file that tells the ranks what to draw; it goes with this.
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

ExitCode generate(GenerateRequest& request)
{
    readSize(request);
    fs::create_directories(request.to);
    request.images.folder = fs::absolute(request.to).string();
    request.images.model = fs::absolute(request.images.model).string();
    for (std::string* adapter : {&request.images.adapter, &request.images.secondAdapter}) {
        if (!adapter->empty())
            *adapter = fs::absolute(*adapter).string();
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
    CLI::App* command = app.add_subcommand("generate", "Draw pictures or clips of prompts with a model's folder");
    command->add_option("--model", images.model, "Folder of a diffusers pipeline")->required()->type_name("DIR")->check(CLI::ExistingDirectory);
    command->add_option("--prompt", images.prompts, "What to draw; each gives a picture or a clip")->required()->type_name("TEXT")->allow_extra_args(false);
    command->add_option("--lora", images.adapter, "Adapter: a file or folder of PEFT, diffusers or Kohya")->type_name("PATH")->check(CLI::ExistingPath);
    command->add_option("--lora-2", images.secondAdapter, "Adapter for a folder's transformer_2, which draws where there is little noise (Wan 2.2)")
        ->type_name("PATH")->check(CLI::ExistingPath);
    command->add_option("--lora-weight", images.adapterWeight, "How much of the adapters is added")->capture_default_str();
    command->add_option("--negative", images.negative, "What guidance leads away from")->type_name("TEXT");
    command->add_option("--size", request->size, "Width and height in pixels; the pipeline's own unless given")->type_name("WxH");
    command->add_option("--frames", images.frames, "Frames of a clip; 0: the pipeline's own")->check(CLI::Range(0, 100000))->capture_default_str();
    command->add_option("--steps", images.steps, "Steps from noise to picture; 0: the pipeline's own")->check(CLI::Range(0, 1000))->capture_default_str();
    command->add_option("--guidance", images.guidance, "Guidance scale; the pipeline's own unless given")->check(CLI::Range(0.0, 100.0));
    command->add_option("--seed", images.seed, "Of the noise that pictures begin with")->check(CLI::Range(0, 2147483647))->capture_default_str();
    command->add_option("--dtype", images.dtype, "In which transformer and text encoders compute")
        ->check(CLI::IsMember({"fp32", "bf16", "fp16"}))->capture_default_str();
    const auto& kernels = contract::findOption("engine.attention")->choices;
    command->add_option("--attention", images.attention, "How attention is computed, as engine.attention says it")
        ->check(CLI::IsMember(std::vector<std::string>(kernels.begin(), kernels.end())))->capture_default_str();
    command->add_option("--device", images.device, "auto takes CUDA when there is a GPU for every rank")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))->capture_default_str();
    command->add_option("--ranks", request->ranks, "Processes that hold the transformer in shards and divide what is drawn")
        ->check(CLI::Range(1, 1024))->capture_default_str();
    command->add_option("--to", request->to, "Folder for the pictures, or the clips' folders of frames")->capture_default_str()->type_name("DIR");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return generate(*request); }; });
}

}  // namespace app
