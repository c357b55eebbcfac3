#include "engine/algorithm/digit_judge.h"
#include "engine/comm/errors.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>

#include <QtTest>

#include <chrono>
#include <ctime>
#include <optional>

using engine::DataSplit;
using engine::DigitJudge;

namespace {

DataSplit digits(std::uint64_t seed)
{
    return engine::loadDigits(ATELIER_SOURCE_DIR "/resources/digits.csv.gz", 0.1, seed);
}

double agreement(const at::Tensor& some, const at::Tensor& others)
{
    return some.eq(others).to(at::kDouble).mean().item<double>();
}

/// Enough to learn something in a tenth of a second; the last batch has six images.
DataSplit fewDigits(std::uint64_t seed)
{
    DataSplit data = digits(seed);
    data.training.images = data.training.images.slice(0, 0, 70);
    data.training.labels = data.training.labels.slice(0, 0, 70);
    return data;
}

at::Generator numbers(std::uint64_t seed) { return at::make_generator<at::CPUGeneratorImpl>(seed); }

}  // namespace

class DigitJudgeTest : public QObject {
    Q_OBJECT

    DataSplit m_data = digits(1);
    std::optional<DigitJudge> m_judge;

private Q_SLOTS:
    void initTestCase()
    {
        at::set_num_threads(1);
        const std::clock_t start = std::clock();  // processor time: other programs do not count
        m_judge = DigitJudge::train(m_data, 1);
        qInfo("trained in %.2f s of one thread", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }

    void readsHeldOutDigits_data()
    {
        QTest::addColumn<int>("seed");
        QTest::newRow("seed 1") << 1;
        if (tests::isWhole()) {
            QTest::newRow("seed 2") << 2;
            QTest::newRow("seed 3") << 3;
        }
    }
    void readsHeldOutDigits()
    {
        QFETCH(int, seed);
        const auto number = static_cast<std::uint64_t>(seed);
        const DataSplit data = digits(number);
        std::optional<DigitJudge> other;
        if (seed != 1)
            other = DigitJudge::train(data, number);
        const DigitJudge& judge = other ? *other : *m_judge;
        QVERIFY2(judge.accuracy() >= 0.97, qPrintable(QString::number(judge.accuracy())));
        QCOMPARE(judge.accuracy(),
            agreement(judge.labels(data.validation.images), data.validation.labels));
    }

    void agreesWithNoiseNoMoreThanChance()
    {
        at::Generator random = numbers(3);
        const at::Tensor noise = at::randn({2000, 1, 8, 8}, random, at::kFloat);
        const at::Tensor asked = at::arange(2000, at::kLong).remainder(10);
        const double share = agreement(m_judge->labels(noise), asked);
        QVERIFY2(share > 0.06 && share < 0.14, qPrintable(QString::number(share)));
    }

    void wrongLabelsTeachNothing_data() { tests::onlyInTheWholeTest(); }
    void wrongLabelsTeachNothing()
    {
        DataSplit data = m_data;
        at::Generator random = numbers(3);
        data.training.labels = data.training.labels.index_select(
            0, at::randperm(data.training.labels.size(0), random, at::kLong));
        const double accuracy = DigitJudge::train(data, 1).accuracy();
        QVERIFY2(accuracy < 0.3, qPrintable(QString::number(accuracy)));
    }

    void toleratesTheNoiseOfSamples()
    {
        at::Generator random = numbers(3);
        const at::Tensor& images = m_data.validation.images;
        const at::Tensor noisy = images + at::randn(images.sizes(), random, at::kFloat).mul(0.2);
        QVERIFY(agreement(m_judge->labels(noisy), m_data.validation.labels) >= 0.95);
    }

    void sameSeedIsTheSameJudge()
    {
        at::Generator random = numbers(3);
        const at::Tensor images = at::randn({2000, 1, 8, 8}, random, at::kFloat);
        const DigitJudge judge = DigitJudge::train(fewDigits(1), 1);
        const DigitJudge again = DigitJudge::train(fewDigits(1), 1);
        QVERIFY(at::equal(again.labels(images), judge.labels(images)));
        const DigitJudge other = DigitJudge::train(fewDigits(1), 2);
        QVERIFY(!at::equal(other.labels(images), judge.labels(images)));
    }

    void leavesTheRunsRandomNumbersAlone()
    {
        const at::Generator& global = at::globalContext().defaultGenerator(at::kCPU);
        const at::Tensor before = global.get_state();
        const DigitJudge judge = DigitJudge::train(fewDigits(1), 1);
        judge.labels(m_data.validation.images);
        QVERIFY(at::equal(global.get_state(), before));
    }

    void worksInsideAnyGradMode()
    {
        const at::Tensor& images = m_data.validation.images;
        const at::Tensor expected = DigitJudge::train(fewDigits(1), 1).labels(images);
        {
            const at::NoGradGuard noGrad;
            const DigitJudge judge = DigitJudge::train(fewDigits(1), 1);
            QVERIFY(!at::GradMode::is_enabled());
            QVERIFY(at::equal(judge.labels(images), expected));
        }
        {
            const c10::InferenceMode inference;
            const DataSplit data = fewDigits(1);  // inference tensors
            const DigitJudge judge = DigitJudge::train(data, 1);
            QVERIFY(c10::InferenceMode::is_enabled());
            QVERIFY(at::equal(judge.labels(data.validation.images), expected));
        }
        QVERIFY(at::GradMode::is_enabled());
        QVERIFY(!m_judge->labels(images.clone().set_requires_grad(true)).requires_grad());
    }

    void otherTypesAndNoImagesAreRead()
    {
        const at::Tensor& images = m_data.validation.images;  // eighths: exact in bfloat16
        QVERIFY(at::equal(m_judge->labels(images.to(at::kBFloat16)), m_judge->labels(images)));
        const at::Tensor none = m_judge->labels(at::zeros({0, 1, 8, 8}));
        QCOMPARE(none.numel(), 0);
        QCOMPARE(none.scalar_type(), at::kLong);
    }

    void imagesOfAnotherShapeAreRejected()
    {
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, m_judge->labels(at::zeros({1, 1, 16, 16})));
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, m_judge->labels(at::zeros({1, 3, 8, 8})));
    }

    void nothingHeldOutIsNoAccuracy()
    {
        DataSplit data = fewDigits(1);
        data.validation.images = data.validation.images.slice(0, 0, 0);
        data.validation.labels = data.validation.labels.slice(0, 0, 0);
        QCOMPARE(DigitJudge::train(data, 1).accuracy(), 0.0);
    }
};

QTEST_GUILESS_MAIN(DigitJudgeTest)
#include "tst_digit_judge.moc"
