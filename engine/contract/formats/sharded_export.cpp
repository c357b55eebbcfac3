#include "engine/contract/formats/sharded_export.h"

#include "engine/contract/formats/float_formats.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <set>
#include <utility>

namespace contract {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kChunkElements = std::uint64_t {1} << 18;

/// Name, dtype and shape of a tensor in the output.
SafetensorsTensor outputTensor(const ExportedTensor& exported, const ExportFormat& format)
{
    SafetensorsTensor tensor = exported.tensor;
    tensor.name = format.prefix + tensor.name;
    if (!format.dtype.empty() && isFloatDtype(tensor.dtype) && !exported.keepsDtype)
        tensor.dtype = format.dtype;
    return tensor;
}

/// Index of the first tensor of each file. A file is full when the next tensor would make it too large.
std::vector<std::size_t> fileBegins(const std::vector<ExportedTensor>& tensors, const ExportFormat& format)
{
    std::vector<std::size_t> begins = {0};
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::uint64_t more = outputTensor(tensors[i], format).bytes();
        if (bytes > 0 && more > format.maxFileBytes - std::min(bytes, format.maxFileBytes)) {
            begins.push_back(i);
            bytes = 0;
        }
        bytes += more;
    }
    return begins;
}

std::string fileName(const std::string& stem, std::size_t number, std::size_t count)
{
    char part[64] = "";
    if (count > 1)
        std::snprintf(part, sizeof part, "-%05zu-of-%05zu", number, count);
    return stem + part + ".safetensors";
}

/// Counts the bytes written to all files and passes the progress to ExportFormat's callbacks.
class Progress {
public:
    explicit Progress(const ExportFormat& format)
        : m_format(format)
    {
    }

    void add(std::uint64_t bytes)
    {
        m_bytes += bytes;
        if (m_format.onWritten)
            m_format.onWritten(m_bytes);
        if (m_format.isWanted && !m_format.isWanted())
            throw ExportCancelled("The export was cancelled.");
    }

private:
    const ExportFormat& m_format;
    std::uint64_t m_bytes = 0;
};

/// Copies the values of one tensor to a writer in chunks, converting them when @p dtype differs from the stored one.
class TensorCopy {
public:
    TensorCopy(const ExportedTensor& exported, std::string dtype)
        : m_exported(exported)
        , m_dtype(std::move(dtype))
    {
    }

    void write(SafetensorsWriter& writer, Progress& progress)
    {
        const SafetensorsTensor& tensor = m_exported.tensor;
        const std::uint64_t width = dtypeBytes(tensor.dtype), count = tensor.elements();
        for (std::uint64_t done = 0; done < count; done += kChunkElements) {
            const std::uint64_t now = std::min(kChunkElements, count - done);
            m_stored.resize(now * width);
            m_exported.read(done * width, m_stored.data(), m_stored.size());
            if (tensor.dtype != m_dtype)
                convert(now);
            writer.write(m_stored.data(), m_stored.size());
            progress.add(m_stored.size());
        }
    }

private:
    void convert(std::uint64_t count)
    {
        m_floats.resize(count);
        toFloats(m_exported.tensor.dtype, m_stored.data(), count, m_floats.data());
        m_stored.resize(count * dtypeBytes(m_dtype));
        fromFloats(m_dtype, m_floats.data(), count, m_stored.data());
    }

    const ExportedTensor& m_exported;
    std::string m_dtype;
    std::vector<char> m_stored;
    std::vector<float> m_floats;
};

void writeFile(const fs::path& file, const std::vector<ExportedTensor>& tensors, std::size_t begin, std::size_t end,
    const ExportFormat& format, Progress& progress)
{
    std::vector<SafetensorsTensor> written;
    for (std::size_t i = begin; i < end; ++i)
        written.push_back(outputTensor(tensors[i], format));
    SafetensorsWriter writer(file, written, format.metadata);
    for (std::size_t i = begin; i < end; ++i)
        TensorCopy(tensors[i], written[i - begin].dtype).write(writer, progress);
    writer.finish();
}

/// Whether writeWeights() could have written a file of this name, for any number of files.
bool isExportFileName(const std::string& name, const std::string& stem)
{
    if (!name.starts_with(stem))
        return false;
    std::string rest = name.substr(stem.size());
    std::ranges::replace_if(rest, [](unsigned char c) { return std::isdigit(c) != 0; }, '0');
    return rest == ".safetensors" || rest == ".safetensors.index.json" || rest == "-00000-of-00000.safetensors";
}

}  // namespace

std::vector<float> floatsOf(const ExportedTensor& exported, std::uint64_t first, std::uint64_t count)
{
    const std::uint64_t width = dtypeBytes(exported.tensor.dtype);
    std::vector<char> stored(count * width);
    exported.read(first * width, stored.data(), stored.size());
    std::vector<float> floats(count);
    toFloats(exported.tensor.dtype, stored.data(), count, floats.data());
    return floats;
}

std::vector<fs::path> writeWeights(const fs::path& folder, const std::vector<ExportedTensor>& tensors, const ExportFormat& format)
{
    const std::vector<std::size_t> begins = fileBegins(tensors, format);
    nlohmann::json places = nlohmann::json::object();
    std::uint64_t bytes = 0;
    std::vector<fs::path> files;
    Progress progress(format);
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : tensors.size();
        files.push_back(folder / fileName(format.stem, i + 1, begins.size()));
        writeFile(files.back(), tensors, begins[i], end, format, progress);
        for (std::size_t t = begins[i]; t < end; ++t) {
            const SafetensorsTensor tensor = outputTensor(tensors[t], format);
            places[tensor.name] = files.back().filename().string();
            bytes += tensor.bytes();
        }
    }
    std::set<fs::path> current(files.begin(), files.end());
    if (files.size() > 1) {
        const fs::path index = folder / (format.stem + ".safetensors.index.json");
        writeFileAtomically(index, nlohmann::json({{"metadata", {{"total_size", bytes}}}, {"weight_map", places}}).dump(2) + "\n");
        current.insert(index);
    }
    std::vector<fs::path> stale;
    for (const fs::path& entry : entriesOf(folder)) {
        if (isExportFileName(entry.filename().string(), format.stem) && !current.contains(entry))
            stale.push_back(entry);
    }
    for (const fs::path& file : stale)
        fs::remove(file);
    return files;
}

}  // namespace contract
