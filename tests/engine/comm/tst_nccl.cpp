// Collectives of NCCL on one GPU: NCCL has no place for two ranks there, but everything that one rank calls.
#include <ATen/ATen.h>

#include "engine/comm/process_group.h"
#include "tests/engine/test_device.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include <QtTest>

class NcclTest : public QObject {
    Q_OBJECT

    std::unique_ptr<engine::NcclGroup> m_group;

    static at::Tensor numbers() { return at::arange(1, 9, at::TensorOptions(tests::device()).dtype(at::kFloat)); }
    bool arrives(engine::Pending pending, const at::Tensor& result)
    {
        m_group->wait(pending);
        return at::equal(m_group->onHost(result), numbers().cpu());
    }

private Q_SLOTS:
    void initTestCase()
    {
        constexpr std::chrono::seconds kTimeout(60);
        QVERIFY(tests::accelerator());
        tests::accelerator()->setDevice(0);
        m_group = std::make_unique<engine::NcclGroup>(
            tests::accelerator()->makeNccl(c10::make_intrusive<c10d::HashStore>(), 0, 1, kTimeout), kTimeout);
        QVERIFY(!tests::accelerator()->ncclVersion().empty());
    }

    void eachCollectiveRuns()
    {
        const at::Tensor in = numbers(), out = at::zeros_like(in);
        QVERIFY(arrives(m_group->startAllGather(in, "test"), in));
        QVERIFY(arrives(m_group->startReduceScatter(out, numbers(), "test"), out));
        QVERIFY(arrives(m_group->startAllReduce(in, "test"), in));
        out.zero_();
        QVERIFY(arrives(m_group->startAllToAll(out, in, "test"), out));
        out.zero_();
        QVERIFY(arrives(m_group->startShift(out, in, "test"), out));
        m_group->barrier("test");
        m_group->throwIfFailed();
    }

    void cleanupTestCase() { m_group.reset(); }
};

QTEST_GUILESS_MAIN(NcclTest)
#include "tst_nccl.moc"
