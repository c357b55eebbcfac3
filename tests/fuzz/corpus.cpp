#include "tests/fuzz/corpus.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace fuzz {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& file)
{
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    return content.str();
}

std::vector<std::string> contentsOf(const std::vector<Case>& cases)
{
    std::vector<std::string> contents;
    for (const Case& one : cases) {
        for (const auto& [path, content] : one.files)
            contents.push_back(content);
    }
    return contents;
}

void write(const fs::path& file, const std::string& content)
{
    if (!(std::ofstream(file, std::ios::binary) << content).flush())
        throw std::runtime_error(file.string() + ": cannot be written");
}

void makeOdd(const fs::path& file, OddFile odd)
{
    switch (odd) {
    case OddFile::None:
    case OddFile::Missing:
        break;
    case OddFile::Folder:
        fs::create_directory(file);
        break;
    case OddFile::Pipe:
        if (::mkfifo(file.c_str(), 0600) != 0)
            throw std::runtime_error(file.string() + ": cannot be made a pipe");
        break;
    case OddFile::DanglingLink:
        fs::create_symlink("nowhere", file);
        break;
    case OddFile::LoopingLink:
        fs::create_symlink(file.filename(), file);
        break;
    case OddFile::EndlessLink:
        fs::create_symlink("/dev/zero", file);
        break;
    case OddFile::HugeFile:
        write(file, "{");
        fs::resize_file(file, std::uintmax_t {1} << 40);
        break;
    }
}

}  // namespace

Case readCase(const fs::path& entry)
{
    Case result {entry.filename().string(), {}};
    if (!fs::is_directory(entry)) {
        result.files[entry.filename().string()] = contentOf(entry);
        return result;
    }
    for (const auto& file : fs::recursive_directory_iterator(entry)) {
        if (file.is_regular_file())
            result.files[fs::relative(file.path(), entry).string()] = contentOf(file.path());
    }
    return result;
}

std::vector<Case> readCases(const fs::path& folder)
{
    std::vector<Case> cases;
    for (const auto& entry : fs::directory_iterator(folder))
        cases.push_back(readCase(entry.path()));
    std::ranges::sort(cases, {}, &Case::name);
    if (cases.empty())
        throw std::runtime_error(folder.string() + ": has no files to begin with");
    return cases;
}

InputMaker::InputMaker(const std::vector<Case>& cases, std::uint64_t seed, std::function<bool(const std::string& path)> isTarget,
    std::function<std::string(const std::string& path, std::string content)> repair)
    : m_cases(cases)
    , m_seed(seed)
    , m_isTarget(std::move(isTarget))
    , m_repair(std::move(repair))
    , m_mutator(contentsOf(cases))
{
}

Input InputMaker::input(std::uint64_t index) const
{
    if (index < m_cases.size())
        return {.origin = &m_cases[index], .damaged = {}, .content = {}};
    Random random(m_seed, index);
    Input input;
    input.origin = &random.anyOf(m_cases);
    std::vector<std::string> targets;
    for (const auto& [path, content] : input.origin->files) {
        if (m_isTarget(path))
            targets.push_back(path);
    }
    if (targets.empty())
        return input;
    input.damaged = random.anyOf(targets);
    if (random.oneIn(100)) {
        input.odd = static_cast<OddFile>(1 + random.below(7));
        return input;
    }
    input.content = m_mutator.mutated(input.origin->files.at(input.damaged), random);
    input.isRepaired = m_repair && random.oneIn(2);
    if (input.isRepaired)
        input.content = m_repair(input.damaged, std::move(input.content));
    return input;
}

void writeInput(const Input& input, const fs::path& folder)
{
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const auto& [path, content] : input.origin->files) {
        fs::create_directories((folder / path).parent_path());
        if (path != input.damaged)
            write(folder / path, content);
        else if (input.odd == OddFile::None)
            write(folder / path, input.content);
        else
            makeOdd(folder / path, input.odd);
    }
}

}  // namespace fuzz
