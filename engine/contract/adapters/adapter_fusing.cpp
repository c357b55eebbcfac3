#include "engine/contract/adapters/adapter_fusing.h"

#include "engine/contract/formats/float_formats.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

using Matrix = std::vector<float>;

/// A tensor whose values are computed at the first read and freed after the last.
ExportedTensor lazyTensor(std::string name, std::string dtype, std::vector<std::int64_t> shape, std::function<Matrix()> values)
{
    const SafetensorsTensor tensor {std::move(name), std::move(dtype), std::move(shape)};
    const auto cached = std::make_shared<Matrix>();
    return {tensor, [tensor, cached, values = std::move(values)](std::uint64_t begin, void* into, std::uint64_t bytes) {
                const std::uint64_t width = dtypeBytes(tensor.dtype);
                if (cached->empty())
                    *cached = values();
                fromFloats(tensor.dtype, cached->data() + begin / width, bytes / width, into);
                if ((begin + bytes) / width == cached->size())
                    *cached = {};
            }};
}

/// The matrices of one part; null when it has no adapter.
struct Part {
    const ExportedTensor* down = nullptr;
    const ExportedTensor* up = nullptr;
    double scale = 0;
    std::int64_t firstRow = 0, rows = 0;  ///< in the layer's B

    std::int64_t rank() const { return down ? down->tensor.shape[0] : 0; }
};

/// Computes the matrices of a fused layer from those of its parts.
class FusedLayer {
public:
    FusedLayer(const TrainedAdapter& adapter, const OriginalLayer& layer)
        : m_swapsHalves(layer.swapsHalves)
    {
        std::int64_t rowsPerShare = 0;
        for (std::size_t i = 0; i < layer.parts.size(); ++i) {
            Part& part = m_parts.emplace_back();
            const auto down = adapter.matrices().find({layer.parts[i], AdapterPart::A});
            if (down == adapter.matrices().end())
                continue;
            part.down = down->second;
            part.up = adapter.matrices().at({layer.parts[i], AdapterPart::B});
            part.scale = adapter.config().scale(layer.parts[i]);
            const auto &a = part.down->tensor.shape, &b = part.up->tensor.shape;
            const std::int64_t ownRowsPerShare = b[0] / layer.shares[i];
            if (rowsPerShare == 0)
                m_first = i;
            else if (a[1] != columns() || ownRowsPerShare != rowsPerShare)
                throw std::runtime_error("the adapter for " + layer.parts[i] + " does not match the shapes of the other parts of " + layer.name);
            rowsPerShare = ownRowsPerShare;
            m_rank = std::max(m_rank, part.rank());
        }
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            m_parts[i].firstRow = i == 0 ? 0 : m_parts[i - 1].firstRow + m_parts[i - 1].rows;
            m_parts[i].rows = rowsPerShare * layer.shares[i];
        }
    }

    std::int64_t rank() const { return m_rank * static_cast<std::int64_t>(m_parts.size()); }
    std::int64_t rows() const { return m_parts.back().firstRow + m_parts.back().rows; }
    std::int64_t columns() const { return m_parts[m_first].down->tensor.shape[1]; }
    const std::string& dtype() const { return m_parts[m_first].down->tensor.dtype; }
    double scale() const { return m_parts[m_first].scale; }

    Matrix down() const
    {
        Matrix matrix(static_cast<std::size_t>(rank() * columns()));
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            if (m_parts[i].down)
                std::ranges::copy(floatsOf(*m_parts[i].down, 0, m_parts[i].down->tensor.elements()),
                    matrix.begin() + static_cast<std::int64_t>(i) * m_rank * columns());
        }
        return matrix;
    }

    Matrix up() const
    {
        Matrix matrix(static_cast<std::size_t>(rows() * rank()));
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            const Part& part = m_parts[i];
            if (!part.up)
                continue;
            const Matrix own = floatsOf(*part.up, 0, part.up->tensor.elements());
            const auto factor = static_cast<float>(part.scale / scale());
            for (std::int64_t row = 0; row < part.rows; ++row) {
                for (std::int64_t column = 0; column < part.rank(); ++column)
                    matrix[static_cast<std::size_t>((part.firstRow + row) * rank() + static_cast<std::int64_t>(i) * m_rank + column)]
                        = factor * own[static_cast<std::size_t>(row * part.rank() + column)];
            }
        }
        if (m_swapsHalves)
            std::ranges::rotate(matrix, matrix.begin() + (rows() / 2) * rank());
        return matrix;
    }

private:
    std::vector<Part> m_parts;
    std::size_t m_first = 0;  ///< index of the first part that has an adapter
    std::int64_t m_rank = 0;  ///< of each part in the result: the largest
    bool m_swapsHalves;
};

}  // namespace

std::vector<ExportedTensor> fusedAdapterTensors(const TrainedAdapter& adapter, const OriginalLayer& layer)
{
    const auto fused = std::make_shared<const FusedLayer>(adapter, layer);
    const auto nameOf = [&layer](AdapterPart part) { return adapterTensorName(AdapterForm::Kohya, {layer.name, part}); };
    const double alpha = fused->scale() * static_cast<double>(fused->rank());
    return {lazyTensor(nameOf(AdapterPart::A), fused->dtype(), {fused->rank(), fused->columns()}, [fused] { return fused->down(); }),
        lazyTensor(nameOf(AdapterPart::B), fused->dtype(), {fused->rows(), fused->rank()}, [fused] { return fused->up(); }),
        {{nameOf(AdapterPart::Alpha), "F64", {}},
            [alpha](std::uint64_t, void* into, std::uint64_t bytes) { std::memcpy(into, &alpha, bytes); }, /*keepsDtype=*/true}};
}

}  // namespace contract
