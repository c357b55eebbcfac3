#include "engine/contract/formats/model_folder.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/safetensors_header.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace contract {
namespace {

namespace fs = std::filesystem;

constexpr char kPipelineFile[] = "model_index.json";
constexpr char kConfigFile[] = "config.json";

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

[[noreturn]] void refuse(const fs::path& path, const std::string& what) { throw std::runtime_error(path.string() + ": " + what); }

bool isPlainName(const std::string& name)
{
    return !name.empty() && name.front() != '.'
        && std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; });
}

/// The snapshot to use of a model in the Hugging Face cache.
fs::path snapshotOf(const fs::path& cache)
{
    const fs::path snapshots = cache / "snapshots";
    constexpr std::uint64_t kMaxReferenceBytes = 4096;
    if (const auto reference = fileContentIfAny(cache / "refs" / "main", kMaxReferenceBytes)) {
        const std::string revision = reference->substr(0, reference->find_first_of(" \t\r\n"));
        if (!isPlainName(revision) || revision.size() > 200 || !isFolder(snapshots / revision))
            refuse(cache, "its refs/main names the snapshot " + quotedName(revision) + ", which is missing; download it again");
        return snapshots / revision;
    }
    std::vector<fs::path> found;
    std::ranges::copy_if(entriesOf(snapshots), std::back_inserter(found), isFolder);
    if (found.size() != 1)
        refuse(cache, "has " + std::to_string(found.size()) + " snapshots and no refs/main; choose one of the folders in " + snapshots.string());
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
        refuse(path, "is not a folder; give the model's folder, which holds model_index.json or config.json");
    const auto isModel = [](const fs::path& folder) { return isThere(folder / kPipelineFile) || isThere(folder / kConfigFile); };
    if (!isModel(m_root) && isFolder(m_root / "snapshots"))
        m_root = snapshotOf(m_root);
    if (!isModel(m_root))
        refuse(m_root, "is not a model folder: it has neither model_index.json nor config.json");
    m_isPipeline = isThere(m_root / kPipelineFile);
    if (m_isPipeline)
        readPipeline();
    else
        readSingleComponent();
}

void ModelFolder::readPipeline()
{
    const JsonConfig index(m_root / kPipelineFile);
    m_className = index.text("_class_name");
    for (const auto& [name, value] : index.json().items()) {
        // Values that are not pairs are options of the pipeline, such as "boundary_ratio": 0.9.
        if (name.starts_with('_') || !value.is_array() || value.size() != 2)
            continue;
        if (value[0].is_null() && value[1].is_null())
            continue;
        const auto pair = index.texts(name);
        if (!isPlainName(name))
            index.fail(name, "is not a valid name for a component's folder");
        m_components.emplace(name, ModelComponent {pair[0], pair[1]});
    }
}

void ModelFolder::readSingleComponent()
{
    const JsonConfig config(m_root / kConfigFile);
    m_className = classNameOf(config);
    m_components.emplace(componentNameOf(m_className), ModelComponent {config.has("_class_name") ? "diffusers" : "transformers", m_className});
}

void ModelFolder::replaceComponent(const std::string& name, const fs::path& folder)
{
    if (!has(name))
        component(name);  // throws, and names those that there are
    const ModelFolder other(folder);
    const auto found = other.components().find(other.isPipeline() ? name : componentNameOf(other.className()));
    const std::string& wanted = components().at(name).className;
    if (found == other.components().end() || found->second.className != wanted)
        refuse(folder, "is a " + other.className() + " and cannot replace the " + name + " of " + m_root.string() + ", which is a " + wanted);
    m_replaced[name] = other.component(found->first);
}

fs::path ModelFolder::component(const std::string& name) const
{
    if (const auto replaced = m_replaced.find(name); replaced != m_replaced.end())
        return replaced->second;
    if (!has(name)) {
        std::string known;
        for (const auto& [other, of] : m_components)
            known += (known.empty() ? "" : ", ") + other;
        refuse(m_root, m_className + " has no " + name + "; it has: " + known);
    }
    const fs::path folder = m_isPipeline ? m_root / name : m_root;
    if (!isFolder(folder))
        refuse(folder, "is missing, although model_index.json lists it; the download is not complete");
    return folder;
}

JsonConfig ModelFolder::config(const std::string& component) const
{
    const fs::path folder = this->component(component);
    return JsonConfig(folder / (component == "scheduler" ? "scheduler_config.json" : kConfigFile));
}

}  // namespace contract
