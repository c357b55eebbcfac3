# The Debian package that `cpack` makes of what is installed.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME atelier)
set(CPACK_PACKAGE_VENDOR Atelier)
set(CPACK_PACKAGE_CONTACT "The authors of Atelier <maintainers@atelier.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# For set_runpath.cmake, which cpack runs on what it packs.
set(CPACK_ATELIER_RUNPATH "${LIBTORCH_RUNPATH}")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/packaging/set_runpath.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Workbench for training diffusion models")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Atelier trains diffusion models on several GPUs or CPU cores and shows how
the training goes: curves, images that the model draws, checkpoints, logs,
in a window, in a terminal and from the command line.

LibTorch, with which it trains, is not in this package: atelier-setup
downloads it, for NVIDIA GPUs or for the CPU only.")
# LibTorch is not a package; whatever else the programs link is found by dpkg-shlibdeps. Named here is what atelier-setup needs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${LIBTORCH_RUNPATH})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, python3")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core, openssh-client, qt6-translations-l10n, qt6-wayland")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "fonts-noto-color-emoji, unicode-data")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/packaging/postinst ${CMAKE_CURRENT_SOURCE_DIR}/packaging/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

# What brings LibTorch to an installed Atelier.
install(PROGRAMS fetch-libtorch DESTINATION bin RENAME atelier-setup)
install(FILES libtorch-wheels DESTINATION share/atelier)
install(FILES packaging/copyright DESTINATION share/doc/atelier)
# Debian's own changelog names the version; what is new in it is said in NEWS.
string(TIMESTAMP NOW "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/changelog @ONLY CONTENT
"atelier (@PROJECT_VERSION@) unstable; urgency=medium

  * See NEWS.gz.

 -- @CPACK_PACKAGE_CONTACT@  @NOW@
")
foreach(DOCUMENT ${PROJECT_SOURCE_DIR}/CHANGELOG.md:NEWS ${CMAKE_CURRENT_BINARY_DIR}/changelog:changelog)
    string(REPLACE ":" ";" DOCUMENT ${DOCUMENT})
    list(GET DOCUMENT 0 SOURCE)
    list(GET DOCUMENT 1 NAME)
    add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.gz DEPENDS ${SOURCE}
        COMMAND sh -c "gzip -9nc \"$1\" > \"$2\"" gzip ${SOURCE} ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.gz VERBATIM)
    list(APPEND PACKAGE_DOCUMENTS ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.gz)
endforeach()
add_custom_target(package_documents ALL DEPENDS ${PACKAGE_DOCUMENTS})
install(FILES ${PACKAGE_DOCUMENTS} DESTINATION share/doc/atelier)
