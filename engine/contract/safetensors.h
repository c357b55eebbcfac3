// One safetensors file: read in place, and written tensor by tensor. The format is in safetensors_header.h.
#pragma once
#include "engine/contract/input_file.h"
#include "engine/contract/output_file.h"
#include "engine/contract/safetensors_header.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// A file whose header was checked when it was opened; its values are read when they are asked for. Any thread.
class SafetensorsFile {
public:
    /// @throws std::runtime_error in one sentence naming the file, and the tensor where it is one's, and what is wrong: see
    ///         parseSafetensorsHeader(). A file of another kind is called what it looks like.
    explicit SafetensorsFile(const std::filesystem::path& path);
    ~SafetensorsFile();
    SafetensorsFile(const SafetensorsFile&) = delete;
    SafetensorsFile& operator=(const SafetensorsFile&) = delete;

    const std::filesystem::path& path() const { return m_file.path(); }
    const std::vector<SafetensorsTensor>& tensors() const { return m_header.tensors; }  ///< in the order of their values
    const SafetensorsMetadata& metadata() const { return m_header.metadata; }

    const SafetensorsTensor* find(std::string_view name) const;  ///< nullptr: none of that name

    /// Where a tensor of this file lies in memory that the system fills from the file as it is touched. Read-only, valid
    /// as long as this object, aligned to 8 bytes only where the writer did so. Whoever cuts the file meanwhile ends the
    /// process: read() is for files that others may touch.
    std::span<const std::byte> view(const SafetensorsTensor& tensor) const;

    /// Copies bytes [@p begin, @p begin + @p bytes) of a tensor of this file.
    void read(const SafetensorsTensor& tensor, std::uint64_t begin, void* into, std::uint64_t bytes) const;

private:
    InputFile m_file;
    SafetensorsHeader m_header;
    std::map<std::string_view, const SafetensorsTensor*> m_byName;
    const std::byte* m_mapping = nullptr;  ///< of the whole file
};

/// A new file. Values come in the order of the tensors, in portions of any size; it has its name when it is whole and on
/// the disk, see AtomicFile. Everything throws std::system_error naming it.
class SafetensorsWriter {
public:
    SafetensorsWriter(
        const std::filesystem::path& path, const std::vector<SafetensorsTensor>& tensors, const SafetensorsMetadata& metadata);

    void write(const void* values, std::size_t bytes) { m_file.output().write(values, bytes); }
    /// @throws std::logic_error when not all values were written, or more
    void finish(Durability durability = Durability::PowerFailure);

private:
    std::string m_header;
    std::uint64_t m_bytes;  ///< of the whole file
    AtomicFile m_file;
};

}  // namespace contract
