// A Python that has torchrun.
#pragma once
#include <QString>

namespace tests {

/// Python that can import torch, and so run torchrun; empty where there is none.
QString pythonWithTorch();

}  // namespace tests
