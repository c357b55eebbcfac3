#include "engine/worker/gpu_report.h"

#include "engine/comm/accelerator.h"
#include "engine/comm/errors.h"
#include "engine/comm/gpu_choice.h"
#include "engine/contract/formats/json_text.h"
#include "engine/kernels/gpu_check.h"
#include "engine/nn/attention/measured_attention.h"

#include <nlohmann/json.hpp>

namespace engine {
namespace {

using Json = nlohmann::ordered_json;

/// Of the current GPU.
Json reportOf(Accelerator& accelerator, c10::Device device)
{
    Json report = {{"name", accelerator.deviceName()}, {"kernels", 0}, {"problems", Json::array()}, {"attention", Json::array()}};
    try {
        int found = 0;
        for (const std::string& name : cuda::kernelNames())
            found += accelerator.kernels().find(name) ? 1 : 0;
        report["kernels"] = found;
        if (found > 0)
            report["problems"] = gpu::disagreements(device);
        for (const std::int64_t tokens : {1024, 4096})  // of images of 512 and 1024 pixels
            fastestKernel({at::kBFloat16, 1, 24, tokens, tokens, 64, true}, device);
        report["attention"] = takeMeasuredAttention();
    } catch (const std::exception& error) {
        report["problems"].push_back(firstLine(error));
    }
    return report;
}

}  // namespace

std::string gpuReport()
{
    Json gpus = Json::array();
    const std::size_t count = visibleGpus().size();
    if (count > 0) {
        Accelerator& accelerator = loadAccelerator();
        // Our kernels belong to the first GPU that they are compiled for; others are of the same kind, as a rule.
        accelerator.setDevice(0);
        gpus.push_back(reportOf(accelerator, c10::Device(c10::DeviceType::CUDA, 0)));
    }
    return contract::jsonText(Json {{"v", 1}, {"visible", count}, {"gpus", gpus}});
}

}  // namespace engine
