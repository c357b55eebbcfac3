// A checkpoint to begin from: an untrained DiT's gates and last layer are zero, which would hide its blocks from the first
// steps.
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/contract/experiment/experiment.h"

#include <QTemporaryDir>

#include <map>
#include <string>

namespace tests {

/// A model's parameters by name.
using Weights = std::map<std::string, at::Tensor>;

/// Weights with which every part of the model contributes to the first output, and every parameter has a gradient in the
/// first step: linear layers keep the size of what they are given, and gates are about one half.
class DrawnCheckpoint {
public:
    explicit DrawnCheckpoint(const contract::Experiment& experiment);

    const Weights& weights() const { return m_weights; }
    std::string path() const { return m_folder.path().toStdString(); }  ///< for checkpoint.init_from

private:
    QTemporaryDir m_folder;
    Weights m_weights;
};

}  // namespace tests
