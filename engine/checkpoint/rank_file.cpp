#include "engine/checkpoint/rank_file.h"

#include <c10/core/ScalarType.h>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
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

std::string dtypeName(at::ScalarType dtype)
{
    switch (dtype) {
    case at::kFloat:
        return "F32";
    case at::kBFloat16:
        return "BF16";
    case at::kByte:
        return "U8";
    default:
        throw std::logic_error(std::string("no state is stored as ") + c10::toString(dtype));
    }
}

std::vector<StoredPiece> storedPieces(const Unit& unit, int rank)
{
    std::vector<StoredPiece> result;
    const auto pieces = unit.layout().pieces(unit.layoutTensors(), rank);
    for (const ShardState& state : unit.storedStates()) {
        for (const LayoutPiece& piece : statePieces(state, pieces)) {
            const ParameterSpec& parameter = unit.spec().parameters[piece.tensor];
            const std::int64_t elements = unit.layoutTensors()[piece.tensor].elements;
            auto shape = parameter.shape;
            if (state.blockSize > 1)
                shape = {(elements + state.blockSize - 1) / state.blockSize};
            result.push_back({state.name + "/" + parameter.name, std::move(shape), state.values, piece});
        }
    }
    return result;
}

RankFile planRankFile(UnitSequence& units, int rank)
{
    RankFile file;
    file.name = "rank-" + std::to_string(rank) + ".safetensors";
    nlohmann::ordered_json json = {{"__metadata__", {{"format", "atelier-shard"}}}};
    std::uint64_t data = 0;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        for (StoredPiece& stored : storedPieces(units[unit], rank)) {
            json[stored.name + "@" + std::to_string(stored.piece.tensorBegin)]
                = {{"dtype", dtypeName(stored.values.scalar_type())}, {"shape", {stored.piece.count}},
                    {"data_offsets", {data, data + stored.bytes()}}};
            stored.offset = data;
            data += stored.bytes();
            file.pieces.push_back(std::move(stored));
        }
    }
    file.header = headerText(json);
    for (StoredPiece& piece : file.pieces)
        piece.offset += file.header.size();
    file.bytes = file.header.size() + data;
    return file;
}

void writeRankFile(const RankFile& file, const std::filesystem::path& folder)
{
    OutputFile output(folder / file.name);
    output.write(file.header.data(), file.header.size());
    for (const StoredPiece& stored : file.pieces) {
        const at::Tensor host = stored.values.narrow(0, stored.piece.shardBegin, stored.piece.count).cpu();
        output.write(host.const_data_ptr(), stored.bytes());
    }
    output.sync();
}

}  // namespace engine
