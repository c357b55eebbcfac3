#include "engine/contract/formats/safetensors.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace contract {
namespace {

/// Describes the format that a file seems to have from its first bytes, ignoring case; empty when it is not recognised.
std::string describeOtherFormat(const InputFile& file)
{
    using Signature = std::pair<std::string_view, const char*>;
    static constexpr const char* kPickle = "a PyTorch file (pickle), which can run code when it is read; convert it first";
    static constexpr const char* kPage = "a web page; the download was refused or needs a login";
    static constexpr std::array kSignatures = {Signature {"pk\x03\x04", kPickle}, Signature {"\x80\x02", kPickle},
        Signature {"version https://git-lfs", "a Git LFS pointer; fetch the file itself with `git lfs pull`"},
        Signature {"<!doctype html", kPage},
        Signature {"<html", kPage}, Signature {"gguf", "a GGUF file"}, Signature {"\x89hdf", "an HDF5 file"}, Signature {"{", "a JSON file"}};
    std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(file.bytes(), 64)), '\0');
    file.read(start.data(), start.size(), 0);
    std::ranges::transform(start, start.begin(), [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
    for (const auto& [signature, kind] : kSignatures) {
        if (start.starts_with(signature))
            return kind;
    }
    return {};
}

/// Reads and checks the length word. @return the length of the JSON in bytes
std::uint64_t headerLength(const InputFile& file)
{
    std::array<unsigned char, kLengthWordBytes> word {};
    if (file.bytes() < kLengthWordBytes)
        throw std::runtime_error("is not a safetensors file but " + (file.bytes() == 0 ? "empty" : "only " + std::to_string(file.bytes()) + " bytes"));
    file.read(word.data(), word.size(), 0);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < word.size(); ++i)
        length |= std::uint64_t {word[i]} << (8 * i);
    if (length <= kMaxHeaderBytes && length <= file.bytes() - kLengthWordBytes)
        return length;
    if (const std::string kind = describeOtherFormat(file); !kind.empty())
        throw std::runtime_error("is not a safetensors file but " + kind);
    if (length > kMaxHeaderBytes)
        throw std::runtime_error("is not a safetensors file: its header would have " + std::to_string(length) + " bytes");
    throw std::runtime_error("ends within its header: its download or copy was cut short");
}

SafetensorsHeader readHeader(const InputFile& file)
{
    try {
        std::string json(headerLength(file), '\0');
        file.read(json.data(), json.size(), kLengthWordBytes);
        return parseSafetensorsHeader(json, file.bytes());
    } catch (const std::system_error&) {
        throw;  // its message already names the file
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

/// The mappings of all open files of this process.
struct Mappings {
    std::mutex mutex;
    std::map<void*, std::size_t> bytes;  ///< by address
};

Mappings& mappings()
{
    static Mappings mappings;
    return mappings;
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
    const std::lock_guard lock(mappings().mutex);
    mappings().bytes[mapping] = m_file.bytes();
}

SafetensorsFile::~SafetensorsFile()
{
    auto* const mapping = const_cast<std::byte*>(m_mapping);
    const std::lock_guard lock(mappings().mutex);
    mappings().bytes.erase(mapping);
    ::munmap(mapping, m_file.bytes());
}

void releaseMappedPages()
{
    const std::lock_guard lock(mappings().mutex);
    for (const auto& [mapping, bytes] : mappings().bytes)
        ::madvise(mapping, bytes, MADV_DONTNEED);  // shared and read-only: the pages stay in the page cache
}

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
        throw std::logic_error("SafetensorsFile::read: the range ends past tensor " + tensor.name);
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
        throw std::logic_error("SafetensorsWriter: " + std::to_string(m_file.output().written())
            + " bytes were written instead of " + std::to_string(m_bytes));
    m_file.finish(durability);
}

}  // namespace contract
