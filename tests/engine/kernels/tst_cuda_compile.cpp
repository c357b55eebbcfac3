// Our kernels for GPUs compile for the architectures that people have, without spilled registers. Needs NVRTC, but no GPU.
#include "engine/kernels/cuda/launcher.h"
#include "tests/support/whole_test.h"

#include <QtTest>

#include <dlfcn.h>
#include <nvrtc.h>

class CudaCompileTest : public QObject {
    Q_OBJECT

    void* m_nvrtc = nullptr;

    template <typename Function>
    Function* find(const char* name)
    {
        return reinterpret_cast<Function*>(::dlsym(m_nvrtc, name));
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_nvrtc = ::dlopen(ATELIER_NVRTC, RTLD_NOW);
        QVERIFY2(m_nvrtc, ::dlerror());
    }

    void compilesWithoutSpills_data()
    {
        QTest::addColumn<QByteArray>("architecture");
        QTest::newRow("sm_80") << QByteArray("sm_80");
        if (tests::isWhole()) {
            for (const char* name : {"sm_90", "sm_100", "sm_120"})
                QTest::newRow(name) << QByteArray(name);
        }
    }
    void compilesWithoutSpills()
    {
        QFETCH(QByteArray, architecture);
        const auto create = find<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram");
        const auto compile = find<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram");
        const auto logSize = find<decltype(nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize");
        const auto getLog = find<decltype(nvrtcGetProgramLog)>("nvrtcGetProgramLog");
        const auto destroy = find<decltype(nvrtcDestroyProgram)>("nvrtcDestroyProgram");
        nvrtcProgram program = nullptr;
        QCOMPARE(create(&program, std::string(engine::cuda::source()).c_str(), "atelier.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
        const QByteArray option = "--gpu-architecture=" + architecture;
        const char* const options[] = {option.constData(), "--std=c++17", "--ptxas-options=-v"};
        const nvrtcResult result = compile(program, int(std::size(options)), options);
        std::size_t bytes = 0;
        logSize(program, &bytes);
        QByteArray log(qsizetype(bytes), '\0');
        getLog(program, log.data());
        destroy(&program);
        QVERIFY2(result == NVRTC_SUCCESS, log.constData());
        for (const std::string& name : engine::cuda::kernelNames())
            QVERIFY2(log.contains("'" + QByteArray::fromStdString(name) + "'"), name.c_str());
        int reports = 0;
        for (const QByteArray& line : log.split('\n')) {
            if (!line.contains("spill stores"))
                continue;
            ++reports;
            QVERIFY2(line.contains(" 0 bytes spill stores, 0 bytes spill loads"), line.constData());
        }
        QCOMPARE(std::size_t(reports), engine::cuda::kernelNames().size());
    }
};

QTEST_APPLESS_MAIN(CudaCompileTest)
#include "tst_cuda_compile.moc"
