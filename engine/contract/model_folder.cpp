#include "engine/contract/model_folder.h"

#include "engine/contract/safetensors_header.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace contract {
namespace {

namespace fs = std::filesystem;

constexpr char kPipelineFile[] = "model_index.json";
constexpr char kConfigFile[] = "config.json";

[[noreturn]] void refuse(const fs::path& path, const std::string& what) { throw std::runtime_error(path.string() + ": " + what); }

bool isPlainName(const std::string& name)
{
    return !name.empty() && name.front() != '.'
        && std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; });
}

/// The snapshot that a folder of the cache means.
fs::path snapshotOf(const fs::path& cache)
{
    const fs::path snapshots = cache / "snapshots";
    if (std::ifstream reference(cache / "refs" / "main"); reference) {
        std::string revision;
        reference >> revision;
        if (!isPlainName(revision) || revision.size() > 200 || !fs::is_directory(snapshots / revision))
            refuse(cache, "its refs/main names the snapshot " + shownName(revision) + ", which is missing; download it again");
        return snapshots / revision;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(snapshots)) {
        if (entry.is_directory())
            found.push_back(entry.path());
    }
    if (found.size() != 1)
        refuse(cache, "has " + std::to_string(found.size()) + " snapshots and no refs/main; name one of the folders in " + snapshots.string());
    return found.front();
}

std::string componentNameOf(const std::string& className)
{
    if (className.find("Transformer") != std::string::npos)
        return "transformer";
    return className.starts_with("Autoencoder") ? "vae" : "text_encoder";
}

}  // namespace

std::string classNameOf(const JsonConfig& config)
{
    if (config.has("_class_name"))
        return config.text("_class_name");
    const auto classes = config.texts("architectures", std::vector<std::string>());
    if (classes.empty())
        config.fail("_class_name", "is missing, and so is \"architectures\": the file does not say which model it describes");
    return classes.front();
}

ModelFolder::ModelFolder(const fs::path& path)
    : m_root(path)
{
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        refuse(path, "does not exist");
    if (!fs::is_directory(path, ignored))
        refuse(path, "is no folder; name the model's folder, with its model_index.json or config.json");
    const auto isModel = [](const fs::path& folder) { return fs::exists(folder / kPipelineFile) || fs::exists(folder / kConfigFile); };
    if (!isModel(m_root) && fs::is_directory(m_root / "snapshots"))
        m_root = snapshotOf(m_root);
    if (!isModel(m_root))
        refuse(m_root, "is no model's folder: it has neither model_index.json nor config.json");
    m_isPipeline = fs::exists(m_root / kPipelineFile);
    if (m_isPipeline)
        readPipeline();
    else
        readLoneComponent();
}

void ModelFolder::readPipeline()
{
    const JsonConfig index(m_root / kPipelineFile);
    m_className = index.text("_class_name");
    for (const auto& [name, value] : index.json().items()) {
        // Whatever is no pair is an option of the pipeline: "boundary_ratio": 0.9.
        if (name.starts_with('_') || !value.is_array() || value.size() != 2)
            continue;
        if (value[0].is_null() && value[1].is_null())
            continue;
        const auto pair = index.texts(name);
        if (!isPlainName(name))
            index.fail(name, "is no name for a component's folder");
        m_components.emplace(name, ModelComponent {pair[0], pair[1]});
    }
}

void ModelFolder::readLoneComponent()
{
    const JsonConfig config(m_root / kConfigFile);
    m_className = classNameOf(config);
    m_components.emplace(componentNameOf(m_className), ModelComponent {config.has("_class_name") ? "diffusers" : "transformers", m_className});
}

fs::path ModelFolder::component(const std::string& name) const
{
    if (!has(name)) {
        std::string known;
        for (const auto& [other, of] : m_components)
            known += (known.empty() ? "" : ", ") + other;
        refuse(m_root, m_className + " has no " + name + "; it has: " + known);
    }
    const fs::path folder = m_isPipeline ? m_root / name : m_root;
    if (!fs::is_directory(folder))
        refuse(folder, "is missing, although model_index.json lists it; the download is not complete");
    return folder;
}

JsonConfig ModelFolder::config(const std::string& component) const
{
    const fs::path folder = this->component(component);
    return JsonConfig(folder / (component == "scheduler" ? "scheduler_config.json" : kConfigFile));
}

}  // namespace contract
