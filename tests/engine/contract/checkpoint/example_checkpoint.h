// A small checkpoint for tests: two ranks' files of counted bytes, one tensor in pieces.
#pragma once
#include "engine/contract/checkpoint/checkpoint_manifest.h"

#include <QTemporaryDir>

#include <filesystem>
#include <string>

namespace tests {

/// Its manifest, without checksums.
contract::CheckpointManifest example();

std::string contentOf(const std::filesystem::path& file);

/// What verifyCheckpoint() says of a checkpoint; empty when it is whole.
std::string damageOf(const std::filesystem::path& folder);

/// Where a test has such checkpoints.
class ExampleCheckpoints {
protected:
    /// Writes one with checksums, of blocks of 8 bytes too. @return its folder, another one each time
    std::filesystem::path writeExample();

    QTemporaryDir m_root;

private:
    int m_count = 0;
};

}  // namespace tests
