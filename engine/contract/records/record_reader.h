// Reads files that are sequences of records with checksums, while their program may still be writing them: TensorBoard's event
// files, and the log of a Weights & Biases run.
#pragma once
#include "engine/contract/formats/input_file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace contract {

/// Reads up to the size that the file has when it is opened. The constructor and next() throw std::runtime_error naming the file.
class RecordReader {
public:
    virtual ~RecordReader() = default;
    RecordReader(const RecordReader&) = delete;
    RecordReader& operator=(const RecordReader&) = delete;

    /// The next record, valid until the next call; nullopt at the end, or where the rest cannot be read: see ending().
    virtual std::optional<std::string_view> next() = 0;

    /// Why next() ended before the end of the file, to follow its name: "ends within a record, as while it is written"; else empty.
    const std::string& ending() const { return m_ending; }
    /// Records that were left out because their checksum is wrong or they have more than kMostRecordBytes.
    std::int64_t damagedRecords() const { return m_damagedRecords; }

    static constexpr std::uint64_t kMostRecordBytes = std::uint64_t {256} << 20;

protected:
    explicit RecordReader(const std::filesystem::path& file)
        : m_file(file)
    {
    }

    std::uint64_t left() const { return m_file.bytes() - m_offset; }  ///< bytes of the file after those taken
    /// The next @p bytes bytes, of which there must be so many left; valid until the next call.
    std::string_view take(std::uint64_t bytes);
    void skip(std::uint64_t bytes);
    std::uint64_t offset() const { return m_offset; }
    std::nullopt_t end(std::string reason);
    void countDamaged() { ++m_damagedRecords; }
    const InputFile& file() const { return m_file; }

private:
    InputFile m_file;
    std::uint64_t m_offset = 0;  ///< of the next byte to be taken
    std::string m_buffer;
    std::size_t m_at = 0;        ///< in m_buffer, of the byte at m_offset
    std::string m_ending;
    std::int64_t m_damagedRecords = 0;
};

/// Records as in TensorFlow's record_writer.h: length, its masked CRC-32C, content, its masked CRC-32C.
class EventRecords final : public RecordReader {
public:
    explicit EventRecords(const std::filesystem::path& file)
        : RecordReader(file)
    {
    }
    std::optional<std::string_view> next() override;
};

/// Records in LevelDB's log format, in blocks of 32 KiB with checksums of IEEE's polynomial, after a header of seven bytes.
class WandbRecords final : public RecordReader {
public:
    /// @throws std::runtime_error naming the file, also when it does not begin as such a log.
    explicit WandbRecords(const std::filesystem::path& file);
    std::optional<std::string_view> next() override;

private:
    std::string m_record;  ///< of fragments
};

}  // namespace contract
