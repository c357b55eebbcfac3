// A model as it lies on a disk: a diffusers pipeline's folder, one component's, or either in the cache of Hugging Face.
#pragma once
#include "engine/contract/json_config.h"

#include <filesystem>
#include <map>
#include <string>

namespace contract {

/// One part of a pipeline: {"diffusers", "SD3Transformer2DModel"}.
struct ModelComponent {
    std::string library;
    std::string className;
};

/// Only folders and configurations are looked at; the weights are a SafetensorsSet's.
class ModelFolder {
public:
    /// @param path a folder with model_index.json (a pipeline) or with config.json (a lone component); or one of the cache,
    ///        models--organisation--name, of which the snapshot of refs/main is taken, or else the only one there is
    /// @throws std::runtime_error in one sentence naming the folder or file and what is wrong with it.
    explicit ModelFolder(const std::filesystem::path& path);

    const std::filesystem::path& root() const { return m_root; }  ///< where the configuration lies
    bool isPipeline() const { return m_isPipeline; }
    const std::string& className() const { return m_className; }  ///< of the pipeline or the lone component

    /// By name, such as "transformer", "vae", "text_encoder_2"; without those that are null. A lone component is called
    /// "transformer", "vae" or "text_encoder" by its class.
    const std::map<std::string, ModelComponent>& components() const { return m_components; }
    bool has(const std::string& component) const { return m_components.contains(component); }

    /// @throws std::runtime_error naming the model and its components when there is no such one, or no folder for it.
    std::filesystem::path component(const std::string& name) const;
    /// Its config.json, scheduler_config.json for a scheduler.
    JsonConfig config(const std::string& component) const;

private:
    void readPipeline();
    void readLoneComponent();

    std::filesystem::path m_root;
    bool m_isPipeline = false;
    std::string m_className;
    std::map<std::string, ModelComponent> m_components;
};

/// The class of a config.json: diffusers' "_class_name", or the first of transformers' "architectures".
std::string classNameOf(const JsonConfig& config);

}  // namespace contract
