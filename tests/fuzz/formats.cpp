#include "tests/fuzz/targets.h"

namespace fuzz {

const std::vector<Format>& formats()
{
    static const std::vector<Format> all = {{"toml", "experiments", tomlTarget}, {"journal", "runs", journalTarget},
        {"run", "runs", runFolderTarget}, {"manifest", "checkpoints", manifestTarget}, {"safetensors", "weights", safetensorsTarget},
        {"tokenizer", "tokenizers", tokenizerTarget}, {"picture", "pictures", pictureTarget}, {"dataset", "datasets", datasetTarget},
        {"import", "foreign", importTarget}};
    return all;
}

}  // namespace fuzz
