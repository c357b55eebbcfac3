#include "engine/contract/weights_export.h"

#include "engine/contract/checkpoint_manifest.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace contract {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kPortion = std::uint64_t {1} << 20;  // bytes; a multiple of any element's

[[noreturn]] void failFor(const fs::path& file, int cause) { throw std::system_error(cause, std::generic_category(), file.string()); }

/// A descriptor that closes itself.
class OpenFile {
public:
    OpenFile(fs::path path, int flags)
        : m_path(std::move(path))
        , m_descriptor(::open(m_path.c_str(), flags | O_CLOEXEC, 0644))
    {
        if (m_descriptor < 0)
            failFor(m_path, errno);
    }
    ~OpenFile() { ::close(m_descriptor); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    void read(char* into, std::size_t bytes, std::uint64_t offset) const
    {
        for (std::size_t done = 0; done < bytes;) {
            const ssize_t count = ::pread(m_descriptor, into + done, bytes - done, static_cast<off_t>(offset + done));
            if (count == 0)
                throw std::runtime_error(m_path.string() + " ends early");
            if (count < 0 && errno != EINTR)
                failFor(m_path, errno);
            done += count > 0 ? static_cast<std::size_t>(count) : 0;
        }
    }
    void write(const char* data, std::size_t bytes) const
    {
        for (std::size_t done = 0; done < bytes;) {
            const ssize_t count = ::write(m_descriptor, data + done, bytes - done);
            if (count < 0 && errno != EINTR)
                failFor(m_path, errno);
            done += count > 0 ? static_cast<std::size_t>(count) : 0;
        }
    }
    void sync() const
    {
        if (::fsync(m_descriptor) != 0)
            failFor(m_path, errno);
    }

private:
    fs::path m_path;
    int m_descriptor;
};

/// Rounds float32 values to bfloat16 where they lie. @return bytes of the result
std::size_t rounded(char* values, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes / 4; ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, values + 4 * i, 4);
        const bool isNan = (bits & 0x7fffffff) > 0x7f800000;
        const auto half = static_cast<std::uint16_t>(isNan ? (bits >> 16) | 0x40 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
        std::memcpy(values + 2 * i, &half, 2);
    }
    return bytes / 2;
}

class Exporter {
public:
    Exporter(const fs::path& folder, ExportedWeights weights, ExportedDtype dtype)
        : m_folder(folder)
        , m_manifest(readManifest(folder))
        , m_prefix(weights == ExportedWeights::Model ? "model/" : "ema/")
        , m_dtype(dtype)
    {
        for (const TensorEntry& tensor : m_manifest.tensors)
            if (tensor.name.starts_with(m_prefix))
                m_tensors.push_back(&tensor);
        if (m_tensors.empty())
            throw std::runtime_error(folder.string() + ": holds no "
                + (weights == ExportedWeights::Model ? "weights" : "moving average of the weights; export the weights themselves"));
    }

    void write(const OpenFile& out)
    {
        out.write(header().data(), header().size());
        for (const TensorEntry* tensor : m_tensors)
            for (const TensorPiece& piece : tensor->pieces)
                copy(piece, dtypeBytes(tensor->dtype), isRounded(*tensor), out);
    }

private:
    bool isRounded(const TensorEntry& tensor) const { return m_dtype == ExportedDtype::BFloat16 && tensor.dtype == "F32"; }

    const std::string& header()
    {
        if (!m_header.empty())
            return m_header;
        Json json = {{"__metadata__", {{"format", "pt"}, {"model", m_manifest.model}, {"step", std::to_string(m_manifest.step)}}}};
        std::uint64_t end = 0;
        for (const TensorEntry* tensor : m_tensors) {
            const std::uint64_t begin = end;
            end += isRounded(*tensor) ? tensor->bytes() / 2 : tensor->bytes();
            json[tensor->name.substr(m_prefix.size())]
                = {{"dtype", isRounded(*tensor) ? "BF16" : tensor->dtype}, {"shape", tensor->shape}, {"data_offsets", {begin, end}}};
        }
        std::string text = json.dump();
        text.resize((text.size() + 7) / 8 * 8, ' ');
        const std::uint64_t length = text.size();
        m_header.assign(8, '\0');
        std::memcpy(m_header.data(), &length, 8);
        return m_header += text;
    }

    void copy(const TensorPiece& piece, std::uint64_t width, bool rounds, const OpenFile& out)
    {
        const OpenFile& in = m_files.try_emplace(piece.file, m_folder / piece.file, O_RDONLY).first->second;
        const std::uint64_t bytes = piece.count * width;
        for (std::uint64_t done = 0; done < bytes; done += kPortion) {
            const auto count = static_cast<std::size_t>(std::min(kPortion, bytes - done));
            in.read(m_portion.data(), count, piece.offset + done);
            out.write(m_portion.data(), rounds ? rounded(m_portion.data(), count) : count);
        }
    }

    fs::path m_folder;
    CheckpointManifest m_manifest;
    std::string m_prefix;
    ExportedDtype m_dtype;
    std::vector<const TensorEntry*> m_tensors;
    std::string m_header;
    std::map<std::string, OpenFile> m_files;
    std::vector<char> m_portion = std::vector<char>(kPortion);
};

}  // namespace

void exportWeights(const fs::path& checkpointFolder, const fs::path& file, ExportedWeights weights, ExportedDtype dtype)
{
    Exporter exporter(checkpointFolder, weights, dtype);
    const fs::path unfinished = file.string() + ".tmp" + std::to_string(::getpid());
    try {
        const OpenFile out(unfinished, O_WRONLY | O_CREAT | O_TRUNC);
        exporter.write(out);
        out.sync();
        fs::rename(unfinished, file);
    } catch (...) {
        std::error_code ignored;
        fs::remove(unfinished, ignored);
        throw;
    }
}

}  // namespace contract
