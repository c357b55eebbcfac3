#include "engine/contract/formats/safetensors_header.h"

#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

constexpr std::string_view kMetadataKey = "__metadata__";

/// SAX handler for the header's JSON. It stops at the first unexpected value, so deep or long hostile input costs nothing.
class HeaderReader final : public nlohmann::json::json_sax_t {
public:
    SafetensorsHeader header;

    bool start_object(std::size_t) override
    {
        if (m_place == Place::Outside)
            m_place = Place::Header;
        else if (m_place == Place::Header)
            m_place = m_isMetadata ? Place::Metadata : Place::Tensor;
        else
            refuse();
        return true;
    }
    bool end_object() override
    {
        if (m_place == Place::Tensor)
            finishTensor();
        m_place = m_place == Place::Header ? Place::Outside : Place::Header;
        return true;
    }
    bool key(std::string& name) override
    {
        if (m_place == Place::Header)
            startEntry(name);
        else if (m_place == Place::Metadata && header.metadata.contains(name))
            throw std::runtime_error("has two metadata entries " + quotedName(name));
        else if (m_place == Place::Tensor)
            startField(name);
        m_key = std::move(name);
        return true;
    }
    bool string(std::string& value) override
    {
        if (m_place == Place::Metadata)
            header.metadata.emplace(std::move(m_key), std::move(value));
        else if (m_place == Place::Tensor && m_key == "dtype")
            m_tensor.dtype = std::move(value);
        else
            refuse();
        return true;
    }
    bool start_array(std::size_t) override
    {
        if (m_place != Place::Tensor || m_key == "dtype")
            refuse();
        m_place = m_key == "shape" ? Place::Shape : Place::Offsets;
        return true;
    }
    bool end_array() override
    {
        m_place = Place::Tensor;
        return true;
    }
    bool number_unsigned(std::uint64_t value) override
    {
        if (m_place == Place::Shape)
            addSize(value);
        else if (m_place == Place::Offsets)
            addOffset(value);
        else
            refuse();
        return true;
    }
    bool null() override { refuse(); }
    bool boolean(bool) override { refuse(); }
    bool number_integer(std::int64_t) override { refuse(); }  // negative; non-negative integers arrive in number_unsigned()
    bool number_float(double, const std::string&) override { refuse(); }  // also integers of more than 64 bits
    bool binary(nlohmann::json::binary_t&) override { refuse(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override
    {
        throw std::runtime_error("its header is not valid JSON (at byte " + std::to_string(position) + ")");
    }

private:
    enum class Place { Outside, Header, Metadata, Tensor, Shape, Offsets };

    [[noreturn]] void fail(const std::string& what) const
    {
        throw std::runtime_error("tensor " + quotedName(m_tensor.name) + " " + what);
    }
    [[noreturn]] void refuse() const
    {
        if (m_place == Place::Outside)
            throw std::runtime_error("its header is not a JSON object");
        if (m_place == Place::Metadata || (m_place == Place::Header && m_isMetadata))
            throw std::runtime_error("its metadata is not an object of strings");
        if (m_place == Place::Header)
            fail("has no description");
        fail("has a " + quotedName(m_key) + " of the wrong form");
    }

    void startEntry(const std::string& name)
    {
        if (!m_names.insert(name).second)
            throw std::runtime_error("has two tensors named " + quotedName(name));
        m_isMetadata = name == kMetadataKey;
        m_tensor = {};
        m_tensor.name = name;
        m_fields.clear();
        m_offsets.clear();
    }
    void startField(const std::string& name)
    {
        if (name != "dtype" && name != "shape" && name != "data_offsets")
            fail("has an unknown entry " + quotedName(name));
        if (!m_fields.insert(name).second)
            fail("has two entries " + quotedName(name));
    }
    void addSize(std::uint64_t size)
    {
        if (m_tensor.shape.size() == kMaxDims)
            fail("has more than " + std::to_string(kMaxDims) + " dimensions");
        if (size > kMaxElements)
            fail("has an impossible shape");
        m_tensor.shape.push_back(static_cast<std::int64_t>(size));
    }
    void addOffset(std::uint64_t offset)
    {
        if (m_offsets.size() == 2)
            refuse();
        m_offsets.push_back(offset);
    }

    void finishTensor()
    {
        if (m_fields.size() != 3)
            fail("lacks its dtype, shape or data_offsets");
        if (dtypeBytes(m_tensor.dtype) == 0)
            fail("has the unknown dtype " + quotedName(m_tensor.dtype));
        std::uint64_t limit = kMaxElements;  // for the product of the remaining sizes
        for (const std::int64_t size : m_tensor.shape) {
            if (static_cast<std::uint64_t>(size) > limit)
                fail("has an impossible shape");
            limit /= static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
        }
        if (m_offsets.size() != 2 || m_offsets[0] > m_offsets[1])
            fail("has impossible data_offsets");
        if (m_offsets[1] - m_offsets[0] != m_tensor.bytes())
            fail("has " + std::to_string(m_offsets[1] - m_offsets[0]) + " bytes, but its shape and dtype need "
                + std::to_string(m_tensor.bytes()));
        m_tensor.offset = m_offsets[0];
        header.tensors.push_back(std::move(m_tensor));
    }

    Place m_place = Place::Outside;
    bool m_isMetadata = false;
    std::string m_key;
    SafetensorsTensor m_tensor;  ///< the tensor being parsed
    std::set<std::string> m_fields;
    std::vector<std::uint64_t> m_offsets;
    std::set<std::string> m_names;
};

/// Throws unless the tensors fill the data section exactly.
/// @param tensors ascending in offset, which counts from the start of the data section
void checkCoverage(const std::vector<SafetensorsTensor>& tensors, std::uint64_t dataBytes)
{
    std::uint64_t end = 0;
    for (const SafetensorsTensor& tensor : tensors) {
        const std::string name = "tensor " + quotedName(tensor.name);
        if (tensor.offset > dataBytes || tensor.bytes() > dataBytes - tensor.offset)
            throw std::runtime_error(name + " reaches past the end of the file: its download or copy was cut short");
        if (tensor.offset < end)
            throw std::runtime_error(name + " overlaps the one before it");
        if (tensor.offset > end)
            throw std::runtime_error(name + " has a gap before it");
        end += tensor.bytes();
    }
    if (end != dataBytes)
        throw std::runtime_error("has " + std::to_string(dataBytes - end) + " bytes after its last tensor");
}

}  // namespace

std::uint64_t SafetensorsTensor::elements() const
{
    std::uint64_t product = 1;
    for (const std::int64_t size : shape)
        product *= static_cast<std::uint64_t>(size);
    return product;
}

std::uint64_t SafetensorsTensor::bytes() const { return elements() * dtypeBytes(dtype); }

std::uint64_t dtypeBytes(std::string_view dtype)
{
    using Width = std::pair<std::string_view, std::uint64_t>;
    constexpr std::array kWidths = {Width {"F64", 8}, Width {"F32", 4}, Width {"F16", 2}, Width {"BF16", 2},
        Width {"I64", 8}, Width {"I32", 4}, Width {"I16", 2}, Width {"I8", 1}, Width {"U8", 1}, Width {"BOOL", 1},
        Width {"F8_E4M3", 1}, Width {"F8_E5M2", 1}};
    const auto found = std::ranges::find(kWidths, dtype, &Width::first);
    return found == kWidths.end() ? 0 : found->second;
}

SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t fileBytes)
{
    if (!json.starts_with('{'))
        throw std::runtime_error("its header is not a JSON object");
    HeaderReader reader;
    nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
    std::vector<SafetensorsTensor>& tensors = reader.header.tensors;
    // An empty tensor may share its offset with another one; sorting by size too puts it first.
    std::ranges::sort(tensors, {}, [](const SafetensorsTensor& tensor) { return std::pair(tensor.offset, tensor.bytes()); });
    const std::uint64_t dataBegin = kLengthWordBytes + json.size();
    checkCoverage(tensors, fileBytes - dataBegin);
    for (SafetensorsTensor& tensor : tensors)
        tensor.offset += dataBegin;
    return std::move(reader.header);
}

std::string safetensorsHeader(const std::vector<SafetensorsTensor>& tensors, const SafetensorsMetadata& metadata)
{
    std::string text(kLengthWordBytes, '\0');
    text += '{';
    const auto startEntry = [&text](std::string_view name) {
        if (text.back() != '{')
            text += ',';
        appendJsonString(text, name);
        text += ':';
    };
    if (!metadata.empty()) {
        startEntry(kMetadataKey);
        text += nlohmann::json(metadata).dump();
    }
    std::set<std::string_view> names;
    std::uint64_t end = 0;
    for (const SafetensorsTensor& tensor : tensors) {
        if (!names.insert(tensor.name).second || dtypeBytes(tensor.dtype) == 0)
            throw std::logic_error("a safetensors file cannot hold tensor " + quotedName(tensor.name) + " (" + tensor.dtype
                + "): the name is already used or the dtype is unknown");
        startEntry(tensor.name);
        const std::uint64_t begin = std::exchange(end, end + tensor.bytes());
        text += nlohmann::ordered_json {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}}.dump();
    }
    text += '}';
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size() - kLengthWordBytes;
    for (std::size_t i = 0; i < kLengthWordBytes; ++i)
        text[i] = static_cast<char>(length >> (8 * i));
    return text;
}

std::string quotedName(std::string_view name)
{
    std::string quoted;
    appendJsonString(quoted, shortened(name));
    return quoted;
}

}  // namespace contract
