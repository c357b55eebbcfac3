// The models that the engine's benchmarks train; engine_bench_rank and tests/peers/fsdp2_dit.py know their sizes by name.
#pragma once
#include <QStringList>

#include <string>
#include <vector>

namespace bench {

/// Without AVX-512 the peer multiplies numbers in bfloat16 one by one, and takes 20 s and more for a step of all but the smallest model: the
/// benchmarks then measure that only where they are asked to by name.
inline bool isSlowForPeer(const QString& size) { return size != "tiny" && !__builtin_cpu_supports("avx512f"); }

inline std::string leftOutMessage(const std::string& name)
{
    return "  " + name + " is left out: without AVX-512 the peer takes 20 s and more for a step; it can be asked for by its name\n";
}

struct EngineCase {
    QString size, dtype;
    int steps;  ///< measured ones

    std::string name() const { return (size + "-" + dtype).toStdString(); }
    bool isBfloat16() const { return dtype == "bf16"; }
    bool isSlowForPeer() const { return isBfloat16() && bench::isSlowForPeer(size); }
    /// The learning rate is low, so that rounding in bfloat16 does not grow from step to step and hide a difference.
    QStringList arguments(int ofSteps) const
    {
        return {"--size", size, "--dtype", dtype, "--steps", QString::number(ofSteps), "--lr", "1e-5"};
    }
};

inline const std::vector<EngineCase> kEngineCases
    = {{"tiny", "bf16", 30}, {"small", "bf16", 12}, {"base", "bf16", 6}, {"tiny", "fp32", 30}, {"small", "fp32", 8}};

}  // namespace bench
