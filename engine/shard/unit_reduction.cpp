// Gradients of a unit: from what layers write to gradShard.
#include "engine/shard/unit.h"

#include "engine/shard/squares.h"

#include <utility>

namespace engine {

void Unit::beginBackward()
{
    if (!m_isTrained)
        return;
    m_gradBuffer = m_pool.acquire(bytesOf(m_layout.length(), m_options.computeDtype), Sharing::OnePerRank);
    attach(m_gradStorage, m_gradBuffer);
    for (const at::Tensor& gap : m_gradGaps)
        gap.zero_();
    for (Parameter& parameter : m_parameters)
        parameter.isGradWritten = false;
}

void Unit::startReduce(Reduction reduction)
{
    if (!m_isTrained)
        return;
    for (Parameter& parameter : m_parameters) {
        if (!parameter.isGradWritten)
            parameter.grad.zero_();
    }
    m_reduction = reduction;
    at::Tensor gradients = m_flatGrad;
    if (reduction == Reduction::None || m_hasWholeGrad) {
        accumulateWhole();
        releaseGradients();
        gradients = m_wholeGrad;
    }
    if (reduction == Reduction::None)
        return;
    m_hasWholeGrad = false;
    const bool isNarrowed = c10::elementSize(m_options.reduceDtype) < c10::elementSize(gradients.scalar_type());
    if (m_group.addsUp() && !m_options.copies && (m_group.sharesMemory() || !isNarrowed))
        m_reduce = m_group.startSum(gradShard, gradients, m_hasGrad, m_spec.name);
    else
        startReduceScatter(gradients);
    m_isReducing = true;
}

void Unit::accumulateWhole()
{
    if (!m_wholeGrad.defined())
        m_wholeGrad = m_group.allocate(bytesOf(m_layout.length(), at::kFloat), Sharing::OnePerRank, m_pool.device())
                          .view(at::kFloat);
    if (std::exchange(m_hasWholeGrad, true))
        m_wholeGrad.add_(m_flatGrad);
    else
        m_wholeGrad.copy_(m_flatGrad);
}

void Unit::startReduceScatter(const at::Tensor& gradients)
{
    const at::ScalarType dtype = m_options.reduceDtype;
    at::Tensor full = gradients;
    if (dtype != gradients.scalar_type()) {
        m_reduceBuffer = m_pool.acquire(bytesOf(m_layout.length(), dtype), Sharing::None);
        full = m_reduceBuffer.view(dtype);
        full.copy_(gradients);
    }
    m_reducedBuffer = m_pool.acquire(bytesOf(m_layout.shardLength, dtype), Sharing::None);
    m_reduced = m_reducedBuffer.view(dtype);
    m_reduce = m_group.startReduceScatter(m_reduced, full, m_spec.name);
}

void Unit::finishReduce()
{
    if (!std::exchange(m_isReducing, false))
        return;
    m_group.wait(m_reduce);
    if (m_options.copies)
        sendHome();
    else if (m_reduced.defined() && m_hasGrad)
        gradShard.add_(m_reduced);
    else if (m_reduced.defined())
        gradShard.copy_(m_reduced);
    m_hasGrad = true;
    if (m_reduction == Reduction::All && !m_options.replicas && !m_options.copies && gradShard.is_cpu())
        m_gradSquares = sumOfSquares(gradShard);
    releaseGradients();
    giveBack(m_reduceBuffer, Sharing::None);
    if (!m_options.copies)
        releaseReduced();
    if (m_reduction == Reduction::All && m_options.replicas && !m_options.copies)
        m_replicate = m_options.replicas->startAllReduce(gradShard, m_spec.name + " over replicas");
}

void Unit::sendHome()
{
    if (m_options.replicas)
        m_options.replicas->allReduceSum(m_reduced, m_spec.name + " over replicas");
    m_isAdding = m_hasGrad;
    if (m_isAdding && !m_arrival.defined())
        m_arrival = makeShard(at::kFloat);
    const CopyStream::Scope besideCompute(*m_options.copies);
    (m_isAdding ? m_arrival : gradShard).copy_(m_reduced, /*non_blocking=*/true);
    m_sentHome.emplace(*m_options.copies);
}

void Unit::releaseReduced()
{
    if (m_sentHome)
        m_sentHome->computeWaits();  // who takes the buffers next comes after the copy
    m_reduced.reset();
    giveBack(m_reducedBuffer, Sharing::None);
}

void Unit::giveBack(at::Tensor& buffer, Sharing sharing)
{
    if (buffer.defined())
        m_pool.release(std::exchange(buffer, at::Tensor()), sharing);
}

void Unit::finishGradients()
{
    if (m_options.replicas)
        m_options.replicas->wait(m_replicate);
    if (m_sentHome)
        m_sentHome->hostWaits();
    if (std::exchange(m_isAdding, false))
        gradShard.add_(m_arrival);
}

double Unit::gradSquares() const { return m_gradSquares ? *m_gradSquares : sumOfSquares(gradShard); }

void Unit::releaseGradients()
{
    attach(m_gradStorage, at::Tensor());
    giveBack(m_gradBuffer, Sharing::OnePerRank);
}

void Unit::zeroGrad()
{
    m_hasGrad = false;
    m_hasWholeGrad = false;
    m_gradSquares.reset();
}

}  // namespace engine
