#include "engine/contract/adapter_fusing.h"

#include "engine/contract/float_formats.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

using Matrix = std::vector<float>;

/// Values that are worked out when they are asked for, and forgotten after the last.
ExportedTensor workedOut(std::string name, std::string dtype, std::vector<std::int64_t> shape, std::function<Matrix()> values)
{
    const SafetensorsTensor tensor {std::move(name), std::move(dtype), std::move(shape)};
    const auto kept = std::make_shared<Matrix>();
    return {tensor, [tensor, kept, values = std::move(values)](std::uint64_t begin, void* into, std::uint64_t bytes) {
                const std::uint64_t width = dtypeBytes(tensor.dtype);
                if (kept->empty())
                    *kept = values();
                fromFloats(tensor.dtype, kept->data() + begin / width, bytes / width, into);
                if ((begin + bytes) / width == kept->size())
                    *kept = {};
            }};
}

/// One part's matrices, where it has an adapter.
struct Part {
    const ExportedTensor* down = nullptr;
    const ExportedTensor* up = nullptr;
    double scale = 0;
    std::int64_t firstRow = 0, rows = 0;  ///< of the layer's B

    std::int64_t rank() const { return down ? down->tensor.shape[0] : 0; }
};

class FusedLayer {
public:
    FusedLayer(const TrainedAdapter& adapter, const OriginalLayer& layer)
        : m_swapsHalves(layer.swapsHalves)
    {
        std::int64_t unit = 0;
        for (std::size_t i = 0; i < layer.parts.size(); ++i) {
            Part& part = m_parts.emplace_back();
            const auto down = adapter.matrices().find({layer.parts[i], AdapterPart::A});
            if (down == adapter.matrices().end())
                continue;
            part.down = down->second;
            part.up = adapter.matrices().at({layer.parts[i], AdapterPart::B});
            part.scale = adapter.config().scale(layer.parts[i]);
            const auto &a = part.down->tensor.shape, &b = part.up->tensor.shape;
            const std::int64_t ownUnit = b[0] / layer.shares[i];
            if (unit == 0)
                m_first = i;
            else if (a[1] != columns() || ownUnit != unit)
                throw std::runtime_error("the adapter for " + layer.parts[i] + " does not fit those beside it in " + layer.name);
            unit = ownUnit;
            m_rank = std::max(m_rank, part.rank());
        }
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            m_parts[i].firstRow = i == 0 ? 0 : m_parts[i - 1].firstRow + m_parts[i - 1].rows;
            m_parts[i].rows = unit * layer.shares[i];
        }
    }

    std::int64_t rank() const { return m_rank * static_cast<std::int64_t>(m_parts.size()); }
    std::int64_t rows() const { return m_parts.back().firstRow + m_parts.back().rows; }
    std::int64_t columns() const { return m_parts[m_first].down->tensor.shape[1]; }
    const std::string& dtype() const { return m_parts[m_first].down->tensor.dtype; }
    double scale() const { return m_parts[m_first].scale; }

    Matrix down() const
    {
        Matrix whole(static_cast<std::size_t>(rank() * columns()));
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            if (m_parts[i].down)
                std::ranges::copy(floatsOf(*m_parts[i].down, 0, m_parts[i].down->tensor.elements()),
                    whole.begin() + static_cast<std::int64_t>(i) * m_rank * columns());
        }
        return whole;
    }

    Matrix up() const
    {
        Matrix whole(static_cast<std::size_t>(rows() * rank()));
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            const Part& part = m_parts[i];
            if (!part.up)
                continue;
            const Matrix own = floatsOf(*part.up, 0, part.up->tensor.elements());
            const auto factor = static_cast<float>(part.scale / scale());
            for (std::int64_t row = 0; row < part.rows; ++row) {
                for (std::int64_t column = 0; column < part.rank(); ++column)
                    whole[static_cast<std::size_t>((part.firstRow + row) * rank() + static_cast<std::int64_t>(i) * m_rank + column)]
                        = factor * own[static_cast<std::size_t>(row * part.rank() + column)];
            }
        }
        if (m_swapsHalves)
            std::ranges::rotate(whole, whole.begin() + (rows() / 2) * rank());
        return whole;
    }

private:
    std::vector<Part> m_parts;
    std::size_t m_first = 0;  ///< that has an adapter
    std::int64_t m_rank = 0;  ///< of each part
    bool m_swapsHalves;
};

}  // namespace

std::vector<ExportedTensor> asOneAdapter(const TrainedAdapter& adapter, const OriginalLayer& layer)
{
    const auto fused = std::make_shared<const FusedLayer>(adapter, layer);
    const auto nameOf = [&layer](AdapterPart part) { return adapterTensorName(AdapterForm::Kohya, {layer.name, part}); };
    const double alpha = fused->scale() * static_cast<double>(fused->rank());
    return {workedOut(nameOf(AdapterPart::A), fused->dtype(), {fused->rank(), fused->columns()}, [fused] { return fused->down(); }),
        workedOut(nameOf(AdapterPart::B), fused->dtype(), {fused->rows(), fused->rank()}, [fused] { return fused->up(); }),
        workedOut(nameOf(AdapterPart::Alpha), "F32", {}, [alpha] { return Matrix {static_cast<float>(alpha)}; })};
}

}  // namespace contract
