// Reads one safetensors file in place and writes one tensor by tensor. safetensors_header.h describes the format.
#pragma once
#include "engine/contract/formats/input_file.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/safetensors_header.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// An open file. The constructor reads and checks the header; tensor values are read on demand. Thread-safe.
class SafetensorsFile {
public:
    /// @throws std::runtime_error in one sentence naming the file, the tensor (if the fault is in one) and what is wrong, see
    ///         parseSafetensorsHeader(). For a file in another format the message names the format it looks like.
    explicit SafetensorsFile(const std::filesystem::path& path);
    ~SafetensorsFile();
    SafetensorsFile(const SafetensorsFile&) = delete;
    SafetensorsFile& operator=(const SafetensorsFile&) = delete;

    const std::filesystem::path& path() const { return m_file.path(); }
    const std::vector<SafetensorsTensor>& tensors() const { return m_header.tensors; }  ///< ascending in offset
    const SafetensorsMetadata& metadata() const { return m_header.metadata; }

    const SafetensorsTensor* find(std::string_view name) const;  ///< nullptr when there is no tensor of that name

    /// The values of a tensor of this file in its memory mapping, paged in on access. Read-only, valid as long as this
    /// object, 8-byte aligned only where the writer aligned it. If another program truncates the file meanwhile, access
    /// kills the process (SIGBUS); use read() for files that others may change.
    std::span<const std::byte> view(const SafetensorsTensor& tensor) const;

    /// Copies bytes [@p begin, @p begin + @p bytes) of a tensor of this file.
    /// @throws std::logic_error for a range outside the tensor; std::runtime_error naming the file when it cannot be read.
    void read(const SafetensorsTensor& tensor, std::uint64_t begin, void* into, std::uint64_t bytes) const;

private:
    InputFile m_file;
    SafetensorsHeader m_header;
    std::map<std::string_view, const SafetensorsTensor*> m_byName;
    const std::byte* m_mapping = nullptr;  ///< of the whole file
};

/// Gives the pages of all open SafetensorsFiles back to the operating system, so that they no longer count as memory of this
/// process; views page them in again on access. Any thread may call it, also while others read views.
void releaseMappedPages();

/// Writes a new file: write() receives the values in the order of the tensors, in chunks of any size. The file gets its name
/// in finish(), see AtomicFile. I/O failures throw std::system_error naming the file.
class SafetensorsWriter {
public:
    SafetensorsWriter(
        const std::filesystem::path& path, const std::vector<SafetensorsTensor>& tensors, const SafetensorsMetadata& metadata);

    void write(const void* values, std::size_t bytes) { m_file.output().write(values, bytes); }
    /// @throws std::logic_error when fewer or more values were written than the header declares
    void finish(Durability durability = Durability::PowerFailure);

private:
    std::string m_header;
    std::uint64_t m_bytes;  ///< of the whole file
    AtomicFile m_file;
};

}  // namespace contract
