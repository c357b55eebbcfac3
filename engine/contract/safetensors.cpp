#include "engine/contract/safetensors.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace contract {
namespace {

/// What a file that is none of ours looks like from its first bytes, capitals or not; or nothing.
std::string otherKind(const InputFile& file)
{
    using Sign = std::pair<std::string_view, const char*>;
    static constexpr const char* kPickle = "a PyTorch file (pickle), which can run code when it is read; convert it first";
    static constexpr const char* kPage = "a web page; the download was refused or needs a login";
    static constexpr std::array kSigns = {Sign {"pk\x03\x04", kPickle}, Sign {"\x80\x02", kPickle},
        Sign {"version https://git-lfs", "a pointer of Git LFS; fetch the file itself with `git lfs pull`"},
        Sign {"<!doctype html", kPage},
        Sign {"<html", kPage}, Sign {"gguf", "a GGUF file"}, Sign {"\x89hdf", "an HDF5 file"}, Sign {"{", "a JSON file"}};
    std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(file.bytes(), 64)), '\0');
    file.read(start.data(), start.size(), 0);
    std::ranges::transform(start, start.begin(), [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
    for (const auto& [sign, kind] : kSigns) {
        if (start.starts_with(sign))
            return kind;
    }
    return {};
}

/// @return the JSON's length
std::uint64_t headerLength(const InputFile& file)
{
    std::array<unsigned char, kLengthWord> word {};
    if (file.bytes() < kLengthWord)
        throw std::runtime_error("is no safetensors file but " + (file.bytes() == 0 ? "empty" : "only " + std::to_string(file.bytes()) + " bytes"));
    file.read(word.data(), word.size(), 0);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < word.size(); ++i)
        length |= std::uint64_t {word[i]} << (8 * i);
    if (length <= kMostHeaderBytes && length <= file.bytes() - kLengthWord)
        return length;
    if (const std::string kind = otherKind(file); !kind.empty())
        throw std::runtime_error("is no safetensors file but " + kind);
    if (length > kMostHeaderBytes)
        throw std::runtime_error("is no safetensors file: its header would have " + std::to_string(length) + " bytes");
    throw std::runtime_error("ends within its header: its download or copy was cut short");
}

SafetensorsHeader readHeader(const InputFile& file)
{
    try {
        std::string json(headerLength(file), '\0');
        file.read(json.data(), json.size(), kLengthWord);
        return parseSafetensorsHeader(json, file.bytes());
    } catch (const std::system_error&) {
        throw;  // names the file already
    } catch (const std::exception& error) {
        throw std::runtime_error(file.path().string() + ": " + error.what());
    }
}

std::uint64_t sumOfBytes(const std::vector<SafetensorsTensor>& tensors)
{
    std::uint64_t sum = 0;
    for (const SafetensorsTensor& tensor : tensors)
        sum += tensor.bytes();
    return sum;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : m_file(path)
    , m_header(readHeader(m_file))
{
    for (const SafetensorsTensor& tensor : m_header.tensors)
        m_byName.emplace(tensor.name, &tensor);
    void* const mapping = ::mmap(nullptr, m_file.bytes(), PROT_READ, MAP_SHARED, m_file.descriptor(), 0);
    if (mapping == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), path.string());
    m_mapping = static_cast<const std::byte*>(mapping);
}

SafetensorsFile::~SafetensorsFile() { ::munmap(const_cast<std::byte*>(m_mapping), m_file.bytes()); }

const SafetensorsTensor* SafetensorsFile::find(std::string_view name) const
{
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? nullptr : found->second;
}

std::span<const std::byte> SafetensorsFile::view(const SafetensorsTensor& tensor) const
{
    return {m_mapping + tensor.offset, static_cast<std::size_t>(tensor.bytes())};
}

void SafetensorsFile::read(const SafetensorsTensor& tensor, std::uint64_t begin, void* into, std::uint64_t bytes) const
{
    if (begin > tensor.bytes() || bytes > tensor.bytes() - begin)
        throw std::logic_error("a range past the end of tensor " + tensor.name);
    m_file.read(into, bytes, tensor.offset + begin);
}

SafetensorsWriter::SafetensorsWriter(
    const std::filesystem::path& path, const std::vector<SafetensorsTensor>& tensors, const SafetensorsMetadata& metadata)
    : m_header(safetensorsHeader(tensors, metadata))
    , m_bytes(m_header.size() + sumOfBytes(tensors))
    , m_file(path, m_bytes)
{
    write(m_header.data(), m_header.size());
}

void SafetensorsWriter::finish(Durability durability)
{
    if (m_file.output().written() != m_bytes)
        throw std::logic_error("a safetensors file got " + std::to_string(m_file.output().written()) + " bytes instead of "
            + std::to_string(m_bytes));
    m_file.finish(durability);
}

}  // namespace contract
