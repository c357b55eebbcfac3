#include "engine/model/model.h"

namespace engine {

at::Tensor predict(const Model& model, UnitSequence& units, const ModelInput& input)
{
    Tape tape(units, Tape::Mode::Evaluate);
    return model.forward(tape, input)->data.clone();
}

}  // namespace engine
