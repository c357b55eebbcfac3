#include "engine/contract/formats/safetensors_set.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/json_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace contract {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexEnding = ".safetensors.index";
constexpr std::string_view kFileEnding = ".safetensors";
constexpr std::array kStems = {"diffusion_pytorch_model", "model"};

/// The names of a folder's entries, in order. @throws std::runtime_error when it cannot be read as a folder.
std::set<std::string> namesIn(const fs::path& folder)
{
    std::error_code error;
    std::set<std::string> names;
    for (const fs::path& entry : entriesOf(folder, error))
        names.insert(entry.filename().string());
    if (error)
        throw std::runtime_error(folder.string() + ": cannot be read as a folder (" + error.message() + ")");
    return names;
}

/// "fp16" for "model.fp16.safetensors" and "model.safetensors.index.fp16.json"; empty for other names.
std::string variantOf(std::string_view name)
{
    if (name.find("-of-") != std::string_view::npos)
        return {};  // one file of several, found through its index
    for (const std::string_view stem : kStems) {
        const std::string indexStart = std::string(stem) + std::string(kIndexEnding) + ".";
        const std::string fileStart = std::string(stem) + ".";
        if (name.starts_with(indexStart) && name.ends_with(".json") && name.size() > indexStart.size() + 5)
            return std::string(name.substr(indexStart.size(), name.size() - indexStart.size() - 5));
        if (name.starts_with(fileStart) && name.ends_with(kFileEnding) && name.size() > fileStart.size() + kFileEnding.size())
            return std::string(name.substr(fileStart.size(), name.size() - fileStart.size() - kFileEnding.size()));
    }
    return {};
}

/// Path of the index or file of that variant; empty when there is none.
fs::path weightsOfVariant(const fs::path& folder, const std::string& variant)
{
    const std::string part = variant.empty() ? "" : "." + variant;
    for (const char* stem : kStems) {
        const fs::path index = folder / (stem + std::string(kIndexEnding) + part + ".json");
        const fs::path file = folder / (stem + part + std::string(kFileEnding));
        if (hasEntry(index))
            return index;
        if (hasEntry(file))
            return file;
    }
    return {};
}

[[noreturn]] void refuseFolder(const fs::path& folder, const std::set<std::string>& names, const std::string& what)
{
    const auto pickle = std::ranges::find_if(names, [](const std::string& name) { return name.ends_with(".bin") || name.ends_with(".pt"); });
    if (pickle != names.end())
        throw std::runtime_error(folder.string() + ": " + what + " but " + *pickle
            + ", a PyTorch file (pickle), which can run code when it is read; convert it to safetensors first");
    throw std::runtime_error(folder.string() + ": " + what + " (looked for diffusion_pytorch_model.safetensors, model.safetensors and their indices)");
}

std::shared_ptr<const SafetensorsFile> openFile(const fs::path& file)
{
    std::error_code ignored;
    if (hasEntry(file) && fs::status(file, ignored).type() == fs::file_type::not_found)
        throw std::runtime_error(file.string() + ": is a link to a file that is missing; the download is not complete");
    return std::make_shared<const SafetensorsFile>(file);
}

}  // namespace

fs::path findWeights(const fs::path& folder, const std::string& variant)
{
    const std::set<std::string> names = namesIn(folder);
    if (const fs::path found = weightsOfVariant(folder, variant); !found.empty())
        return found;
    std::set<std::string> variants;
    for (const std::string& name : names) {
        if (const std::string other = variantOf(name); !other.empty())
            variants.insert(other);
    }
    if (variant.empty() && variants.size() == 1)
        return weightsOfVariant(folder, *variants.begin());
    if (variants.empty())
        refuseFolder(folder, names, variant.empty() ? "has no weights in safetensors files" : "has no weights of the variant " + variant);
    std::string known;
    for (const std::string& name : variants)
        known += (known.empty() ? "" : ", ") + name;
    throw std::runtime_error(folder.string() + ": " + (variant.empty() ? "choose a variant of its weights: " : "has no weights of the variant " + variant + "; it has ") + known);
}

SafetensorsSet::SafetensorsSet(const fs::path& path, const std::string& variant)
    : m_path(isFolder(path) ? findWeights(path, variant) : path)
{
    if (m_path.extension() == ".json") {
        readIndex();
        return;
    }
    const auto file = openFile(m_path);
    for (const SafetensorsTensor& tensor : file->tensors())
        m_items.emplace(tensor.name, Item {file, &tensor});
}

void SafetensorsSet::readIndex()
{
    const JsonConfig index(m_path);
    const JsonConfig places = index.object("weight_map");
    std::map<std::string, std::shared_ptr<const SafetensorsFile>> files;
    for (const auto& [tensor, place] : places.json().items()) {
        const std::string name = places.text(tensor);
        if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos || name.find('\0') != std::string::npos)
            places.fail(tensor, "names the file " + quotedName(name) + ", which is not in the index's folder");
        std::shared_ptr<const SafetensorsFile>& file = files[name];
        if (!file && !hasEntry(m_path.parent_path() / name))
            places.fail(tensor, "names the file " + quotedName(name) + ", which is missing; the download is not complete");
        if (!file)
            file = openFile(m_path.parent_path() / name);
        const SafetensorsTensor* const found = file->find(tensor);
        if (!found)
            places.fail(tensor, "is not in " + name + ", where the index says it is");
        m_items.emplace(tensor, Item {file, found});
    }
}

const SafetensorsSet::Item* SafetensorsSet::find(std::string_view name) const
{
    const auto found = m_items.find(name);
    return found == m_items.end() ? nullptr : &found->second;
}

std::uint64_t SafetensorsSet::bytes() const
{
    std::uint64_t sum = 0;
    for (const auto& [name, item] : m_items)
        sum += item.tensor->bytes();
    return sum;
}

}  // namespace contract
