# heron bench, heron tune and heron stress.
find_package(Eigen3 QUIET NO_MODULE)
option(HERON_BENCH_NATIVE "Build the peers in heron bench (Eigen) for this machine's processor alone" OFF)

target_sources(heron-cli PRIVATE
    bench/blas1/matrix_case.cpp
    bench/blas1/vector_bench.cpp
    bench/blas1/vector_case.cpp
    bench/bsr/bsr_bench.cpp
    bench/bsr/bsr_contender.cpp
    bench/convert/convert_bench.cpp
    bench/convert/convert_case.cpp
    bench/convert/convert_contender.cpp
    bench/dense/dense_bench.cpp
    bench/dense/dense_operands.cpp
    bench/dense/dense_study.cpp
    bench/dense/dense_study_picture.cpp
    bench/factor/factor_bench.cpp
    bench/factor/factor_contenders.cpp
    bench/handle_bench.cpp
    bench/kron/kron_bench.cpp
    bench/prune/prune_bench.cpp
    bench/prune/prune_case.cpp
    bench/prune/prune_contender.cpp
    bench/reorder/color_contender.cpp
    bench/reorder/geam_contender.cpp
    bench/reorder/reorder_bench.cpp
    bench/reorder/sort_contenders.cpp
    bench/sddmm/sddmm_bench.cpp
    bench/sddmm/sddmm_contender.cpp
    bench/spgemm/spgemm_bench.cpp
    bench/spgemm/spgemm_contenders.cpp
    bench/spmm/spmm_bench.cpp
    bench/spmm/spmm_match.cpp
    bench/spmv/spmv_bench.cpp
    bench/spmv/spmv_contenders.cpp
    bench/spmv/spmv_match.cpp
    bench/spmv/spmv_operands.cpp
    bench/survey/survey_bench.cpp
    bench/survey/survey_cases.cpp
    bench/tridiag/tridiag_bench.cpp
    bench/tridiag/tridiag_contenders.cpp
    bench/trisolve/trisolve_bench.cpp
    bench/trisolve/trisolve_contenders.cpp
    bench/vector/sparse_vector_bench.cpp
    bench/vector/sparse_vector_contender.cpp
    bench_command.cpp
    measure/contestants.cpp
    measure/flop_peak.cpp
    measure/function_contest.cpp
    measure/launch_count.cpp
    measure/product_report.cpp
    peers/blas_peers.cpp
    peers/cusparse_library.cpp
    stress/lane.cpp
    stress/memory_use.cpp
    stress/operands.cpp
    stress/operations.cpp
    stress/stress.cpp
    stress/stressed_matrix.cpp
    stress_command.cpp
    tune/gemm_tile_tuner.cpp
    tune/gemm_tuner.cpp
    tune/tuning_file.cpp
    tune_command.cpp)
# Where the plug-ins look for what is tuned.
set_property(SOURCE tune/tuning_file.cpp APPEND PROPERTY INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/backends)
# These measure what they compute themselves.
set(timed_sources measure/bandwidth.cpp measure/flop_peak.cpp)
if(OpenCL_FOUND)
  target_sources(heron-cli PRIVATE peers/opencl_blas_peers.cpp)
  target_include_directories(heron-cli PRIVATE ${OpenCL_INCLUDE_DIRS})
else()
  target_sources(heron-cli PRIVATE peers/opencl_blas_missing.cpp)
endif()
if(TARGET Eigen3::Eigen)
  set(eigen_sources peers/eigen_factor.cpp peers/eigen_spgemm.cpp peers/eigen_spmv.cpp peers/eigen_transpose.cpp
      peers/eigen_trisolve.cpp)
  target_sources(heron-cli PRIVATE ${eigen_sources})
  target_link_libraries(heron-cli PRIVATE Eigen3::Eigen)
  list(APPEND timed_sources ${eigen_sources})
  # A false positive of GCC 12 in its own AVX-512 intrinsics.
  set_property(SOURCE ${eigen_sources} APPEND PROPERTY
      COMPILE_OPTIONS "-Wno-maybe-uninitialized;$<$<BOOL:${HERON_BENCH_NATIVE}>:-march=native>")
else()
  target_sources(heron-cli PRIVATE peers/eigen_missing.cpp)
endif()
set_property(SOURCE ${timed_sources} APPEND PROPERTY COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
set_source_files_properties(${timed_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

# A library whose products, solves and conversions go through the functions that cuSPARSE removed, for --library.
add_library(heron-removed-peer MODULE peers/removed/conversions.cpp peers/removed/products.cpp peers/removed/solves.cpp)
set_target_properties(heron-removed-peer PROPERTIES PREFIX "" OUTPUT_NAME libcusparse-removed)
# As for heron-cli, no CUDA toolkit is needed.
target_include_directories(heron-removed-peer PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include/compat/cuda)
target_compile_features(heron-removed-peer PRIVATE cxx_std_20)
target_link_libraries(heron-removed-peer PRIVATE Heron::cusparse heron-warnings)

# MKL's sparse BLAS behind cuSPARSE's functions, for --mkl. MKL itself is opened at run time.
add_library(heron-mkl-peer MODULE peers/mkl/descriptors.cpp peers/mkl/products.cpp peers/mkl/solves.cpp)
set_target_properties(heron-mkl-peer PROPERTIES PREFIX "" OUTPUT_NAME libcusparse-mkl)
target_include_directories(heron-mkl-peer PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include/compat
    ${PROJECT_SOURCE_DIR}/include/compat/cuda)
target_compile_features(heron-mkl-peer PRIVATE cxx_std_20)
target_link_libraries(heron-mkl-peer PRIVATE fmt::fmt heron-warnings ${CMAKE_DL_LIBS})
add_dependencies(heron-cli heron-mkl-peer)
