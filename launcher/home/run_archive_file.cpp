#include "launcher/home/run_archive_file.h"

#include "engine/contract/formats/input_file.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"

#include <algorithm>
#include <system_error>

namespace launcher {

void packToFile(const RunArchive& archive, const std::filesystem::path& file, contract::Existing existing, const ArchiveProgress& progress)
{
    try {
        contract::AtomicFile output(file, archive.bytes(), existing);
        std::uint64_t done = 0;
        archive.write([&](const void* data, std::size_t bytes) {
            output.output().write(data, bytes);
            if (!progress(done += bytes))
                throw ArchiveCancelled();
        });
        output.finish();
    } catch (const std::system_error& failure) {
        throw std::runtime_error(contract::cannotBe("written", file.string(), failure.code().value()));
    }
}

contract::RunFolder unpackFromFile(const DataHome& home, const std::filesystem::path& file, const ArchiveProgress& progress)
{
    const contract::InputFile input(file);
    std::uint64_t done = 0;
    return unpackRun(home, [&](void* data, std::size_t bytes) {
        const std::uint64_t count = std::min<std::uint64_t>(bytes, input.bytes() - done);
        input.read(data, count, done);
        if (!progress(done += count))
            throw ArchiveCancelled();
        return static_cast<std::size_t>(count);
    });
}

}  // namespace launcher
