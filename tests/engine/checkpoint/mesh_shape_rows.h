// Shapes of meshes as a column of test data.
#pragma once
#include "engine/contract/experiment/mesh_shape.h"

#include <QMetaType>

Q_DECLARE_METATYPE(contract::MeshShape)
