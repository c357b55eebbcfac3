// Event files, as TensorBoard reads them: records of Event messages, each with masked CRC-32C checksums.
// Format: tensorflow/core/lib/io/record_writer.h and tensorboard/compat/proto/event.proto.
#pragma once
#include "engine/contract/records/crc32.h"
#include "engine/contract/formats/output_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// Writes one event file, which gets its name when finish() is called. All functions throw std::system_error naming the file.
class EventWriter {
public:
    /// @param unixSeconds of the first record, which holds the format's version
    EventWriter(const std::filesystem::path& file, double unixSeconds);

    /// A value of a curve. The format holds float32.
    void addScalar(std::string_view tag, std::int64_t step, double unixSeconds, double value);
    /// Text in Markdown.
    void addText(std::string_view tag, std::int64_t step, double unixSeconds, std::string_view text);
    /// @param content of a PNG file. No-op when it does not begin as one.
    void addPng(std::string_view tag, std::int64_t step, double unixSeconds, std::string_view content);
    void finish();

private:
    void addValue(std::string_view value, std::int64_t step, double unixSeconds);
    void addRecord(std::string_view event);
    void flush();

    AtomicFile m_file;
    std::string m_buffer;  ///< records that have yet to be written
};

/// The checksum of a record: CRC-32C, masked so that the checksum of a string that holds checksums is not a trivial one.
std::uint32_t maskedCrc(std::string_view bytes);

}  // namespace contract
