! heron_cublas: a product with scalars of the host and one with scalars of the device, in two types, against matmul; and a bad
! argument, whose status comes back.
program cublas_module
  use heron_cublas
  implicit none
  integer, parameter :: m = 9, n = 4, k = 5
  type(cublasHandle_t) :: handle
  integer(c_int) :: status
  call cublas_create(handle)
  call reals()
  call complexes()
  call cublas_destroy(handle)

contains

  subroutine reals()
    real(c_double) :: a(k, m), b(k, n), c(m, n), before(m, n), norm
    type(device_real64) :: d_a, d_b, d_c, scalars
    a = reshape([(real(mod(7 * status, 13) - 6, c_double), status = 1, size(a))], shape(a))
    b = reshape([(real(mod(5 * status, 11) - 5, c_double), status = 1, size(b))], shape(b))
    before = reshape([(real(status, c_double), status = 1, size(c))], shape(c))
    call device_allocate(d_a, size(a))
    call device_allocate(d_b, size(b))
    call device_allocate(d_c, size(c))
    call device_allocate(scalars, 2)
    call device_write(d_a, a)
    call device_write(d_b, b)
    call device_write(scalars, [0.5_c_double, 2.0_c_double])

    call device_write(d_c, before)
    call cublas_gemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, 0.5_c_double, d_a, k, d_b, k, 2.0_c_double, d_c, m)
    call device_read(c, d_c)
    if (any(abs(c - (0.5_c_double * matmul(transpose(a), b) + 2 * before)) > 1e-12_c_double)) error stop "gemm is wrong"

    call device_write(d_c, before)
    call cublas_set_pointer_mode(handle, CUBLAS_POINTER_MODE_DEVICE)
    call cublas_gemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, scalars, d_a, k, d_b, k, device_offset(scalars, 1), d_c, m)
    call cublas_set_pointer_mode(handle, CUBLAS_POINTER_MODE_HOST)
    call device_read(c, d_c)
    if (any(abs(c - (0.5_c_double * matmul(transpose(a), b) + 2 * before)) > 1e-12_c_double)) &
      & error stop "gemm with scalars on the device is wrong"

    call cublas_nrm2(handle, size(b), d_b, 1, norm)
    if (abs(norm - norm2(b)) > 1e-12_c_double) error stop "nrm2 is wrong"
    call rotate(d_a)
    call cublas_gemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, -1, n, k, 0.5_c_double, d_a, k, d_b, k, 2.0_c_double, d_c, m, status)
    if (status /= CUBLAS_STATUS_INVALID_VALUE) error stop "a negative size was taken"
    call device_free(d_a)
    call device_free(d_b)
    call device_free(d_c)
    call device_free(scalars)
  end subroutine

  ! Rows of two numbers by H = (2 3; 0.5 1), whose five numbers lie on the host and then on the device.
  subroutine rotate(memory)
    type(device_real64), intent(in) :: memory
    real(c_double), parameter :: h(5) = [-1.0_c_double, 2.0_c_double, 0.5_c_double, 3.0_c_double, 1.0_c_double]
    type(device_real64) :: second, d_h
    real(c_double) :: numbers(4)
    second = device_offset(memory, 2)
    call device_allocate(d_h, 5)
    call device_write(d_h, h)
    call device_write(memory, [1.0_c_double, 2.0_c_double, 3.0_c_double, 4.0_c_double])
    call cublas_rotm(handle, 2, memory, 1, second, 1, h)
    call cublas_set_pointer_mode(handle, CUBLAS_POINTER_MODE_DEVICE)
    call cublas_rotm(handle, 2, memory, 1, second, 1, d_h)
    call cublas_set_pointer_mode(handle, CUBLAS_POINTER_MODE_HOST)
    call device_read(numbers, memory)
    ! (1, 3) -> (11, 3.5) -> (32.5, 9), (2, 4) -> (16, 5) -> (47, 13)
    if (any(abs(numbers - [32.5_c_double, 47.0_c_double, 9.0_c_double, 13.0_c_double]) > 1e-12_c_double)) &
      & error stop "rotm is wrong"
    call device_free(d_h)
  end subroutine

  subroutine complexes()
    complex(c_float_complex) :: a(m, k), c(m, m), wanted(m, m)
    type(device_complex32) :: d_a, d_c
    integer :: i
    a = reshape([(cmplx(mod(3 * i, 7) - 3, mod(i, 5) - 2, c_float_complex), i = 1, size(a))], shape(a))
    wanted = 2 * matmul(a, conjg(transpose(a)))
    call device_allocate(d_a, size(a))
    call device_allocate(d_c, size(c))
    call device_write(d_a, a)
    call cublas_herk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, m, k, 2.0_c_float, d_a, m, 0.0_c_float, d_c, m)
    call device_read(c, d_c)
    do i = 1, m
      if (any(abs(c(i:, i) - wanted(i:, i)) > 1e-4_c_float)) error stop "herk is wrong"
    end do
    call device_free(d_a)
    call device_free(d_c)
  end subroutine

end program cublas_module
