# The Debian package that `cpack` makes of what is installed.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME atelier)
set(CPACK_PACKAGE_VENDOR Atelier)
set(CPACK_PACKAGE_CONTACT "The authors of Atelier <atelier@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# The worker's own folder, which cpack runs set_runpath.cmake for; for the compiler of the package nothing but paths differ.
set(CPACK_ATELIER_RUNPATH "${LIBTORCH_RUNPATH}")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/packaging/set_runpath.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "workbench for training diffusion models
 Atelier trains diffusion models on several GPUs or CPU cores and shows how the training goes: curves, images that the model draws,
 checkpoints, logs, in a window, in a terminal and from the command line.
 .
 LibTorch, with which it trains, is not in this package: atelier-setup downloads it, for NVIDIA GPUs or for the CPU only.")
# LibTorch is not a package; whatever else the programs link is found by dpkg-shlibdeps.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${LIBTORCH_RUNPATH})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libgomp1, libqt6svg6, python3, qt6-qpa-plugins")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, fonts-dejavu-core, qt6-wayland")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "fonts-noto-color-emoji, unicode-data")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/packaging/postinst ${CMAKE_CURRENT_SOURCE_DIR}/packaging/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

# What brings LibTorch to an installed Atelier.
install(PROGRAMS fetch-libtorch DESTINATION bin RENAME atelier-setup)
install(FILES libtorch-wheels DESTINATION share/atelier)
install(FILES packaging/copyright DESTINATION share/doc/atelier)
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    COMMAND sh -c "gzip -9nc \"$1\" > \"$2\"" gzip ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz VERBATIM)
add_custom_target(changelog ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz DESTINATION share/doc/atelier)
