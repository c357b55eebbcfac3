# What `cmake --install` installs. launcher/base/program_path.cpp finds programs beside each other and resources in ../share/atelier; the engine
# finds its modules beside the worker. LibTorch stays where it is: the installed worker looks there, too.

get_target_property(LIBTORCH_LIBRARIES torch_cpu_only INTERFACE_LINK_LIBRARIES)
foreach(LIBRARY ${LIBTORCH_LIBRARIES})
    cmake_path(GET LIBRARY PARENT_PATH FOLDER)
    list(APPEND LIBTORCH_RUNPATH ${FOLDER})
endforeach()
list(REMOVE_DUPLICATES LIBTORCH_RUNPATH)

set(WORKER_AND_MODULES atelier-worker atelier_http atelier_libtorch atelier_video)
set(WITH_LIBTORCH atelier-worker)
if(TARGET atelier_cuda)
    list(APPEND WORKER_AND_MODULES atelier_cuda)
    list(APPEND WITH_LIBTORCH atelier_cuda)
endif()
set_target_properties(${WITH_LIBTORCH} PROPERTIES INSTALL_RPATH "${LIBTORCH_RUNPATH}")
install(TARGETS atelier DESTINATION bin)
install(TARGETS ${WORKER_AND_MODULES} atelier-poster DESTINATION lib/atelier)
# Under its name in the search path, for torchrun, mpirun and srun.
file(CREATE_LINK ../lib/atelier/atelier-worker ${CMAKE_CURRENT_BINARY_DIR}/atelier-worker SYMBOLIC)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/atelier-worker DESTINATION bin)

set(RESOURCES ${PROJECT_SOURCE_DIR}/resources)
install(DIRECTORY ${RESOURCES}/experiments ${RESOURCES}/manual DESTINATION share/atelier)
install(FILES ${RESOURCES}/digits.csv.gz ${RESOURCES}/README.md DESTINATION share/atelier)
install(FILES ${RESOURCES}/atelier.desktop DESTINATION share/applications)
install(FILES packaging/atelier.xml DESTINATION share/mime/packages)
install(FILES ${RESOURCES}/icons/atelier.svg DESTINATION share/icons/hicolor/scalable/apps)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/atelier)

# The icon in the sizes that desktops ask for.
find_package(Qt6 6.4 REQUIRED COMPONENTS Svg)
add_executable(draw_icon packaging/draw_icon.cpp)
target_link_libraries(draw_icon PRIVATE Qt6::Gui Qt6::Svg project_warnings project_qt)
set_target_properties(draw_icon PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set(ICONS ${CMAKE_CURRENT_BINARY_DIR}/icons)
add_custom_command(OUTPUT ${ICONS}/48x48/apps/atelier.png DEPENDS draw_icon ${RESOURCES}/icons/atelier.svg
    COMMAND draw_icon ${RESOURCES}/icons/atelier.svg ${ICONS} atelier VERBATIM)
install(DIRECTORY ${ICONS}/ DESTINATION share/icons/hicolor)

# The manual pages, from the texts of --help.
set(MANUAL ${CMAKE_CURRENT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${MANUAL}/atelier.1.gz DEPENDS atelier fetch-libtorch
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${MANUAL}
    COMMAND atelier manual-pages ${MANUAL}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fetch-libtorch --manual-page ${MANUAL}/atelier-setup.1
    COMMAND sh -c "gzip -9n \"$1\"/*.1" gzip ${MANUAL} VERBATIM)
install(DIRECTORY ${MANUAL}/ DESTINATION share/man/man1)

add_custom_target(installed_files ALL DEPENDS ${ICONS}/48x48/apps/atelier.png ${MANUAL}/atelier.1.gz)
