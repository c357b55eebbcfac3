# Run by cpack on the files that it packs: the worker looks for LibTorch where atelier-setup puts it, not where the build found it.
set(HERE ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib/atelier)
foreach(FILE atelier-worker libatelier_cuda.so)
    if(EXISTS ${HERE}/${FILE})
        file(RPATH_CHANGE FILE ${HERE}/${FILE} OLD_RPATH "${CPACK_ATELIER_RUNPATH}" NEW_RPATH "/var/lib/atelier/libtorch/torch/lib")
    endif()
endforeach()
