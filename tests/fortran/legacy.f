c     A legacy program: y = A*x by csrmv, and the x that solves L*U*x = y
c     by csrsv's analysis and solve, for a matrix that is its own L*U
c     (unit lower bidiagonal times upper bidiagonal), so that x comes back.
      program legacy
      implicit none
      integer n, nnz
      parameter (n=200, nnz=3*n-2)
      integer cuda_malloc, cuda_memcpy_fort2c_int
      integer cuda_memcpy_fort2c_complex, cuda_memcpy_c2fort_complex
      integer cusparse_create, cusparse_create_mat_descr
      integer cusparse_set_mat_index_base, cusparse_set_mat_fill_mode
      integer cusparse_set_mat_diag_type
      integer cusparse_create_solve_analysis_info
      integer cusparse_zcsrmv, cusparse_zcsrsv_analysis
      integer cusparse_zcsrsv_solve
      external cuda_free, cusparse_destroy, cusparse_destroy_mat_descr
      external cusparse_get_error_name
      external cusparse_destroy_solve_analysis_info
      integer*8 handle, descrA, descrL, descrU, infoL, infoU
      integer*8 dOffsets, dColumns, dA, dFactors, dX, dY, dT
      integer offsets(n+1), columns(nnz), i, k
      complex*16 a(nnz), factors(nnz), x(n), y(n), wanted(n)
      complex*16 lower(n), diagonal(n), upper(n), one, zero
      real*8 error
      character*40 name
      character*8 beginning
      one = (1d0, 0d0)
      zero = (0d0, 0d0)

      do i = 1, n
        lower(i) = dcmplx(0.5d0, 0.01d0*mod(i, 7))
        diagonal(i) = dcmplx(2d0 + mod(i, 3), -0.5d0)
        upper(i) = dcmplx(-0.25d0, 0.1d0*mod(i, 5))
        x(i) = dcmplx(dble(mod(3*i, 11)) - 5d0, dble(mod(i, 4)))
      end do
c     Row i has l(i)*d(i-1), d(i) + l(i)*u(i-1) and u(i); the factors have
c     l(i), d(i) and u(i) in its place.
      k = 0
      do i = 1, n
        offsets(i) = k + 1
        wanted(i) = zero
        if (i .gt. 1) then
          k = k + 1
          columns(k) = i - 1
          factors(k) = lower(i)
          a(k) = lower(i)*diagonal(i-1)
          wanted(i) = wanted(i) + a(k)*x(i-1)
        end if
        k = k + 1
        columns(k) = i
        factors(k) = diagonal(i)
        a(k) = diagonal(i)
        if (i .gt. 1) a(k) = a(k) + lower(i)*upper(i-1)
        wanted(i) = wanted(i) + a(k)*x(i)
        if (i .lt. n) then
          k = k + 1
          columns(k) = i + 1
          factors(k) = upper(i)
          a(k) = upper(i)
          wanted(i) = wanted(i) + a(k)*x(i+1)
        end if
      end do
      offsets(n+1) = k + 1

      call must(cuda_malloc(dOffsets, 4*(n+1)), 'cuda_malloc')
      call must(cuda_malloc(dColumns, 4*nnz), 'cuda_malloc')
      call must(cuda_malloc(dA, 16*nnz), 'cuda_malloc')
      call must(cuda_malloc(dFactors, 16*nnz), 'cuda_malloc')
      call must(cuda_malloc(dX, 16*n), 'cuda_malloc')
      call must(cuda_malloc(dY, 16*n), 'cuda_malloc')
      call must(cuda_malloc(dT, 16*n), 'cuda_malloc')
      call must(cuda_memcpy_fort2c_int(dOffsets, offsets, 4*(n+1), 1),
     $          'offsets')
      call must(cuda_memcpy_fort2c_int(dColumns, columns, 4*nnz, 1),
     $          'columns')
      call must(cuda_memcpy_fort2c_complex(dA, a, 16*nnz, 1), 'A')
      call must(cuda_memcpy_fort2c_complex(dFactors, factors, 16*nnz,
     $          1), 'factors')
      call must(cuda_memcpy_fort2c_complex(dX, x, 16*n, 1), 'x')

      call must(cusparse_create(handle), 'cusparse_create')
      call must(cusparse_create_mat_descr(descrA), 'descrA')
      call must(cusparse_create_mat_descr(descrL), 'descrL')
      call must(cusparse_create_mat_descr(descrU), 'descrU')
      call must(cusparse_set_mat_index_base(descrA, 1), 'base')
      call must(cusparse_set_mat_index_base(descrL, 1), 'base')
      call must(cusparse_set_mat_index_base(descrU, 1), 'base')
      call must(cusparse_set_mat_fill_mode(descrL, 0), 'lower')
      call must(cusparse_set_mat_fill_mode(descrU, 1), 'upper')
      call must(cusparse_set_mat_diag_type(descrL, 1), 'unit')
      call must(cusparse_set_mat_diag_type(descrU, 0), 'non-unit')
      call must(cusparse_create_solve_analysis_info(infoL), 'infoL')
      call must(cusparse_create_solve_analysis_info(infoU), 'infoU')

      call must(cusparse_zcsrmv(handle, 0, n, n, nnz, one, descrA, dA,
     $          dOffsets, dColumns, dX, zero, dY), 'zcsrmv')
      call must(cuda_memcpy_c2fort_complex(y, dY, 16*n, 2), 'y')
      error = 0d0
      do i = 1, n
        error = dmax1(error, cdabs(y(i) - wanted(i)))
      end do
      write(*,*) 'csrmv: largest error', error
      if (error .gt. 1d-12) stop 1

      call must(cusparse_zcsrsv_analysis(handle, 0, n, nnz, descrL,
     $          dFactors, dOffsets, dColumns, infoL), 'analysis of L')
      call must(cusparse_zcsrsv_analysis(handle, 0, n, nnz, descrU,
     $          dFactors, dOffsets, dColumns, infoU), 'analysis of U')
      call must(cusparse_zcsrsv_solve(handle, 0, n, one, descrL,
     $          dFactors, dOffsets, dColumns, infoL, dY, dT), 'L')
      call must(cusparse_zcsrsv_solve(handle, 0, n, one, descrU,
     $          dFactors, dOffsets, dColumns, infoU, dT, dY), 'U')
      call must(cuda_memcpy_c2fort_complex(y, dY, 16*n, 2), 'x')
      error = 0d0
      do i = 1, n
        error = dmax1(error, cdabs(y(i) - x(i)))
      end do
      write(*,*) 'csrsv: largest error', error
      if (error .gt. 1d-11) stop 1

c     What is wrong gives a status, and the program goes on.
      if (cusparse_zcsrmv(handle, 0, -1, n, nnz, one, descrA, dA,
     $    dOffsets, dColumns, dX, zero, dY) .ne. 3) stop 1
      if (cuda_malloc(dT, -1) .eq. 0) stop 1
      call cusparse_get_error_name(3, name)
      if (name .ne. 'CUSPARSE_STATUS_INVALID_VALUE') stop 1
      call cusparse_get_error_name(3, beginning)
      if (beginning .ne. 'CUSPARSE') stop 1

      call cusparse_destroy_solve_analysis_info(infoL)
      call cusparse_destroy_solve_analysis_info(infoU)
      call cusparse_destroy_mat_descr(descrA)
      call cusparse_destroy_mat_descr(descrL)
      call cusparse_destroy_mat_descr(descrU)
      call cusparse_destroy(handle)
      call cuda_free(dOffsets)
      call cuda_free(dColumns)
      call cuda_free(dA)
      call cuda_free(dFactors)
      call cuda_free(dX)
      call cuda_free(dY)
      call cuda_free(dT)
      end

      subroutine must(status, what)
      implicit none
      integer status
      character*(*) what
      if (status .ne. 0) then
        write(*,*) what, ' failed with status', status
        stop 1
      end if
      end
