#include "engine/checkpoint/rank_file.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <system_error>

namespace engine {
namespace {

class OutputFile {
public:
    explicit OutputFile(std::filesystem::path path)
        : m_path(std::move(path))
        , m_descriptor(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644))
    {
        if (m_descriptor < 0)
            fail();
    }
    ~OutputFile() { ::close(m_descriptor); }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes)
    {
        const auto* cursor = static_cast<const char*>(data);
        while (bytes > 0) {
            const ssize_t count = ::write(m_descriptor, cursor, bytes);
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                fail();
            cursor += count;
            bytes -= static_cast<std::size_t>(count);
        }
    }
    void sync()
    {
        if (::fsync(m_descriptor) != 0)
            fail();
    }

private:
    [[noreturn]] void fail() const
    {
        throw std::system_error(errno, std::generic_category(), m_path.string());
    }

    std::filesystem::path m_path;
    int m_descriptor;
};

std::string headerText(const nlohmann::ordered_json& json)
{
    std::string text = json.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // data begins 8-byte aligned
    const std::uint64_t length = text.size();
    std::string header(8, '\0');
    std::memcpy(header.data(), &length, 8);
    return header + text;
}

}  // namespace

RankFile planRankFile(UnitSequence& units, int rank)
{
    RankFile file;
    file.name = "rank-" + std::to_string(rank) + ".safetensors";
    nlohmann::ordered_json json = {{"__metadata__", {{"format", "atelier-shard"}}}};
    std::uint64_t data = 0;
    for (std::size_t kind = 0; kind < kStoredKinds.size(); ++kind) {
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
            if (!(units[unit].*kStoredKinds[kind].shard).defined())
                continue;
            for (const LayoutPiece& piece :
                units[unit].layout().pieces(units[unit].layoutTensors(), rank)) {
                const auto bytes = static_cast<std::uint64_t>(piece.count) * sizeof(float);
                const std::string name = kStoredKinds[kind].prefix
                    + units[unit].spec().parameters[piece.tensor].name + "@"
                    + std::to_string(piece.tensorBegin);
                json[name] = {{"dtype", "F32"}, {"shape", {piece.count}},
                    {"data_offsets", {data, data + bytes}}};
                file.pieces.push_back({unit, kind, piece, data});
                data += bytes;
            }
        }
    }
    file.header = headerText(json);
    for (StoredPiece& piece : file.pieces)
        piece.offset += file.header.size();
    file.bytes = file.header.size() + data;
    return file;
}

void writeRankFile(UnitSequence& units, const RankFile& file, const std::filesystem::path& folder)
{
    OutputFile output(folder / file.name);
    output.write(file.header.data(), file.header.size());
    for (const StoredPiece& stored : file.pieces) {
        const at::Tensor shard = units[stored.unit].*kStoredKinds[stored.kind].shard;
        const at::Tensor host
            = shard.narrow(0, stored.piece.shardBegin, stored.piece.count).cpu();
        output.write(host.const_data_ptr<float>(),
            static_cast<std::size_t>(stored.piece.count) * sizeof(float));
    }
    output.sync();
}

}  // namespace engine
