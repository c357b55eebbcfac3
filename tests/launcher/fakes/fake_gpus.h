// Two GPUs for machines without a driver, by the library that fake_nvml.cpp makes.
#pragma once
#include "tests/paths.h"

#include <QByteArray>
#include <QTemporaryDir>
#include <QtTest>

#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <string>

/// Loads the library into this process, where dlopen() then finds it by its name, and names it to the processes that are started later.
class FakeGpus {
public:
    static constexpr char kFirst[] = "GPU-11aa", kSecond[] = "GPU-22bb";

    FakeGpus()
    {
        if (!::dlopen(FAKE_NVML_FOLDER "/libnvidia-ml.so.1", RTLD_NOW | RTLD_GLOBAL))
            qFatal("%s", ::dlerror());
        qputenv("LD_LIBRARY_PATH", FAKE_NVML_FOLDER);
        qputenv("FAKE_NVML", file().c_str());
        set("", "");
    }
    ~FakeGpus() { qunsetenv("FAKE_NVML"); }

    /// @param first processes on the first GPU, PROCESS:BYTES,PROCESS:BYTES
    void set(const std::string& first, const std::string& second) const
    {
        std::ofstream(file()) << kFirst << "|NVIDIA H200|150000000000|" << (first.empty() ? "149000000000" : "50000000000") << '|' << first
                              << '\n' << kSecond << "|NVIDIA H200|150000000000|149000000000|" << second << '\n';
    }
    /// The driver works, but finds nothing.
    void setNone() const { std::ofstream(file()) << ""; }
    /// As many as there are lines: UUID|NAME|TOTAL|FREE|PROCESS:BYTES,…
    void setLines(const std::string& lines) const { std::ofstream(file()) << lines; }
    /// The driver answers no question while it hangs.
    void setHanging(bool isHanging) const
    {
        if (isHanging)
            std::ofstream(file() + ".hangs").put('1');
        else
            std::remove((file() + ".hangs").c_str());
    }
    void breakDriver() const { std::remove(file().c_str()); }

private:
    std::string file() const { return m_folder.filePath(QStringLiteral("gpus")).toStdString(); }
    QTemporaryDir m_folder;
};
