// The files that a fuzzer begins with, and the folder in which a target finds them damaged.
#pragma once
#include "tests/fuzz/mutator.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fuzz {

/// The files of one folder by relative path.
using Files = std::map<std::string, std::string>;

struct Case {
    std::string name;
    Files files;
};

/// One for each entry of @p folder, sorted: a folder is a case of several files, a file is a case of its own.
/// @throws std::runtime_error when there is none.
std::vector<Case> readCases(const std::filesystem::path& folder);
Case readCase(const std::filesystem::path& entry);

/// What the damaged file has become instead of another content.
enum class OddFile { None, Missing, Folder, Pipe, DanglingLink, LoopingLink, EndlessLink, HugeFile };

/// An input, which follows from the cases, the seed and the index.
struct Input {
    const Case* origin = nullptr;
    std::string damaged;  ///< relative path; empty: all files are as in the corpus
    std::string content;  ///< of the damaged file
    OddFile odd = OddFile::None;
    bool isRepaired = false;  ///< checksums and lengths fit the damaged content
};

class InputMaker {
public:
    /// @param isTarget which files of a case are damaged
    /// @param repair returns the content with its checksums and lengths made right, so that the checks behind them are reached
    InputMaker(const std::vector<Case>& cases, std::uint64_t seed, std::function<bool(const std::string& path)> isTarget,
        std::function<std::string(const std::string& path, std::string content)> repair);

    /// The first inputs are the cases themselves.
    Input input(std::uint64_t index) const;

private:
    const std::vector<Case>& m_cases;
    std::uint64_t m_seed;
    std::function<bool(const std::string& path)> m_isTarget;
    std::function<std::string(const std::string& path, std::string content)> m_repair;
    Mutator m_mutator;
};

/// Makes @p folder hold exactly the files of @p input.
void writeInput(const Input& input, const std::filesystem::path& folder);

}  // namespace fuzz
