// A model on disk: the folder of a diffusers pipeline or of one component, or either of them in the Hugging Face cache.
#pragma once
#include "engine/contract/formats/json_config.h"

#include <filesystem>
#include <map>
#include <string>

namespace contract {

/// One part of a pipeline: {"diffusers", "SD3Transformer2DModel"}.
struct ModelComponent {
    std::string library;
    std::string className;
};

/// Reads only the folder structure and configurations; SafetensorsSet reads the weights.
class ModelFolder {
public:
    /// @param path a folder with model_index.json (a pipeline) or with config.json (a single component); or a folder of the
    ///        cache, models--organisation--name, of which the snapshot in refs/main is used, or else the only snapshot
    /// @throws std::runtime_error in one sentence naming the folder or file and what is wrong with it.
    explicit ModelFolder(const std::filesystem::path& path);

    const std::filesystem::path& root() const { return m_root; }  ///< the folder with model_index.json or config.json
    bool isPipeline() const { return m_isPipeline; }
    const std::string& className() const { return m_className; }  ///< of the pipeline or the single component

    /// Components by name, such as "transformer", "vae" or "text_encoder_2"; null entries are left out. A single component is
    /// named "transformer", "vae" or "text_encoder" depending on its class.
    const std::map<std::string, ModelComponent>& components() const { return m_components; }
    bool has(const std::string& component) const { return m_components.contains(component); }

    /// Uses the component in @p folder, alone or part of a pipeline, in place of this model's component @p name.
    /// @throws std::runtime_error naming the folder when it has no such component, or one of another class.
    void replaceComponent(const std::string& name, const std::filesystem::path& folder);

    /// Folder of a component.
    /// @throws std::runtime_error when there is no such component (naming the existing ones), or its folder is missing.
    std::filesystem::path component(const std::string& name) const;
    /// The component's config.json, or scheduler_config.json for a scheduler.
    JsonConfig config(const std::string& component) const;

private:
    void readPipeline();
    void readSingleComponent();

    std::filesystem::path m_root;
    bool m_isPipeline = false;
    std::string m_className;
    std::map<std::string, ModelComponent> m_components;
    std::map<std::string, std::filesystem::path> m_replaced;  ///< folders from replaceComponent()
};

/// Class name in a config.json: diffusers' "_class_name", or the first of transformers' "architectures".
/// @throws std::runtime_error naming the file when it has neither.
std::string classNameOf(const JsonConfig& config);

}  // namespace contract
